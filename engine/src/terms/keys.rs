//! Terms by keys: the stem of the word in one language, its character n-grams, its start, or the
//! rest of it without one letter. So the other forms of a query word are found, the words that
//! resemble it or begin with it, and those that a typing mistake makes it from.

use std::borrow::Cow;
use std::cell::RefCell;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use foldhash::quality::FixedState;
use foldhash::HashMap;

use crate::error::Error;
use crate::index::layout::{Layout, TermKind};
use crate::terms::dictionary::TermDictionary;
use crate::text::language::Language;
use crate::text::scripts::{class, Class};

/// A layer takes up those before it that have at most this many times its entries, so that there
/// are few layers, and an entry is moved once per doubling.
const PART: usize = 2;

/// The length of an n-gram in characters.
const GRAM: usize = 4;

/// A key of terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum KeyKind {
    /// The stem of a word.
    Stem(Language),
    /// The n-grams of a word of the first field.
    Grams,
    /// The first bytes of a word.
    Start,
    /// A short word of the first field, whole and without each of its letters (W. Garbe's
    /// `SymSpell`).
    Deletions,
}

impl KeyKind {
    /// Calls `each` with the keys of a name.
    fn keys(self, layout: Layout, name: &str, mut each: impl FnMut(u32)) {
        match self {
            KeyKind::Stem(language) => {
                if matches!(layout.kind(name), TermKind::Word(_)) {
                    each(hash(&stem(language, layout.word(name))));
                }
            }
            KeyKind::Grams => {
                if layout.kind(name) == TermKind::Word(0) {
                    grams(layout.word(name)).into_iter().for_each(each);
                }
            }
            KeyKind::Start => {
                if matches!(layout.kind(name), TermKind::Word(_)) {
                    each(start(layout.word(name), 0));
                }
            }
            KeyKind::Deletions => {
                if layout.kind(name) == TermKind::Word(0) {
                    deletions(layout.word(name)).into_iter().for_each(each);
                }
            }
        }
    }
}

/// A longer word, in bytes, is its own stem: the time of a stem can grow with the square.
const MAX_STEMMED: usize = 256;

/// The stem of a word.
pub(crate) fn stem(language: Language, word: &str) -> Cow<'_, str> {
    if word.len() > MAX_STEMMED {
        return Cow::Borrowed(word);
    }
    language.stem(word)
}

/// The first bytes of a word as a number, in the order of words; `pad` stands for missing ones.
pub(crate) fn start(word: &str, pad: u8) -> u32 {
    let mut bytes = [pad; 4];
    bytes.iter_mut().zip(word.bytes()).for_each(|(byte, found)| *byte = found);
    u32::from_be_bytes(bytes)
}

/// The lengths of words with [`KeyKind::Deletions`]. N-grams miss mistakes in these; in longer
/// words they find them.
const MISTAKEN: std::ops::RangeInclusive<usize> = 3..=11;

/// The hashes of a word, and of the word without each of its letters, sorted; none for words that
/// are short, long, or not of letters with spaces between words.
pub(crate) fn deletions(word: &str) -> Vec<u32> {
    let count = word.chars().count();
    if !MISTAKEN.contains(&count) || !word.chars().all(|c| matches!(class(c), Class::Lower | Class::Mark)) {
        return Vec::new();
    }
    let without = |(at, c): (usize, char)| hash(&format!("{}{}", &word[..at], &word[at + c.len_utf8()..]));
    let mut found: Vec<u32> = word.char_indices().map(without).chain([hash(word)]).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The hash of a key; the same for every process, though no file holds it.
pub(crate) fn hash(key: &str) -> u32 {
    FixedState::default().hash_one(key) as u32
}

/// The hashes of the distinct n-grams of a word, sorted; a short word has none, nor has one with
/// more than a byte can count.
pub(crate) fn grams(word: &str) -> Vec<u32> {
    let mut starts: Vec<usize> = word.char_indices().map(|(at, _)| at).collect();
    starts.push(word.len());
    let mut found: Vec<u32> = starts.windows(GRAM + 1).map(|ends| hash(&word[ends[0]..ends[GRAM]])).collect();
    found.sort_unstable();
    found.dedup();
    if found.len() > usize::from(u8::MAX) {
        found.clear();
    }
    found
}

thread_local! {
    /// For each term, the number of wanted keys that it has: all 0 between two uses.
    static SHARED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Consecutive terms by their keys.
#[derive(Debug)]
struct KeyLayer {
    /// One past the last term.
    end: u32,
    /// Hash of the key and term id, sorted.
    entries: Vec<(u32, u32)>,
    /// The number of keys of each term from `first` on.
    first: u32,
    counts: Vec<u8>,
}

impl KeyLayer {
    /// The terms with a key of this hash.
    fn of(&self, hash: u32) -> impl Iterator<Item = u32> + '_ {
        // hashes are evenly spread, so the place of one is nearly known
        let (len, guess) = (self.entries.len(), ((u64::from(hash) * self.entries.len() as u64) >> 32) as usize);
        let (mut low, mut high, mut step) = (guess, guess, 8);
        while low > 0 && self.entries[low - 1].0 >= hash {
            low = low.saturating_sub(step);
            step *= 2;
        }
        step = 8;
        while high < len && self.entries[high].0 < hash {
            high = (high + step).min(len);
            step *= 2;
        }
        let first = low + self.entries[low..high].partition_point(|&(other, _)| other < hash);
        self.entries[first..].iter().take_while(move |&&(other, _)| other == hash).map(|&(_, id)| id)
    }
}

type Layers = Vec<Arc<KeyLayer>>;

/// The terms of a dictionary by their keys. Computed when a search needs them, once for a series of
/// states: each ignores the terms beyond its own dictionary.
#[derive(Default)]
pub(crate) struct KeyIndex(Arc<SharedKeys>);

#[derive(Default)]
struct SharedKeys {
    layers: Mutex<HashMap<KeyKind, Layers>>,
    /// The number of terms of the last state of the series.
    len: AtomicUsize,
}

impl KeyIndex {
    /// The same index, for a state with the same dictionary.
    pub(crate) fn share(&self) -> KeyIndex {
        KeyIndex(Arc::clone(&self.0))
    }

    /// The index for the next state, whose dictionary has `len` terms: the `before` terms of this
    /// one, and others. If this state already has a next one, the series divides here.
    pub(crate) fn next(&self, before: usize, len: usize) -> KeyIndex {
        if before == len || self.0.len.compare_exchange(before, len, Relaxed, Relaxed).is_ok() {
            return self.share();
        }
        let mut layers = self.0.layers.lock().unwrap_or_else(PoisonError::into_inner).clone();
        layers.values_mut().for_each(|layers| layers.retain(|layer| layer.end as usize <= before));
        KeyIndex(Arc::new(SharedKeys { layers: Mutex::new(layers), len: AtomicUsize::new(len) }))
    }

    /// Calls `each` with all terms that have a key of this hash.
    pub(crate) fn each(
        &self,
        (dictionary, layout): (&TermDictionary, Layout),
        kind: KeyKind,
        hashes: &[u32],
        mut each: impl FnMut(u32) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for layer in self.layers(dictionary, layout, kind)? {
            for &hash in hashes {
                for id in layer.of(hash).filter(|&id| (id as usize) < dictionary.len()) {
                    each(id)?;
                }
            }
        }
        Ok(())
    }

    /// Calls `each` with all terms that have a key in a range.
    pub(crate) fn each_between(
        &self,
        (dictionary, layout): (&TermDictionary, Layout),
        kind: KeyKind,
        range: std::ops::RangeInclusive<u32>,
        mut each: impl FnMut(u32) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for layer in self.layers(dictionary, layout, kind)? {
            let first = layer.entries.partition_point(|&(key, _)| key < *range.start());
            for &(_, id) in layer.entries[first..].iter().take_while(|&&(key, _)| key <= *range.end()) {
                if (id as usize) < dictionary.len() {
                    each(id)?;
                }
            }
        }
        Ok(())
    }

    /// The terms with at least `least` of the keys, each with their number and that of all its
    /// keys.
    pub(crate) fn sharing(
        &self,
        (dictionary, layout): (&TermDictionary, Layout),
        kind: KeyKind,
        hashes: &[u32],
        least: f64,
    ) -> Result<Vec<(u32, u8, u8)>, Error> {
        let mut found = Vec::new();
        for layer in self.layers(dictionary, layout, kind)? {
            SHARED.with_borrow_mut(|shared| {
                shared.resize(layer.counts.len().max(shared.len()), 0);
                let mut touched = Vec::new();
                for &hash in hashes {
                    for id in layer.of(hash) {
                        let count = &mut shared[(id - layer.first) as usize];
                        if *count == 0 {
                            touched.push(id);
                        }
                        *count = count.saturating_add(1);
                    }
                }
                for id in touched {
                    let at = (id - layer.first) as usize;
                    let count = std::mem::take(&mut shared[at]);
                    if f64::from(count) >= least && (id as usize) < dictionary.len() {
                        found.push((id, count, layer.counts[at]));
                    }
                }
            });
        }
        Ok(found)
    }

    /// The layers of all terms of a dictionary. New ones are computed under the lock, so only once.
    fn layers(&self, dictionary: &TermDictionary, layout: Layout, kind: KeyKind) -> Result<Layers, Error> {
        let mut all = self.0.layers.lock().unwrap_or_else(PoisonError::into_inner);
        let layers = all.entry(kind).or_default();
        let covered = layers.last().map_or(0, |layer| layer.end);
        let end = dictionary.len() as u32;
        if covered < end {
            let (mut entries, mut counts) = (Vec::with_capacity((end - covered) as usize), Vec::new());
            let (mut first, mut id) = (covered, covered);
            dictionary.each_from(covered, |name| {
                let before = entries.len();
                kind.keys(layout, name, |key| entries.push((key, id)));
                counts.push(u8::try_from(entries.len() - before).unwrap_or(u8::MAX));
                id += 1;
            })?;
            while let Some(last) = layers.pop_if(|last| last.entries.len() <= PART * entries.len()) {
                entries.extend_from_slice(&last.entries);
                counts.splice(0..0, last.counts.iter().copied());
                first = last.first;
            }
            entries.sort_unstable();
            entries.shrink_to_fit();
            layers.push(Arc::new(KeyLayer { end, entries, first, counts }));
        }
        Ok(layers.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dictionary(names: &[&str]) -> TermDictionary {
        let mut dictionary = TermDictionary::default();
        names.iter().for_each(|name| _ = dictionary.add(name));
        dictionary
    }

    fn forms(keys: &KeyIndex, dictionary: &TermDictionary) -> Vec<u32> {
        let mut found = Vec::new();
        let kind = KeyKind::Stem(Language::English);
        let all = (dictionary, Layout::default());
        keys.each(all, kind, &[hash("walk")], |id| {
            found.push(id);
            Ok(())
        })
        .unwrap();
        found.sort_unstable();
        found
    }

    #[test]
    fn states_of_a_series_share_keys_and_see_their_own_terms() {
        let (first, second) = (dictionary(&["walk", "sea"]), dictionary(&["walk", "sea", "walks"]));
        let other = dictionary(&["walk", "sea", "dog", "walked"]);
        let keys = KeyIndex::default().next(0, 2);
        let after = keys.next(2, 3);
        let beside = keys.next(2, 4);
        assert_eq!(forms(&after, &second), [0, 2]);
        assert_eq!(forms(&keys, &first), [0]);
        assert_eq!(forms(&beside, &other), [0, 3]);
        assert!(Arc::ptr_eq(&keys.0, &after.0) && !Arc::ptr_eq(&keys.0, &beside.0));
    }
}
