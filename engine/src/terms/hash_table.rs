//! Open-addressing hash table from term names to term ids, eight bytes per slot.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// Term ids by hash. Ids are only ever added, so all states of an index share a table: each ignores
/// ids beyond its own length. An id becomes visible with the state that owns the name, so no memory
/// ordering is needed here.
#[derive(Debug, Default)]
pub(crate) struct TermTable {
    /// Half of a hash above an id plus one; 0 is free. The length is a power of two, at most two
    /// thirds are taken.
    places: Box<[AtomicU64]>,
    taken: AtomicUsize,
}

impl TermTable {
    /// The id among those of a hash for which `is_wanted` holds, or else the free slot where it
    /// belongs.
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

    /// The free slot for another id of this hash.
    #[inline]
    pub(crate) fn free(&self, hash: u32) -> usize {
        self.probe(hash, |_| false).unwrap_err()
    }

    /// Stores an id in a free slot.
    #[inline]
    pub(crate) fn put(&self, free: usize, hash: u32, id: u32) {
        self.places[free].store(u64::from(hash) << 32 | u64::from(id + 1), Relaxed);
        self.taken.store(self.taken.load(Relaxed) + 1, Relaxed); // there is one writer
    }

    /// A larger table of the first `len` ids, if this one lacks capacity for `more`.
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
