//! Terms that are in no layer yet, as a persistent (structure-sharing) list.

use std::hash::BuildHasher;
use std::sync::Arc;

use foldhash::fast::RandomState;

use crate::index::persistent::PersistentVec;
use crate::terms::hash_table::TermTable;

/// Names per block: adding a name copies the last block.
const BLOCK: usize = 64;

/// Distinct names, numbered in order of arrival. A clone is cheap, and is unaffected by later
/// additions.
#[derive(Clone, Debug, Default)]
pub(crate) struct RecentTerms {
    hasher: RandomState,
    blocks: PersistentVec<Arc<Block>, 16>,
    len: usize,
    /// The total length of all names in bytes.
    size: usize,
    table: Arc<TermTable>,
}

#[derive(Clone, Debug, Default)]
struct Block {
    names: String,
    ends: Vec<usize>,
}

impl Block {
    #[inline]
    fn name(&self, at: usize) -> &str {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.names[start..self.ends[at]]
    }
}

impl RecentTerms {
    /// The number of names.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The total length of all names in bytes.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// The name of a number.
    pub(crate) fn name(&self, id: u32) -> &str {
        self.blocks[id as usize / BLOCK].name(id as usize % BLOCK)
    }

    /// All names, by number.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.blocks.iter().flat_map(|block| (0..block.ends.len()).map(|at| block.name(at)))
    }

    /// The number of `name`, if it is known.
    #[inline]
    pub(crate) fn find(&self, name: &str) -> Option<u32> {
        self.probe(self.hash(name), name).ok()
    }

    /// Adds a name that is not known, and returns its number.
    pub(crate) fn add(&mut self, name: &str) -> u32 {
        self.reserve(1);
        let (hash, id) = (self.hash(name), self.len as u32);
        self.table.put(self.table.free(hash), hash, id);
        if self.len.is_multiple_of(BLOCK) {
            self.blocks.extend([Arc::default()]);
        }
        if let Some(last) = self.blocks.get_mut(self.len / BLOCK) {
            let block = Arc::make_mut(last);
            block.names.push_str(name);
            block.ends.push(block.names.len());
        }
        self.len += 1;
        self.size += name.len();
        id
    }

    /// Reserves capacity for `more` names.
    pub(crate) fn reserve(&mut self, more: usize) {
        if let Some(grown) = self.table.grow(self.len, more) {
            self.table = Arc::new(grown);
        }
    }

    #[inline]
    fn hash(&self, name: &str) -> u32 {
        self.hasher.hash_one(name) as u32
    }

    #[inline]
    fn probe(&self, hash: u32, name: &str) -> Result<u32, usize> {
        let is_name = |id: usize| self.blocks[id / BLOCK].name(id % BLOCK) == name;
        self.table.probe(hash, |id| (id as usize) < self.len && is_name(id as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_knows_its_own_names_only() {
        let mut states = vec![RecentTerms::default()];
        for round in 0..30_usize {
            let mut next = states[round].clone();
            for name in 0..round * 37 {
                let name = format!("{round} {name}");
                assert_eq!((next.find(&name), next.add(&name) as usize), (None, next.len() - 1));
            }
            states.push(next);
        }
        let all: Vec<&str> = states[30].names().collect();
        for state in &states {
            assert!(state.names().eq(all[..state.len()].iter().copied()));
            assert_eq!(state.size(), all[..state.len()].iter().map(|name| name.len()).sum::<usize>());
            for (number, name) in all.iter().enumerate() {
                assert_eq!(state.find(name), (number < state.len()).then_some(number as u32), "{name}");
            }
        }
    }

    #[test]
    fn names_of_a_write_that_died_are_not_found() {
        let mut whole = RecentTerms::default();
        whole.add("kept");
        let mut died = whole.clone();
        (0..1000).for_each(|name| _ = died.add(&format!("lost {name}")));
        whole.reserve(10);
        for name in 0..1000 {
            let name = format!("new {name}");
            let number = whole.add(&name);
            assert_eq!((whole.find(&name), died.find(&name)), (Some(number), None));
        }
        assert_eq!((whole.find("lost 7"), whole.find("kept"), died.find("lost 7")), (None, Some(0), Some(8)));
    }
}
