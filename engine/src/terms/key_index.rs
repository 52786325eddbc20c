//! The terms of a dictionary by their keys (see [`crate::terms::keys`]).

use std::cell::RefCell;
use std::ops::{Range, RangeInclusive};
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::available_parallelism;

use foldhash::HashMap;

use crate::error::Error;
use crate::index::layout::{Layout, TermKind};
use crate::terms::dictionary::TermDictionary;
use crate::terms::keys::KeyKind;

/// A layer takes up those before it that have at most this many times its entries, so that there
/// are few layers, and an entry is moved once per doubling.
const PART: usize = 2;

/// The mean number of entries that a key is compared with.
const ENTRIES_PER_START: usize = 4;

/// At most 2^22 starts: 16 MB.
const MAX_START_BITS: u32 = 22;

/// Terms whose keys are worth a thread of their own.
const TERMS_PER_THREAD: u32 = 1 << 15;

thread_local! {
    /// For each term, the number of wanted keys that it has: all 0 between two uses.
    static SHARED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Consecutive terms by their keys.
#[derive(Debug)]
struct KeyLayer {
    /// One past the last term.
    end: u32,
    /// Key and term id, in the order of the first bits of the keys.
    entries: Vec<(u32, u32)>,
    /// For each value of these bits, the place of its first entry; the last element is the end.
    starts: Vec<u32>,
    /// The number of the other bits.
    shift: u32,
    /// The number of keys of each term from `first` on.
    first: u32,
    counts: Vec<u8>,
}

impl KeyLayer {
    /// The terms with a key in a range.
    fn between(&self, first: u32, last: u32) -> impl Iterator<Item = u32> + '_ {
        let start = self.starts[(first >> self.shift) as usize] as usize;
        let end = self.starts[(last >> self.shift) as usize + 1] as usize;
        let is_between = move |&&(key, _): &&(u32, u32)| first <= key && key <= last;
        self.entries[start..end].iter().filter(is_between).map(|&(_, id)| id)
    }

    /// The terms with a key.
    fn of(&self, key: u32) -> impl Iterator<Item = u32> + '_ {
        self.between(key, key)
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
        range: RangeInclusive<u32>,
        mut each: impl FnMut(u32) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for layer in self.layers(dictionary, layout, kind)? {
            for id in layer.between(*range.start(), *range.end()) {
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
        let end = covered.max(dictionary.len() as u32); // a later state may have come before
        let threads = match (end - covered) / TERMS_PER_THREAD {
            0 | 1 => 1,
            // the number of cores is read from files: not in every search
            most => available_parallelism().map_or(1, |cores| most.min(cores.get() as u32)),
        };
        if threads > 1 {
            let bound =
                |thread: u32| covered + (u64::from(end - covered) * u64::from(thread) / u64::from(threads)) as u32;
            let found: Vec<Result<Keys, Error>> = std::thread::scope(|scope| {
                let spawn =
                    |thread| scope.spawn(move || Keys::new(dictionary, layout, kind, bound(thread)..bound(thread + 1)));
                let handles: Vec<_> = (0..threads).map(spawn).collect();
                handles.into_iter().map(|handle| handle.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
            });
            for keys in found {
                layers.push(Arc::new(keys?.into_layer()));
            }
        } else if covered < end {
            let mut keys = Keys::new(dictionary, layout, kind, covered..end)?;
            while let Some(last) = layers.pop_if(|last| last.entries.len() <= PART * keys.entries.len()) {
                keys.entries.extend_from_slice(&last.entries);
                keys.counts.splice(0..0, last.counts.iter().copied());
                keys.terms.start = last.first;
            }
            layers.push(Arc::new(keys.into_layer()));
        }
        Ok(layers.clone())
    }
}

/// The keys of consecutive terms, in the order of the terms.
struct Keys {
    terms: Range<u32>,
    entries: Vec<(u32, u32)>,
    counts: Vec<u8>,
}

impl Keys {
    fn new(dictionary: &TermDictionary, layout: Layout, kind: KeyKind, terms: Range<u32>) -> Result<Self, Error> {
        let (mut entries, mut counts) = (Vec::with_capacity(terms.len()), Vec::with_capacity(terms.len()));
        let mut id = terms.start;
        let language = if let KeyKind::Stem(language) = kind { Some(language) } else { None };
        dictionary.each_in(terms.clone(), language, |name, stems| {
            let before = entries.len();
            let stem = stems.map(|stems| stems.next(layout.word(name)));
            match (stem, layout.kind(name)) {
                (Some(key), TermKind::Word(_)) => entries.push((key, id)),
                (Some(_), _) => {}
                (None, _) => kind.keys(layout, name, |key| entries.push((key, id))),
            }
            counts.push(u8::try_from(entries.len() - before).unwrap_or(u8::MAX));
            id += 1;
        })?;
        Ok(Keys { terms, entries, counts })
    }

    /// Sorts entries by the first bits of their keys: a few per value, if keys are evenly spread.
    fn into_layer(self) -> KeyLayer {
        let Keys { terms, entries: unsorted, counts } = self;
        let bits = (unsorted.len() / ENTRIES_PER_START).max(2).ilog2().min(MAX_START_BITS);
        let shift = u32::BITS - bits;
        let mut starts = vec![0_u32; (1 << bits) + 1];
        unsorted.iter().for_each(|&(key, _)| starts[(key >> shift) as usize + 1] += 1);
        for value in 0..1 << bits {
            starts[value + 1] += starts[value];
        }
        let (mut next, mut entries) = (starts.clone(), vec![(0, 0); unsorted.len()]);
        for entry in unsorted {
            let place = &mut next[(entry.0 >> shift) as usize];
            entries[*place as usize] = entry;
            *place += 1;
        }
        KeyLayer { end: terms.end, entries, starts, shift, first: terms.start, counts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::keys::hash;
    use crate::text::language::Language;

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
