//! Term numbers by the hashes of their names: an open hash table of eight bytes a place.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// Numbers of terms. They are only ever added, so all states of an index share a table: each passes over the numbers of
/// names that it does not have. A number is published with the state whose name it is, so no order is needed here.
#[derive(Debug, Default)]
pub(crate) struct TermTable {
    /// Half of a hash above a number plus one; 0 is free. The length is a power of two, at most two thirds are taken.
    places: Box<[AtomicU64]>,
    taken: AtomicUsize,
}

impl TermTable {
    /// The number for which `is_wanted` holds among those of a hash, or else the free place where it belongs.
    #[inline]
    pub(crate) fn probe(&self, hash: u32, is_wanted: impl Fn(u32) -> bool) -> Result<u32, usize> {
        let mask = self.places.len().wrapping_sub(1);
        let mut at = hash as usize & mask;
        while let Some(entry) = self.places.get(at).map(|place| place.load(Relaxed)).filter(|&entry| entry != 0) {
            let id = (entry as u32).wrapping_sub(1);
            if (entry >> 32) as u32 == hash && is_wanted(id) {
                return Ok(id);
            }
            at = (at + 1) & mask;
        }
        Err(at)
    }

    /// The free place where another number of this hash belongs.
    #[inline]
    pub(crate) fn free(&self, hash: u32) -> usize {
        self.probe(hash, |_| false).unwrap_err()
    }

    /// Puts a number at a free place.
    #[inline]
    pub(crate) fn put(&self, free: usize, hash: u32, id: u32) {
        self.places[free].store(u64::from(hash) << 32 | u64::from(id + 1), Relaxed);
        self.taken.store(self.taken.load(Relaxed) + 1, Relaxed); // there is one writer
    }

    /// A larger table of the first `len` numbers, if this one lacks room for so many more.
    pub(crate) fn grow(&self, len: usize, more: usize) -> Option<TermTable> {
        let wanted = |taken: usize| (taken + more) * 3 / 2 + 1;
        if wanted(self.taken.load(Relaxed)) <= self.places.len() {
            return None;
        }
        let count = wanted(len).next_power_of_two().max(16);
        let grown = TermTable {
            places: std::iter::repeat_with(AtomicU64::default).take(count).collect(),
            ..TermTable::default()
        };
        for entry in self.places.iter().map(|place| place.load(Relaxed)).filter(|&entry| entry != 0) {
            let id = entry as u32 - 1;
            if (id as usize) < len {
                let hash = (entry >> 32) as u32;
                grown.put(grown.free(hash), hash, id);
            }
        }
        Some(grown)
    }
}
