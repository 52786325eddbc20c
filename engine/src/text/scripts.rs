//! Character classes of the word tokenizer, and the folding of a term.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use icu_properties::props::{DefaultIgnorableCodePoint, GeneralCategory, LineBreak, Script};
use icu_properties::{CodePointMapData, CodePointSetData};

use crate::text::unicode;

/// Class of a character in normalized text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Class {
    /// Separates words.
    Other,
    /// A letter without case, or in lower case.
    Lower,
    /// A letter in upper or title case.
    Upper,
    /// A digit or another number.
    Digit,
    /// The underscore.
    Underscore,
    /// A combining mark: part of the word, or of the character, that it follows.
    Mark,
    /// Part of a word in the text, but not of its term: vowel signs of Arabic and Hebrew, tatweel,
    /// soft hyphens and other characters without a shape.
    Dropped,
    /// A character of Chinese, Japanese or Korean.
    Cjk,
    /// A letter of a script of South-East Asia that is written without spaces.
    Complex,
}

impl Class {
    const ALL: [Class; 9] = [
        Class::Other,
        Class::Lower,
        Class::Upper,
        Class::Digit,
        Class::Underscore,
        Class::Mark,
        Class::Dropped,
        Class::Cjk,
        Class::Complex,
    ];
}

/// Zero width non-joiner. Persian separates the parts of a word by it; elsewhere it is dropped.
pub(crate) const ZWNJ: char = '\u{200C}';

const ASCII: [Class; 128] = {
    let mut classes = [Class::Other; 128];
    let mut byte = 0;
    while byte < 128 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' => Class::Lower,
            b'A'..=b'Z' => Class::Upper,
            b'0'..=b'9' => Class::Digit,
            b'_' => Class::Underscore,
            _ => Class::Other,
        };
        byte += 1;
    }
    classes
};

/// The classes of the basic multilingual plane, which take four look-ups each.
static BASIC_PLANE: LazyLock<Box<[u8]>> =
    LazyLock::new(|| (0..0x1_0000_u32).map(|c| char::from_u32(c).map_or(Class::Other, find_class) as u8).collect());

/// The class of `c`.
#[inline]
pub(crate) fn class(c: char) -> Class {
    if let Some(&class) = ASCII.get(c as usize) {
        return class;
    }
    match BASIC_PLANE.get(c as usize) {
        Some(&class) => Class::ALL[class as usize],
        None => find_class(c),
    }
}

fn find_class(c: char) -> Class {
    use GeneralCategory as Category;
    if is_apostrophe(c) {
        return Class::Other; // one of them is a letter by its category
    }
    if is_vowel_sign(c) || CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c) {
        return Class::Dropped;
    }
    match CodePointMapData::<Category>::new().get(c) {
        Category::NonspacingMark | Category::SpacingMark => Class::Mark,
        Category::EnclosingMark => Class::Dropped,
        Category::DecimalNumber | Category::OtherNumber => Class::Digit,
        Category::UppercaseLetter | Category::TitlecaseLetter => Class::Upper,
        Category::LowercaseLetter => Class::Lower,
        Category::OtherLetter | Category::ModifierLetter | Category::LetterNumber => unspaced_class(c),
        _ => Class::Other,
    }
}

/// The class of a letter without case.
fn unspaced_class(c: char) -> Class {
    let is_prolonged_sound = c == 'ー'; // common to Hiragana and Katakana
    match CodePointMapData::<Script>::new().get(c) {
        Script::Han | Script::Hiragana | Script::Katakana | Script::Hangul | Script::Bopomofo | Script::Yi => {
            Class::Cjk
        }
        _ if is_prolonged_sound => Class::Cjk,
        _ if CodePointMapData::<LineBreak>::new().get(c) == LineBreak::ComplexContext => Class::Complex,
        _ => Class::Lower,
    }
}

/// Returns true for signs that writers of Arabic, Hebrew and Syriac may leave out.
fn is_vowel_sign(c: char) -> bool {
    const HEBREW: [RangeInclusive<char>; 5] = [
        '\u{591}'..='\u{5BD}',
        '\u{5BF}'..='\u{5BF}',
        '\u{5C1}'..='\u{5C2}',
        '\u{5C4}'..='\u{5C5}',
        '\u{5C7}'..='\u{5C7}',
    ];
    const ARABIC: [RangeInclusive<char>; 9] = [
        '\u{610}'..='\u{61A}',
        '\u{640}'..='\u{640}', // tatweel, which stretches a word
        '\u{64B}'..='\u{65F}',
        '\u{670}'..='\u{670}',
        '\u{6D6}'..='\u{6DC}',
        '\u{6DF}'..='\u{6E4}',
        '\u{6E7}'..='\u{6ED}',
        '\u{8CA}'..='\u{8E1}',
        '\u{8E3}'..='\u{8FF}',
    ];
    const SYRIAC: [RangeInclusive<char>; 2] = ['\u{711}'..='\u{711}', '\u{730}'..='\u{74A}'];
    c >= '\u{591}' && HEBREW.iter().chain(&ARABIC).chain(&SYRIAC).any(|signs| signs.contains(&c))
}

/// Returns true if `c` stacks the consonant after it below the one before it.
pub(crate) fn is_stacker(c: char) -> bool {
    matches!(c, '\u{1039}' | '\u{17D2}' | '\u{1A60}')
}

/// Returns true for an apostrophe within a word.
pub(crate) fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}' | '\u{02BC}' | '\u{05F3}' | '\u{05F4}')
}

/// Returns true for a hyphen within a word.
pub(crate) fn is_hyphen(c: char) -> bool {
    matches!(c, '-' | '\u{2010}' | '\u{2013}' | ZWNJ)
}

/// Returns true for a letter, a digit or an underscore.
pub(crate) fn is_word(c: char) -> bool {
    matches!(class(c), Class::Lower | Class::Upper | Class::Digit | Class::Underscore)
}

/// Returns true for digits alone.
pub(crate) fn is_number(word: &str) -> bool {
    word.chars().all(|c| class(c) == Class::Digit)
}

pub(crate) fn is_hebrew(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{5FF}')
}

pub(crate) fn is_arabic(c: Option<char>) -> bool {
    matches!(c, Some('\u{600}'..='\u{6FF}' | '\u{750}'..='\u{77F}'))
}

/// Appends the term of `word`, which is part of a normalized text: full case folding, ASCII digits,
/// without dropped characters and apostrophes, in Normalization Form KC.
pub(crate) fn push_term(word: &str, out: &mut String) {
    if word.is_ascii() {
        out.extend(word.chars().filter(|c| !matches!(c, '\'' | '"')).map(|c| c.to_ascii_lowercase()));
    } else if word.chars().all(|c| matches!(class(c), Class::Lower | Class::Upper | Class::Mark)) {
        out.push_str(&unicode::fold_compatible(word));
    } else {
        let is_kept = |&c: &char| class(c) != Class::Dropped && !is_apostrophe(c) && !matches!(c, '"' | '·');
        out.push_str(&unicode::fold_compatible(&word.chars().filter(is_kept).map(ascii_digit).collect::<String>()));
    }
}

/// The ASCII digit for a decimal digit of another script, else `c`.
fn ascii_digit(c: char) -> char {
    let is_digit = |c| CodePointMapData::<GeneralCategory>::new().get(c) == GeneralCategory::DecimalNumber;
    if c.is_ascii() || class(c) != Class::Digit || !is_digit(c) {
        return c;
    }
    // Each script's zero is the first or the seventh code point of a row of sixteen.
    let (row, column) = (c as u32 & !0xF, c as u32 & 0xF);
    let starts_row = char::from_u32(row).is_some_and(is_digit);
    char::from_digit(if starts_row { column } else { column.wrapping_sub(6) }, 10).unwrap_or(c)
}
