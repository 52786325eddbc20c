//! The term dictionary of an index: terms added since the last snapshot, and immutable layers of
//! older ones.

use std::ops::Range;
use std::sync::Arc;

use crate::error::Error;
use crate::terms::layer::{Layer, LayerBuilder, Seed};
use crate::terms::recent_terms::RecentTerms;
use crate::terms::stems::{StemReader, StemSettings};
use crate::text::language::Language;

/// A layer is merged into a new one that has at least this fraction (1/2) of its size, so a term is
/// rewritten once per doubling.
const PART: usize = 2;

/// Distinct names, numbered in the order of their arrival.
#[derive(Clone, Debug, Default)]
pub struct TermDictionary {
    /// Each layer continues the numbering of the one before. All have the same seed.
    layers: Vec<Arc<Layer>>,
    /// The number of the first recent name.
    first: u32,
    recent: RecentTerms,
}

impl TermDictionary {
    /// Layers without recent names.
    pub fn new(layers: Vec<Arc<Layer>>) -> Self {
        let first = layers.iter().map(|layer| layer.len() as u32).sum();
        TermDictionary { layers, first, recent: RecentTerms::default() }
    }

    /// The number of terms.
    pub fn len(&self) -> usize {
        self.first as usize + self.recent.len()
    }

    /// Returns true if there are no names.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The layers.
    pub fn layers(&self) -> &[Arc<Layer>] {
        &self.layers
    }

    /// Replaces a layer by the same layer read from a file.
    pub fn adopt(&mut self, old: &Arc<Layer>, new: &Arc<Layer>) {
        let same = self.layers.iter_mut().find(|layer| Arc::ptr_eq(layer, old));
        same.into_iter().for_each(|layer| *layer = Arc::clone(new));
    }

    /// The number of `name`, if it is known.
    #[inline]
    pub fn find(&self, name: &str) -> Result<Option<u32>, Error> {
        if !self.layers.is_empty() {
            if let Some(id) = self.find_in_layers(name)? {
                return Ok(Some(id));
            }
        }
        Ok(self.recent.find(name).map(|id| self.first + id))
    }

    fn find_in_layers(&self, name: &str) -> Result<Option<u32>, Error> {
        let (hash, mut first) = (self.layers[0].seed.hash(name), 0);
        for layer in &self.layers {
            if let Some(id) = layer.find(hash, name)? {
                return Ok(Some(first + id));
            }
            first += layer.len() as u32;
        }
        Ok(None)
    }

    /// Calls `read` with the name of a number.
    pub fn name<T>(&self, id: u32, read: impl FnOnce(&str) -> T) -> Result<T, Error> {
        let mut first = 0;
        for layer in &self.layers {
            if ((id - first) as usize) < layer.len() {
                return layer.read_name(id - first, read);
            }
            first += layer.len() as u32;
        }
        Ok(read(self.recent.name(id - first)))
    }

    /// Adds a name that is not known, and returns its number.
    pub fn add(&mut self, name: &str) -> u32 {
        self.first + self.recent.add(name)
    }

    /// Reserves capacity for `more` names.
    pub fn reserve(&mut self, more: usize) {
        self.recent.reserve(more);
    }

    /// Calls `each` with all names, by number.
    pub fn each(&self, mut each: impl FnMut(&str)) -> Result<(), Error> {
        self.each_in(0..self.len() as u32, None, |name, _| each(name))
    }

    /// Calls `each` with the names of some numbers, and with a reader of their stems in a language
    /// if these are stored.
    pub(crate) fn each_in(
        &self,
        terms: Range<u32>,
        language: Option<Language>,
        mut each: impl FnMut(&str, Option<&mut StemReader<'_>>),
    ) -> Result<(), Error> {
        let mut passed = 0;
        let place = |id: u32, passed: u32, len: usize| (id.saturating_sub(passed) as usize).min(len);
        for layer in &self.layers {
            let range = place(terms.start, passed, layer.len())..place(terms.end, passed, layer.len());
            if !range.is_empty() {
                let stems =
                    language.map(|language| layer.stems.read(language, range.start, layer.len())).transpose()?;
                let mut stems = stems.flatten();
                layer.each_in(range, |name| each(name, stems.as_mut()))?;
                if stems.is_some_and(|stems| stems.is_wrong) {
                    return Err(layer.stems.codes.wrong());
                }
            }
            passed += layer.len() as u32;
        }
        for id in terms.start.max(passed)..terms.end {
            each(self.recent.name(id - passed), None);
        }
        Ok(())
    }

    /// The dictionary as layers only, without recent terms, and with these stems.
    pub(crate) fn freeze(&self, stems: StemSettings<'_>) -> Result<Vec<Arc<Layer>>, Error> {
        let (mut count, mut size, mut kept) = (self.recent.len(), self.recent.size(), self.layers.len());
        let mut complete = 0;
        while complete < kept && self.layers[complete].has_stems(stems.languages)? {
            complete += 1;
        }
        if count == 0 && complete == kept {
            return Ok(self.layers.clone());
        }
        let is_taken = |layer: &Layer, at: usize, count: usize| at >= complete || layer.len() / PART <= count;
        while let Some(layer) = self.layers[..kept].last().filter(|layer| is_taken(layer, kept - 1, count)) {
            size += layer.size();
            if size > u32::MAX as usize {
                break;
            }
            count += layer.len();
            kept -= 1;
        }
        if count == 0 {
            return Ok(self.layers.clone());
        }
        let seed = self.layers.first().map_or_else(Seed::random, |layer| layer.seed);
        let mut draft = LayerBuilder::new(seed, count, stems);
        for layer in &self.layers[kept..] {
            draft.extend(layer)?;
        }
        self.recent.names().for_each(|name| draft.push(name));
        let mut layers = self.layers[..kept].to_vec();
        layers.push(Arc::new(draft.finish()?));
        Ok(layers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::layout::Layout;

    #[test]
    fn names_keep_their_numbers_through_layers() {
        let mut lexicon = TermDictionary::default();
        let stems = StemSettings { layout: Layout::default(), languages: &[Language::English] };
        for (round, count) in [5000_u32, 100, 3, 40, 2000, 9000].into_iter().enumerate() {
            for _ in 0..count {
                let number = lexicon.len() as u32;
                let name = number.to_string();
                assert_eq!((lexicon.find(&name), lexicon.add(&name)), (Ok(None), number));
            }
            lexicon = TermDictionary::new(lexicon.freeze(stems).unwrap());
            let expected = [1, 2, 3, 3, 2, 1][round];
            assert_eq!(lexicon.layers().len(), expected, "a layer takes up those that are not much larger");
        }
        let mut next = 0;
        lexicon
            .each(|name| {
                assert_eq!((name.parse(), lexicon.find(name)), (Ok(next), Ok(Some(next))));
                next += 1;
            })
            .unwrap();
        assert_eq!((next as usize, lexicon.find("x"), lexicon.find("")), (lexicon.len(), Ok(None), Ok(None)));
    }
}
