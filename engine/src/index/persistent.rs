//! A persistent vector: copies share memory, and a change copies one block per level.

use std::ops::Index;
use std::sync::Arc;

/// Leaves per branch: few, as copying a branch increments the reference count of each.
const FANOUT: usize = 16;

type Leaf<T> = Arc<[T]>;
type Branch<T> = Arc<[Leaf<T>]>;

/// Items in leaves of `LEAF` items. A copy costs a pointer per branch; changing an item of a copy
/// costs a leaf and a branch.
#[derive(Clone, Debug)]
pub struct PersistentVec<T, const LEAF: usize = 256> {
    branches: Vec<Branch<T>>,
    len: usize,
}

impl<T, const LEAF: usize> Default for PersistentVec<T, LEAF> {
    fn default() -> Self {
        PersistentVec { branches: Vec::new(), len: 0 }
    }
}

impl<T, const LEAF: usize> PersistentVec<T, LEAF> {
    /// The number of items.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns true if there are no items.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// All items.
    pub fn iter(&self) -> impl Iterator<Item = &T> + '_ {
        self.branches.iter().flat_map(|leaves| leaves.iter()).flat_map(|items| items.iter())
    }
}

impl<T, const LEAF: usize> Index<usize> for PersistentVec<T, LEAF> {
    type Output = T;

    #[inline]
    fn index(&self, item: usize) -> &T {
        &self.branches[item / LEAF / FANOUT][item / LEAF % FANOUT][item % LEAF]
    }
}

impl<T: Clone, const LEAF: usize> PersistentVec<T, LEAF> {
    /// Mutable access to an item. Copies of the vector keep theirs.
    #[inline]
    pub fn get_mut(&mut self, item: usize) -> Option<&mut T> {
        let leaves = Arc::make_mut(self.branches.get_mut(item / LEAF / FANOUT)?);
        Arc::make_mut(leaves.get_mut(item / LEAF % FANOUT)?).get_mut(item % LEAF)
    }
}

impl<T: Clone, const LEAF: usize> Extend<T> for PersistentVec<T, LEAF> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        let mut items = items.into_iter().peekable();
        while items.peek().is_some() {
            if self.len.is_multiple_of(LEAF * FANOUT) {
                self.branches.push(Arc::default());
            }
            let last = self.branches.len() - 1;
            let leaves = &self.branches[last];
            let (full, open) = leaves.split_at(self.len / LEAF % FANOUT);
            let kept = open.iter().flat_map(|items| items.iter().cloned());
            let leaf: Leaf<T> = kept.chain(items.by_ref()).take(LEAF).collect();
            self.len = (last * FANOUT + full.len()) * LEAF + leaf.len();
            self.branches[last] = full.iter().cloned().chain([leaf]).collect();
        }
    }
}

impl<T: Clone, const LEAF: usize> From<&[T]> for PersistentVec<T, LEAF> {
    fn from(items: &[T]) -> Self {
        let leaves: Vec<Leaf<T>> = items.chunks(LEAF).map(Arc::from).collect();
        PersistentVec { branches: leaves.chunks(FANOUT).map(Arc::from).collect(), len: items.len() }
    }
}

impl<T: Clone, const LEAF: usize> FromIterator<T> for PersistentVec<T, LEAF> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut all = PersistentVec::default();
        all.extend(items);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_keep_their_items_while_another_changes() {
        let mut versions = vec![PersistentVec::<u32, 8>::default()];
        let mut expected: Vec<Vec<u32>> = vec![Vec::new()];
        for step in 0..40_u32 {
            let (mut next, mut plain) = (versions[step as usize].clone(), expected[step as usize].clone());
            next.extend(0..step * step);
            plain.extend(0..step * step);
            for at in (0..plain.len()).step_by(97) {
                *next.get_mut(at).unwrap() += step;
                plain[at] += step;
            }
            versions.push(next);
            expected.push(plain);
        }
        assert!(expected[40].len() > FANOUT * 8 * 4, "it has several branches");
        for (version, plain) in versions.iter_mut().zip(&expected) {
            assert!(version.iter().eq(plain));
            assert_eq!(plain.iter().copied().collect::<PersistentVec<u32, 8>>().iter().count(), plain.len());
            assert!(PersistentVec::<u32, 8>::from(&plain[..]).iter().eq(plain.iter()));
            assert!((0..plain.len()).all(|at| version[at] == plain[at]));
            assert_eq!(version.get_mut(plain.len()), None);
        }
    }

    #[test]
    fn a_vector_made_at_once_can_grow() {
        for count in [0, 1, 7, 8, 8 * FANOUT, 8 * FANOUT + 1, 8 * FANOUT - 1] {
            let mut numbers: PersistentVec<usize, 8> = (0..count).collect();
            (count..count + 200).for_each(|number| numbers.extend([number]));
            assert!(numbers.iter().copied().eq(0..count + 200), "{count}");
        }
    }
}
