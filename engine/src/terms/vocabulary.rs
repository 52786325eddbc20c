//! The terms of a batch: names in one string, and a hash table.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;

use crate::terms::hash_table::TermTable;

/// Distinct names, numbered in the order of their arrival.
#[derive(Debug, Default)]
pub struct Vocabulary {
    hasher: RandomState,
    names: String,
    ends: Vec<usize>,
    table: TermTable,
}

impl Vocabulary {
    /// The number of names.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns true if there are no names.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The name of a term.
    #[inline]
    pub fn name(&self, id: u32) -> &str {
        let id = id as usize;
        let start = if id == 0 { 0 } else { self.ends[id - 1] };
        &self.names[start..self.ends[id]]
    }

    /// All names, by number.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        (0..self.len() as u32).map(|id| self.name(id))
    }

    /// The number of `name`, if it is known.
    pub fn find(&self, name: &str) -> Option<u32> {
        self.probe(self.hash(name), name).ok()
    }

    /// The id of `name`, new if needed.
    pub fn intern(&mut self, name: &str) -> u32 {
        let hash = self.hash(name);
        self.probe(hash, name).unwrap_or_else(|free| self.add(hash, name, free))
    }

    #[cold]
    fn add(&mut self, hash: u32, name: &str, free: usize) -> u32 {
        let id = self.ends.len() as u32;
        match self.table.grow(self.len(), 1) {
            None => self.table.put(free, hash, id),
            Some(grown) => {
                grown.put(grown.free(hash), hash, id);
                self.table = grown;
            }
        }
        self.names.push_str(name);
        self.ends.push(self.names.len());
        id
    }

    #[inline]
    fn hash(&self, name: &str) -> u32 {
        self.hasher.hash_one(name) as u32
    }

    /// The id of `name`, or else the free slot of the table where it belongs.
    #[inline]
    fn probe(&self, hash: u32, name: &str) -> Result<u32, usize> {
        self.table.probe(hash, |id| self.name(id) == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_numbers_as_the_table_grows() {
        let mut vocabulary = Vocabulary::default();
        assert_eq!(vocabulary.find("0"), None);
        for round in 0..2 {
            for id in 0..10_000 {
                assert_eq!(vocabulary.intern(&id.to_string()), id, "round {round}");
            }
        }
        assert_eq!((vocabulary.len(), vocabulary.find("9999"), vocabulary.find("x")), (10_000, Some(9999), None));
        assert_eq!((vocabulary.intern(""), vocabulary.name(10_000)), (10_000, ""));
    }
}
