//! Terms by number: their names in one string, found by an open hash table of eight bytes a slot.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;

/// Distinct names, numbered in the order of their arrival.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    hasher: RandomState,
    names: String,
    ends: Vec<usize>,
    /// Half of a hash above a number plus one; 0 is free. The length is a power of two, at most two thirds are taken.
    table: Vec<u64>,
}

impl Vocabulary {
    /// How many names there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The bytes of all names.
    pub fn size(&self) -> usize {
        self.names.len()
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
        if self.table.is_empty() {
            return None;
        }
        self.probe(self.hash(name), name).ok()
    }

    /// The number of `name`, new if need be.
    pub fn intern(&mut self, name: &str) -> u32 {
        if self.table.is_empty() {
            self.reserve(1);
        }
        let hash = self.hash(name);
        self.probe(hash, name).unwrap_or_else(|free| self.add(hash, name, free))
    }

    #[cold]
    fn add(&mut self, hash: u32, name: &str, free: usize) -> u32 {
        let id = self.ends.len() as u32;
        self.table[free] = u64::from(hash) << 32 | u64::from(id + 1);
        self.names.push_str(name);
        self.ends.push(self.names.len());
        self.reserve(1);
        id
    }

    /// Makes room for so many more names.
    pub fn reserve(&mut self, more: usize) {
        let wanted = (self.ends.len() + more) * 3 / 2 + 1;
        if wanted <= self.table.len() {
            return;
        }
        let mut table = vec![0; wanted.next_power_of_two().max(16)];
        let mask = table.len() - 1;
        for &entry in self.table.iter().filter(|&&entry| entry != 0) {
            let mut at = (entry >> 32) as usize & mask;
            while table[at] != 0 {
                at = (at + 1) & mask;
            }
            table[at] = entry;
        }
        self.table = table;
    }

    #[inline]
    fn hash(&self, name: &str) -> u32 {
        self.hasher.hash_one(name) as u32
    }

    /// The number of `name`, or else the free place of the table where it belongs.
    #[inline]
    fn probe(&self, hash: u32, name: &str) -> Result<u32, usize> {
        let mask = self.table.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let entry = self.table[at];
            if entry == 0 {
                return Err(at);
            }
            let id = (entry as u32).wrapping_sub(1);
            if (entry >> 32) as u32 == hash && self.name(id) == name {
                return Ok(id);
            }
            at = (at + 1) & mask;
        }
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
