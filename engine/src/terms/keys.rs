//! The keys of a term: the stem of the word in one language, its character n-grams, its start, or
//! the word without one letter. So the other forms of a query word are found, the words that
//! resemble it or begin with it, and those that a typing mistake makes it from.

use std::borrow::Cow;

use crate::index::layout::{Layout, TermKind};
use crate::text::language::Language;
use crate::text::scripts::{class, Class};

/// The length of an n-gram in characters.
const GRAM: usize = 4;

/// A key of terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum KeyKind {
    /// The stem of a word.
    Stem(Language),
    /// The n-grams of a word of the first field.
    Grams,
    /// The first bytes of a word.
    Start,
    /// A short word of the first field, whole and without each of its letters (W. Garbe's
    /// `SymSpell`).
    Deletions,
}

impl KeyKind {
    /// Calls `each` with the keys of a name.
    pub(crate) fn keys(self, layout: Layout, name: &str, each: impl FnMut(u32)) {
        let (kind, word) = (layout.kind(name), layout.word(name));
        match (self, kind) {
            (KeyKind::Stem(language), TermKind::Word(_)) => [hash(&stem(language, word))].into_iter().for_each(each),
            (KeyKind::Start, TermKind::Word(_)) => [start(word, 0)].into_iter().for_each(each),
            (KeyKind::Grams, TermKind::Word(0)) => each_gram(word, each),
            (KeyKind::Deletions, TermKind::Word(0)) => each_deletion(word, each),
            _ => {}
        }
    }
}

/// A longer word, in bytes, is its own stem: the time of a stem can grow with the square.
const MAX_STEMMED: usize = 256;

/// The stem of a word.
pub(crate) fn stem(language: Language, word: &str) -> Cow<'_, str> {
    if word.len() > MAX_STEMMED {
        return Cow::Borrowed(word);
    }
    language.stem(word)
}

/// The first bytes of a word as a number, in the order of words; `pad` stands for missing ones.
pub(crate) fn start(word: &str, pad: u8) -> u32 {
    let mut bytes = [pad; 4];
    bytes.iter_mut().zip(word.bytes()).for_each(|(byte, found)| *byte = found);
    u32::from_be_bytes(bytes)
}

/// An odd number whose bits look random: the factor of all hashes here.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

/// Its inverse: `FACTOR * INVERSE == 1`.
const INVERSE: u64 = {
    let (mut inverse, mut round) = (FACTOR, 0);
    while round < 5 {
        inverse = inverse.wrapping_mul(2_u64.wrapping_sub(FACTOR.wrapping_mul(inverse)));
        round += 1;
    }
    inverse
};

/// Spreads a state over 32 bits.
#[inline]
fn spread(state: u64) -> u32 {
    ((state ^ state >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 32) as u32
}

/// The hash of a key. Index files hold hashes: it may not change within a format.
#[inline]
pub(crate) fn hash(key: &str) -> u32 {
    let mut state = key.len() as u64;
    for chunk in key.as_bytes().chunks(8) {
        let mut bytes = [0; 8];
        bytes[..chunk.len()].copy_from_slice(chunk);
        state = (state.rotate_left(23) ^ u64::from_le_bytes(bytes)).wrapping_mul(FACTOR);
    }
    spread(state)
}

/// The lengths of words with [`KeyKind::Deletions`]. N-grams miss mistakes in these; in longer
/// words they find them.
const MISTAKEN: std::ops::RangeInclusive<usize> = 3..=11;

/// The hashes of a word, and of the word without each of its letters; none for words that are
/// short, long, or not of letters with spaces between words.
pub(crate) fn deletions(word: &str) -> Vec<u32> {
    let mut found = Vec::new();
    each_deletion(word, |key| found.push(key));
    found.sort_unstable();
    found
}

/// Calls `each` with the distinct [`deletions`]. The hash of letters c is the sum of c x FACTOR^i,
/// spread; so the word without a letter takes a few operations.
fn each_deletion(word: &str, mut each: impl FnMut(u32)) {
    const MOST: usize = *MISTAKEN.end();
    let (mut sums, mut letters, mut count, mut power) = ([0_u64; MOST + 1], ['\0'; MOST], 0, FACTOR);
    for letter in word.chars() {
        if count == MOST || !matches!(class(letter), Class::Lower | Class::Mark) {
            return;
        }
        letters[count] = letter;
        sums[count + 1] = sums[count].wrapping_add(power.wrapping_mul(u64::from(letter)));
        power = power.wrapping_mul(FACTOR);
        count += 1;
    }
    if !MISTAKEN.contains(&count) {
        return;
    }
    each(spread(sums[count]));
    for at in 0..count {
        // of equal letters in a row, the last one: the words without one of them are equal
        if at + 1 == count || letters[at] != letters[at + 1] {
            let rest = sums[count].wrapping_sub(sums[at + 1]).wrapping_mul(INVERSE);
            each(spread(sums[at].wrapping_add(rest)));
        }
    }
}

/// A word has at most this many n-grams, or none.
const MAX_GRAMS: usize = u8::MAX as usize;

/// The hashes of the distinct n-grams of a word, sorted; a short word has none, nor has one with
/// more than a byte can count.
pub(crate) fn grams(word: &str) -> Vec<u32> {
    let mut found = Vec::new();
    each_gram(word, |key| found.push(key));
    found.sort_unstable();
    found
}

/// Calls `each` with the distinct [`grams`].
fn each_gram(word: &str, each: impl FnMut(u32)) {
    let mut found = [0; MAX_GRAMS];
    let (mut count, mut state) = (0, 0_u128);
    for (at, letter) in word.chars().enumerate() {
        state = state << 32 | u128::from(u32::from(letter));
        if at + 1 < GRAM {
            continue;
        }
        let (high, low) = ((state >> 64) as u64, state as u64);
        let key = spread((high.wrapping_mul(FACTOR).rotate_left(31) ^ low).wrapping_mul(FACTOR));
        if !found[..count].contains(&key) {
            if count == MAX_GRAMS {
                return;
            }
            found[count] = key;
            count += 1;
        }
    }
    found[..count].iter().copied().for_each(each);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typing_mistake_shares_a_deletion() {
        for (word, other) in [("house", "hous"), ("house", "hosue"), ("house", "mouse"), ("house", "houuse")] {
            let (keys, others) = (deletions(word), deletions(other));
            assert!(keys.iter().any(|key| others.contains(key)), "{word}, {other}");
        }
        assert!(!deletions("house").iter().any(|key| deletions("horde").contains(key)));
        assert_eq!(deletions("house").len(), 6);
        assert_eq!(deletions("aaaa").len(), 2, "distinct keys");
        assert_eq!((deletions("ab"), deletions("abcdefghijkl"), deletions("ab1")), (vec![], vec![], vec![]));
    }

    #[test]
    fn equal_n_grams_have_equal_hashes() {
        let (one, other) = (grams("haustür"), grams("austür"));
        assert_eq!((one.len(), other.len()), (4, 3));
        assert!(other.iter().all(|key| one.contains(key)));
        assert_eq!((grams("abc").len(), grams("aaaaaaaa").len(), grams(&"ab".repeat(300)).len()), (0, 1, 2));
        let long: String = ('a'..='z').chain('α'..='ω').cycle().step_by(7).take(400).collect();
        assert!(grams(&long).len() <= MAX_GRAMS);
    }

    /// Index files hold them: if this fails, the format must rise.
    #[test]
    fn hashes_of_keys_stay_as_they_are() {
        assert_eq!(["", "a", "walk", "straßenbahn"].map(hash), [0, 4_119_755_254, 3_373_092_788, 2_867_519_636]);
    }
}
