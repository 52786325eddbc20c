//! A set of small numbers, one bit each.

/// Bits in words of 64; those past the end count as unset.
#[derive(Clone, Debug, Default)]
pub struct Bits(Vec<u64>);

impl Bits {
    /// `len` bits, none of them set.
    pub fn none(len: usize) -> Self {
        Bits(vec![0; len.div_ceil(64)])
    }

    /// `len` bits, all of them set.
    pub fn all(len: usize) -> Self {
        let mut words = vec![u64::MAX; len.div_ceil(64)];
        if let Some(last) = words.last_mut().filter(|_| !len.is_multiple_of(64)) {
            *last = (1 << (len % 64)) - 1;
        }
        Bits(words)
    }

    /// The bits of `bytes`, the lowest of a byte first.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let word = |chunk: &[u8]| chunk.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        Bits(bytes.chunks(8).map(word).collect())
    }

    /// `len` bits from bit `first` on.
    pub fn range(&self, first: usize, len: usize) -> Self {
        let (skip, shift) = (first / 64, first % 64);
        let word = |at: usize| self.0.get(at).copied().unwrap_or(0);
        let mut words: Vec<u64> = (skip..skip + len.div_ceil(64)).map(word).collect();
        if shift > 0 {
            for (at, low) in words.iter_mut().enumerate() {
                *low = *low >> shift | word(skip + at + 1) << (64 - shift);
            }
        }
        Bits(words)
    }

    /// `len` bits, with these shifted to start at bit `first`.
    pub fn moved(&self, first: usize, len: usize) -> Self {
        let (skip, shift) = (first / 64, first % 64);
        let word = |at: Option<usize>| at.and_then(|at| self.0.get(at)).copied().unwrap_or(0);
        let moved = |at: usize| {
            let low = at.checked_sub(skip);
            word(low) << shift
                | if shift > 0 { word(low.and_then(|low| low.checked_sub(1))) >> (64 - shift) } else { 0 }
        };
        Bits((0..len.div_ceil(64)).map(moved).collect())
    }

    /// Clears the bits that `other` has not set.
    pub fn retain(&mut self, other: &Bits) {
        for (at, word) in self.0.iter_mut().enumerate() {
            *word &= other.0.get(at).copied().unwrap_or(0);
        }
    }

    /// Sets bit `at`, growing as needed.
    pub fn set(&mut self, at: u32) {
        let word = at as usize / 64;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (at % 64);
    }

    /// Clears bit `at`.
    pub fn clear(&mut self, at: u32) {
        if let Some(word) = self.0.get_mut(at as usize / 64) {
            *word &= !(1 << (at % 64));
        }
    }

    /// The number of set bits.
    pub fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns true if a bit at or after `len` is set.
    pub fn beyond(&self, len: usize) -> bool {
        let tail = self.0.get(len / 64).is_some_and(|word| word >> (len % 64) != 0);
        tail || self.0.iter().skip(len / 64 + 1).any(|&word| word != 0)
    }

    /// The bits in bytes, the lowest of a byte first.
    pub fn bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// Returns true if bit `at` is set.
    #[inline]
    pub fn has(&self, at: u32) -> bool {
        self.0.get(at as usize / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::Bits;

    #[test]
    fn bits_past_the_end_are_unset() {
        let mut bits = Bits::none(1);
        bits.set(130);
        bits.clear(500);
        assert!(bits.has(130) && !bits.has(129) && !bits.has(4000));
        bits.clear(130);
        assert!(!bits.has(130));
        assert!(Bits::all(70).has(69) && !Bits::all(70).has(70) && !Bits::all(128).has(128));
    }

    #[test]
    fn a_range_has_the_bits_from_its_first_on_and_moved_bits_begin_there() {
        let bytes: Vec<u8> = (0..40_u16).map(|i| (i * 37 % 251) as u8).collect();
        let bits = Bits::from_bytes(&bytes);
        assert!((0..400).all(|at| bits.has(at) == bytes.get(at as usize / 8).is_some_and(|b| b >> (at % 8) & 1 == 1)));
        for first in [0, 1, 63, 64, 100, 319, 900] {
            let range = bits.range(first as usize, 130);
            assert!((0..130).all(|at| range.has(at) == bits.has(first + at)), "{first}");
            let moved = bits.moved(first as usize, 500);
            assert!((0..500).all(|at| moved.has(at) == (at >= first && bits.has(at - first))), "{first}");
        }
    }
}
