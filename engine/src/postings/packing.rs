//! Bit packing, the lowest bit of a byte first.
//!
//! Distances are Rice codes (Rice and Plaunt, 1971): the quotient by 2^k in unary, a zero, and the
//! remainder in k bits. Fifteen ones are an escape: the distance follows in 32 bits. The last byte
//! is padded with ones.

/// The maximum unary part of a code.
const ESCAPE: u32 = 15;
/// Upper bound of k: a code without escape then has at most 32 bits.
const SHORT: u32 = 32 - ESCAPE;

/// Bit writer.
#[derive(Default)]
pub(crate) struct Packer {
    pub bytes: Vec<u8>,
    word: u64,
    used: u32,
}

impl Packer {
    /// Adds the low `width` bits of a number, at most 32.
    #[inline(always)] // so that its state stays in registers
    pub(crate) fn push(&mut self, number: u64, bits: u32) {
        self.word |= number << self.used;
        self.used += bits;
        if self.used >= 32 {
            self.bytes.extend_from_slice(&(self.word as u32).to_le_bytes());
            (self.word, self.used) = (self.word >> 32, self.used - 32);
        }
    }

    /// Adds a distance of at most 32 bits.
    #[inline(always)]
    pub(crate) fn push_distance(&mut self, distance: u64, k: u32) {
        let (wholes, rest) = (distance >> k, distance & ((1 << k) - 1));
        if k <= SHORT && wholes < u64::from(ESCAPE) {
            // the ones, a zero and the remainder above them, by one shift
            self.push(((rest * 2 + 1) << wholes) - 1, wholes as u32 + 1 + k);
        } else if wholes < u64::from(ESCAPE) {
            self.push((1 << wholes) - 1, wholes as u32 + 1);
            self.push(rest, k);
        } else {
            self.push((1 << ESCAPE) - 1, ESCAPE);
            self.push(distance, 32);
        }
    }

    /// Pads the last byte, and returns the number of bytes.
    pub(crate) fn align(&mut self) -> usize {
        let filled = self.word | u64::MAX << self.used;
        self.bytes.extend_from_slice(&filled.to_le_bytes()[..self.used.div_ceil(8) as usize]);
        (self.word, self.used) = (0, 0);
        self.bytes.len()
    }
}

/// Bit reader. Past the end, all bits are set.
pub(crate) struct Unpacker<'a> {
    bytes: &'a [u8],
    bit: usize,
}

impl<'a> Unpacker<'a> {
    /// Starts at the first bit of `bytes`.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Unpacker { bytes, bit: 0 }
    }

    /// The next bits, at least 57.
    #[inline]
    fn word(&self) -> u64 {
        let left = self.bytes.get(self.bit / 8..).unwrap_or_default();
        let word = match left.first_chunk() {
            Some(&eight) => u64::from_le_bytes(eight),
            None => left.iter().rev().fold(u64::MAX, |word, &byte| word << 8 | u64::from(byte)),
        };
        word >> (self.bit % 8)
    }

    /// The next number of `width` bits, at most 48.
    #[inline]
    pub(crate) fn take(&mut self, bits: u32) -> u64 {
        let number = self.word() & ((1 << bits) - 1);
        self.bit += bits as usize;
        number
    }

    /// The next distance.
    #[inline]
    pub(crate) fn take_distance(&mut self, k: u32) -> u64 {
        self.distance(self.word(), k)
    }

    /// The next distance, unless only padding is left.
    #[inline]
    pub(crate) fn next_distance(&mut self, k: u32) -> Option<u64> {
        let (word, left) = (self.word(), (self.bytes.len() * 8).saturating_sub(self.bit));
        if left < 8 && word | u64::MAX << left == u64::MAX {
            return None;
        }
        Some(self.distance(word, k))
    }

    #[inline]
    fn distance(&mut self, word: u64, k: u32) -> u64 {
        let wholes = word.trailing_ones();
        if wholes < ESCAPE {
            self.bit += (wholes + 1 + k) as usize;
            u64::from(wholes) << k | (word >> (wholes + 1) & ((1 << k) - 1))
        } else {
            self.bit += ESCAPE as usize;
            self.take(32)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_distances_come_back() {
        let mut packer = Packer::default();
        let distances: Vec<(u64, u32)> =
            (0..2000).map(|i: u64| (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (32 + i % 32), (i % 33) as u32)).collect();
        for &(distance, k) in &distances {
            packer.push_distance(distance, k);
            packer.push(distance & 0x3FF, 10);
        }
        packer.align();
        let mut unpacker = Unpacker::new(&packer.bytes);
        for &(distance, k) in &distances {
            assert_eq!((unpacker.next_distance(k), unpacker.take(10)), (Some(distance), distance & 0x3FF));
        }
        assert_eq!(unpacker.next_distance(0), None);
        assert_eq!((unpacker.take(3), unpacker.take(48)), (7, (1 << 48) - 1), "past the end");
    }
}
