//! The slots of a segment's documents.

/// Ascending slots, by document number.
#[derive(Clone, Debug)]
pub enum Slots {
    /// As most segments have them: no gaps, nothing to store.
    Run {
        first: u64,
        len: usize,
    },
    List(Vec<u64>),
}

impl Default for Slots {
    fn default() -> Self {
        Slots::List(Vec::new())
    }
}

impl From<Vec<u64>> for Slots {
    fn from(mut list: Vec<u64>) -> Self {
        match list[..] {
            [first, .., last] if last - first == list.len() as u64 - 1 => Slots::Run { first, len: list.len() },
            _ => {
                list.shrink_to_fit();
                Slots::List(list)
            }
        }
    }
}

impl Slots {
    /// The number of documents.
    pub fn len(&self) -> usize {
        match self {
            Slots::Run { len, .. } => *len,
            Slots::List(list) => list.len(),
        }
    }

    /// Whether there are no documents.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The slot of a document.
    #[inline]
    pub fn at(&self, document: usize) -> u64 {
        match self {
            Slots::Run { first, .. } => first + document as u64,
            Slots::List(list) => list[document],
        }
    }

    /// The document in `slot`.
    pub fn find(&self, slot: u64) -> Option<u32> {
        match self {
            Slots::Run { first, len } => slot.checked_sub(*first).filter(|&at| at < *len as u64).map(|at| at as u32),
            Slots::List(list) => list.binary_search(&slot).ok().map(|at| at as u32),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Slots;

    #[test]
    fn slots_are_found_with_and_without_gaps() {
        let (run, list) = (Slots::from(vec![5, 6, 7]), Slots::from(vec![5, 6, 7, 20]));
        assert!(matches!(run, Slots::Run { .. }) && matches!(list, Slots::List(_)));
        assert_eq!([4, 5, 7, 8, u64::MAX].map(|slot| run.find(slot)), [None, Some(0), Some(2), None, None]);
        assert_eq!([4, 5, 7, 8, 20].map(|slot| list.find(slot)), [None, Some(0), Some(2), None, Some(3)]);
        assert_eq!((run.at(2), list.at(3), run.len(), list.len()), (7, 20, 3, 4));
    }
}
