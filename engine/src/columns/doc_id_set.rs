//! The set of document ids of one value.

use roaring::RoaringTreemap;

/// Up to this size a sorted list is smaller than a bitmap, and as fast.
const MAX_INLINE: usize = 32;

/// A set of document ids.
#[derive(Debug)]
pub(crate) enum DocIdSet {
    /// Sorted.
    Few(Vec<u64>),
    /// A bitmap.
    Many(Box<RoaringTreemap>),
}

impl Default for DocIdSet {
    fn default() -> Self {
        DocIdSet::Few(Vec::new())
    }
}

impl DocIdSet {
    /// Adds a document id, if it is not there yet.
    pub(crate) fn insert(&mut self, doc_id: u64) {
        match self {
            DocIdSet::Many(doc_ids) => {
                doc_ids.insert(doc_id);
            }
            DocIdSet::Few(doc_ids) => {
                let Err(at) = doc_ids.binary_search(&doc_id) else { return };
                if doc_ids.len() < MAX_INLINE {
                    doc_ids.insert(at, doc_id);
                } else {
                    let mut many: RoaringTreemap = doc_ids.iter().copied().collect();
                    many.insert(doc_id);
                    *self = DocIdSet::Many(Box::new(many));
                }
            }
        }
    }

    /// Takes a document id out, if it is there.
    pub(crate) fn remove(&mut self, doc_id: u64) {
        match self {
            DocIdSet::Many(doc_ids) => {
                doc_ids.remove(doc_id);
            }
            DocIdSet::Few(doc_ids) => {
                if let Ok(at) = doc_ids.binary_search(&doc_id) {
                    doc_ids.remove(at);
                }
            }
        }
    }
}
