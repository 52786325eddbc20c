//! The distinct terms of each document: what a removal needs to correct the statistics.

use crate::error::Error;
use crate::files::array::Array;

/// The most ones of a code; so many say that a distance of 32 bits follows.
const ESCAPE: u32 = 15;
/// By so many bits a distance is usually shorter than the number it leads to: terms are numbered as they come, so the
/// frequent ones have low numbers, and the rarer, the wider apart.
const SHORTER: u32 = 3;

/// Lists of term numbers. Each is ascending and kept as distances in Rice codes, the lowest bit of a byte first: as many
/// ones as the distance has wholes of 2^k, a zero, and the rest in k bits, where k depends on the number before. A list
/// begins with a byte; what is left of the last one is filled with ones.
#[derive(Debug, Default)]
pub struct Forward {
    pub bytes: Array<u8>,
    pub ends: Array<u32>,
}

/// Lists being written.
#[derive(Default)]
pub struct Draft {
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

impl Draft {
    /// Adds the list of the next document. `terms` are distinct; they are sorted here.
    pub fn push(&mut self, terms: &mut [u32]) {
        terms.sort_unstable();
        let (mut word, mut used, mut next) = (0_u64, 0, 0);
        for &term in terms.iter() {
            let (distance, k) = (u64::from(term) - next, width(next));
            let wholes = (distance >> k).min(u64::from(ESCAPE)) as u32;
            let (rest, rest_bits, zero) =
                if wholes < ESCAPE { (distance & ((1 << k) - 1), k, 1) } else { (distance, 32, 0) };
            word |= (((1 << wholes) - 1) | rest << (wholes + zero)) << used;
            used += wholes + zero + rest_bits;
            while used >= 8 {
                self.bytes.push(word as u8);
                (word, used) = (word >> 8, used - 8);
            }
            next = u64::from(term) + 1;
        }
        if used > 0 {
            self.bytes.push((word | u64::MAX << used) as u8);
        }
        self.ends.push(self.bytes.len() as u32);
    }

    /// The lists.
    pub fn finish(self) -> Forward {
        Forward { bytes: self.bytes.into(), ends: self.ends.into() }
    }
}

impl Forward {
    /// The terms of a document, ascending.
    pub fn terms(&self, document: u32) -> Result<impl Iterator<Item = u32> + '_, Error> {
        let at = document as usize;
        let start = if at == 0 { 0 } else { self.ends.at(at - 1)? };
        let bytes = self.bytes.get(start as usize..self.ends.at(at)? as usize)?;
        let (mut bit, mut next) = (0, 0);
        Ok(std::iter::from_fn(move || {
            let word = word_at(bytes, bit)?;
            let (wholes, k) = (word.trailing_ones(), width(next));
            let (distance, bits) = if wholes < ESCAPE {
                let rest = word >> (wholes + 1) & ((1 << k) - 1);
                (u64::from(wholes) << k | rest, wholes + 1 + k)
            } else {
                (word >> ESCAPE & u64::from(u32::MAX), ESCAPE + 32)
            };
            bit += bits as usize;
            let term = u32::try_from(next + distance).ok().filter(|_| bit <= bytes.len() * 8)?;
            next = u64::from(term) + 1;
            Some(term)
        }))
    }
}

/// The bits of the rest of a distance from `next` on.
fn width(next: u64) -> u32 {
    (u64::BITS - next.leading_zeros()).saturating_sub(SHORTER)
}

/// The bits from `bit` on, at least 57, those past the end set; none if there is nothing but filling.
#[inline]
fn word_at(bytes: &[u8], bit: usize) -> Option<u64> {
    let left = &bytes[bit / 8..];
    let word = match left.first_chunk() {
        Some(&eight) => u64::from_le_bytes(eight),
        None => left.iter().rev().fold(u64::MAX, |word, &byte| word << 8 | u64::from(byte)),
    };
    let word = word >> (bit % 8) | !(u64::MAX >> (bit % 8));
    (bytes.len() * 8 - bit >= 8 || !word != 0).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::Draft;

    #[test]
    fn numbers_of_every_size_are_read_back() {
        let mut forward = Draft::default();
        forward.push(&mut [u32::MAX, 0, 300, 127, 128, 16_384, 16_383]);
        forward.push(&mut []);
        forward.push(&mut [5]);
        let forward = forward.finish();
        assert_eq!(forward.terms(0).unwrap().collect::<Vec<_>>(), [0, 127, 128, 300, 16_383, 16_384, u32::MAX]);
        assert_eq!(forward.terms(1).unwrap().count(), 0);
        assert_eq!(forward.terms(2).unwrap().collect::<Vec<_>>(), [5]);
    }
}
