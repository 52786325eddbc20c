//! The document ids of a segment.

use crate::error::Error;
use crate::files::array::Array;

/// Ascending document ids, by document number.
#[derive(Debug)]
pub enum DocIds {
    /// The usual case: consecutive ids, nothing is stored.
    Run {
        /// The first id.
        first: u64,
        /// The number of documents.
        len: usize,
    },
    /// At least one id; the first and the last are cached.
    List {
        /// The first id.
        first: u64,
        /// The last id.
        last: u64,
        /// All ids.
        list: Array<u64>,
    },
}

impl Default for DocIds {
    fn default() -> Self {
        DocIds::Run { first: 0, len: 0 }
    }
}

impl From<Vec<u64>> for DocIds {
    fn from(list: Vec<u64>) -> Self {
        match list[..] {
            [] => DocIds::default(),
            [first, .., last] if last - first != list.len() as u64 - 1 => {
                DocIds::List { first, last, list: list.into() }
            }
            [first, ..] => DocIds::Run { first, len: list.len() },
        }
    }
}

impl DocIds {
    /// The number of documents.
    #[inline]
    pub fn len(&self) -> usize {
        match self {
            DocIds::Run { len, .. } => *len,
            DocIds::List { list, .. } => list.len(),
        }
    }

    /// Returns true if there are no documents.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The first document id. Requires a document.
    #[inline]
    pub fn first(&self) -> u64 {
        match self {
            DocIds::Run { first, .. } | DocIds::List { first, .. } => *first,
        }
    }

    /// The last document id. Requires a document.
    pub fn last(&self) -> u64 {
        match self {
            DocIds::Run { first, len } => first + (*len as u64 - 1),
            DocIds::List { last, .. } => *last,
        }
    }

    /// The id of a document.
    #[inline]
    pub fn at(&self, document: usize) -> Result<u64, Error> {
        match self {
            DocIds::Run { first, .. } => Ok(first + document as u64),
            DocIds::List { list, .. } => list.at(document),
        }
    }

    /// The document with an id.
    pub fn find(&self, doc_id: u64) -> Result<Option<u32>, Error> {
        Ok(match self {
            DocIds::Run { first, len } => doc_id.checked_sub(*first).filter(|&at| at < *len as u64).map(|at| at as u32),
            DocIds::List { list, .. } => list.search(&doc_id)?.map(|at| at as u32),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::DocIds;

    #[test]
    fn slots_are_found_with_and_without_gaps() {
        let (run, list) = (DocIds::from(vec![5, 6, 7]), DocIds::from(vec![5, 6, 7, 20]));
        assert!(matches!(run, DocIds::Run { .. }) && matches!(list, DocIds::List { .. }));
        let found = |doc_ids: &DocIds, wanted: [u64; 5]| wanted.map(|doc_id| doc_ids.find(doc_id).unwrap());
        assert_eq!(found(&run, [4, 5, 7, 8, u64::MAX]), [None, Some(0), Some(2), None, None]);
        assert_eq!(found(&list, [4, 5, 7, 8, 20]), [None, Some(0), Some(2), None, Some(3)]);
        assert_eq!((run.at(2), list.at(3), run.len(), list.len()), (Ok(7), Ok(20), 3, 4));
        assert_eq!((run.first(), run.last(), list.first(), list.last()), (5, 7, 5, 20));
    }
}
