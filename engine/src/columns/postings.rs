//! The sets of document ids of all values of a column.

use roaring::{MultiOps, RoaringBitmap, RoaringTreemap};

use super::doc_id_set::DocIdSet;

/// Loose document ids are united as bits, unless there are fewer than one per this many bits.
const DOC_IDS_PER_WORD: u64 = 16;

/// Postings by the number of a value.
#[derive(Debug, Default)]
pub struct Postings(Vec<DocIdSet>);

impl Postings {
    /// The number of values.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if nothing was ever added.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a document id to a value, which may be new.
    pub fn insert(&mut self, value: u32, doc_id: u64) {
        let at = value as usize;
        if at >= self.0.len() {
            self.0.resize_with(at + 1, DocIdSet::default);
        }
        self.0[at].insert(doc_id);
    }

    /// Takes a document id from a value, if it is there.
    pub fn remove(&mut self, value: u32, doc_id: u64) {
        if let Some(posting) = self.0.get_mut(value as usize) {
            posting.remove(doc_id);
        }
    }

    /// Keeps these values, renumbered in this order, and drops the others.
    pub fn keep(&mut self, values: &[u32]) {
        let kept = values.iter().map(|&value| self.0.get_mut(value as usize).map(std::mem::take).unwrap_or_default());
        self.0 = kept.collect();
    }

    /// The union of the sets of some values; an unknown value has an empty set.
    pub fn union(&self, values: &[u32]) -> RoaringTreemap {
        let mut many = Vec::new();
        let mut loose = Vec::new();
        for posting in values.iter().filter_map(|&value| self.0.get(value as usize)) {
            match posting {
                DocIdSet::Few(doc_ids) => loose.extend_from_slice(doc_ids),
                DocIdSet::Many(doc_ids) => many.push(doc_ids.as_ref()),
            }
        }
        let united = many.union();
        if loose.is_empty() {
            return united;
        }
        united | set_of(loose)
    }
}

/// The set of document ids in any order.
fn set_of(mut doc_ids: Vec<u64>) -> RoaringTreemap {
    let (Some(&low), Some(&high)) = (doc_ids.iter().min(), doc_ids.iter().max()) else { return RoaringTreemap::new() };
    let dense = (high - low) / 64 < DOC_IDS_PER_WORD * doc_ids.len() as u64;
    if !dense || low >> 32 != high >> 32 {
        doc_ids.sort_unstable();
        return doc_ids.into_iter().collect();
    }
    let first = low as u32 / 64 * 64;
    let mut bytes = vec![0u8; ((high as u32 - first) / 64 + 1) as usize * 8];
    for doc_id in doc_ids {
        let bit = doc_id as u32 - first;
        bytes[bit as usize / 8] |= 1 << (bit % 8);
    }
    RoaringTreemap::from_bitmaps([((low >> 32) as u32, RoaringBitmap::from_lsb0_bytes(first, &bytes))])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Postings in which value `v` has the document ids below 9,000, moved by `base`, that a
    /// multiple of `v + 1` steps reach.
    fn postings(base: u64) -> (Postings, Vec<BTreeSet<u64>>) {
        let (mut postings, mut model) = (Postings::default(), vec![BTreeSet::new(); 400]);
        for value in (0..400u32).rev() {
            for step in 0..9000 / (u64::from(value) * 20 + 1) {
                let doc_id = base + step * (u64::from(value) * 20 + 1);
                postings.insert(value, doc_id);
                postings.insert(value, doc_id);
                model[value as usize].insert(doc_id);
            }
        }
        (postings, model)
    }

    #[test]
    fn a_union_is_that_of_sets() {
        for base in [0, 7, (1 << 32) - 4000, 1 << 40, u64::MAX - 9000] {
            let (postings, model) = postings(base);
            for values in [&[][..], &[0], &[399], &[399, 3, 250, 1000], &[5, 5, 0]] {
                let known = values.iter().filter_map(|&value| model.get(value as usize));
                let expected: BTreeSet<u64> = known.flatten().copied().collect();
                assert!(postings.union(values).iter().eq(expected), "{values:?} at {base}");
            }
        }
    }

    #[test]
    fn far_apart_slots_make_no_large_set() {
        let mut postings = Postings::default();
        [0, u64::MAX, 1 << 33, 4_000_000_000].into_iter().for_each(|doc_id| postings.insert(2, doc_id));
        assert!(postings.union(&[2]).iter().eq([0, 4_000_000_000, 1 << 33, u64::MAX]));
    }

    #[test]
    fn kept_values_have_the_numbers_of_their_order() {
        let (mut postings, model) = postings(7);
        postings.keep(&[3, 399, 250, 5000]);
        assert_eq!(postings.len(), 4);
        for (number, value) in [3, 399, 250].into_iter().enumerate() {
            assert!(postings.union(&[number as u32]).iter().eq(model[value].iter().copied()));
        }
        assert!(postings.union(&[3, 4, 399]).is_empty());
        postings.insert(4, 1);
        assert!(postings.union(&[4]).iter().eq([1]));
    }

    #[test]
    fn removed_values_are_gone() {
        let (mut postings, _) = postings(0);
        for doc_id in 0..9000 {
            postings.remove(0, doc_id);
            postings.remove(300, doc_id);
        }
        postings.remove(5000, 1);
        assert!(postings.union(&[0, 300]).is_empty());
    }
}
