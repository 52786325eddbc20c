//! The distinct terms of each document: a deletion needs them to update the statistics.

use crate::error::Error;
use crate::files::array::Array;
use crate::postings::packing::{Packer, Unpacker};

/// A distance is usually this many bits shorter than the term id it leads to: terms are numbered in
/// order of appearance, so frequent terms have low ids and rare ones are far apart.
const SHORTER: u32 = 3;

/// Lists of ascending term ordinals, delta encoded (see [`crate::postings::packing`]). Each list
/// starts at a byte boundary.
#[derive(Debug, Default)]
pub struct Forward {
    /// The encoded lists.
    pub bytes: Array<u8>,
    /// End of the list of each document in `bytes`.
    pub ends: Array<u32>,
}

/// Lists under construction.
#[derive(Default)]
pub struct ForwardBuilder {
    packer: Packer,
    ends: Vec<u32>,
}

impl ForwardBuilder {
    /// Adds the list of the next document. `terms` are distinct; they are sorted here.
    pub fn push(&mut self, terms: &mut [u32]) {
        terms.sort_unstable();
        let mut next = 0;
        for &term in terms.iter() {
            self.packer.push_distance(u64::from(term) - next, width(next));
            next = u64::from(term) + 1;
        }
        self.ends.push(self.packer.align() as u32);
    }

    /// The lists.
    pub fn finish(self) -> Forward {
        Forward { bytes: self.packer.bytes.into(), ends: self.ends.into() }
    }
}

impl Forward {
    /// The terms of a document, ascending.
    pub fn terms(&self, document: u32) -> Result<impl Iterator<Item = u32> + '_, Error> {
        let at = document as usize;
        let start = if at == 0 { 0 } else { self.ends.at(at - 1)? };
        let mut bits = Unpacker::new(self.bytes.get(start as usize..self.ends.at(at)? as usize)?);
        let mut next = 0;
        Ok(std::iter::from_fn(move || {
            let term = u32::try_from(next + bits.next_distance(width(next))?).ok()?;
            next = u64::from(term) + 1;
            Some(term)
        }))
    }
}

/// The Rice parameter of the distance from `next`.
fn width(next: u64) -> u32 {
    (u64::BITS - next.leading_zeros()).saturating_sub(SHORTER)
}

#[cfg(test)]
mod tests {
    use super::ForwardBuilder;

    #[test]
    fn numbers_of_every_size_are_read_back() {
        let mut forward = ForwardBuilder::default();
        forward.push(&mut [u32::MAX, 0, 300, 127, 128, 16_384, 16_383]);
        forward.push(&mut []);
        forward.push(&mut [5]);
        let forward = forward.finish();
        assert_eq!(forward.terms(0).unwrap().collect::<Vec<_>>(), [0, 127, 128, 300, 16_383, 16_384, u32::MAX]);
        assert_eq!(forward.terms(1).unwrap().count(), 0);
        assert_eq!(forward.terms(2).unwrap().collect::<Vec<_>>(), [5]);
    }
}
