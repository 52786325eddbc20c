//! A set of small numbers, one bit each.

/// Bits in words of 64; those past the end count as unset.
#[derive(Clone, Debug, Default)]
pub struct Bits(Vec<u64>);

impl Bits {
    /// `len` bits, none of them set.
    pub fn none(len: usize) -> Self {
        Bits(vec![0; len.div_ceil(64)])
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

    /// Whether bit `at` is set.
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
    }
}
