//! Term ids of short tokens: a table that holds the tokens inline, so that a hit costs one memory
//! access, where the vocabulary needs several.

/// The maximum length of a token in bytes; it is stored with its length in one word.
const MAX_BYTES: usize = 7;

/// An open-addressing hash table of keys and terms. Key 0 is free; the length is a power of two, at
/// most half is taken.
#[derive(Default)]
pub(crate) struct ShortTokens {
    table: Vec<(u64, u32)>,
    len: usize,
}

impl ShortTokens {
    /// The id of a token: the stored one, or else the result of `intern`.
    #[inline]
    pub(crate) fn term(&mut self, token: &str, intern: impl FnOnce(&str) -> u32) -> u32 {
        let Some(key) = key(token.as_bytes()) else { return intern(token) };
        if self.len * 2 >= self.table.len() {
            self.grow();
        }
        let at = place(&self.table, key);
        if self.table[at].0 != key {
            self.table[at] = (key, intern(token));
            self.len += 1;
        }
        self.table[at].1
    }

    #[cold]
    fn grow(&mut self) {
        let mut table = vec![(0, 0); (self.table.len() * 4).max(1 << 10)];
        for &entry in self.table.iter().filter(|entry| entry.0 != 0) {
            let at = place(&table, entry.0);
            table[at] = entry;
        }
        self.table = table;
    }
}

/// The slot of a key, or the free slot where it belongs.
#[inline]
fn place(table: &[(u64, u32)], key: u64) -> usize {
    let mask = table.len() - 1;
    let mut at = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize & mask;
    while table[at].0 != 0 && table[at].0 != key {
        at = (at + 1) & mask;
    }
    at
}

/// An injective key; None for long tokens.
#[inline]
fn key(token: &[u8]) -> Option<u64> {
    if token.len() > MAX_BYTES {
        return None;
    }
    Some(token.iter().fold(token.len() as u64 + 1, |key, &byte| key << 8 | u64::from(byte)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::vocabulary::Vocabulary;

    #[test]
    fn every_token_gets_the_number_that_it_has_without() {
        let (mut short, mut vocabulary, mut alone) =
            (ShortTokens::default(), Vocabulary::default(), Vocabulary::default());
        for round in 0..3_u32 {
            for number in 0..40_000_u32 {
                let token = match number % 4 {
                    0 => format!("{number:x}"),
                    1 => "\0".repeat(number as usize % 9),
                    2 => format!("{}\0", number % 50),
                    _ => format!("w{}", number.wrapping_mul(round + 1)),
                };
                assert_eq!(short.term(&token, |token| vocabulary.intern(token)), alone.intern(&token));
            }
        }
    }
}
