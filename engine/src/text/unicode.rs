//! Character classes, case and normalization, all from one set of tables
//! (docs/decisions/0001-unicode-tables.md).

use std::borrow::Cow;

use icu_casemap::{CaseMapper, CaseMapperBorrowed};
use icu_normalizer::{ComposingNormalizer, ComposingNormalizerBorrowed};
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};
use icu_properties::CodePointMapData;

/// The Unicode version of the ICU4X data that `Cargo.lock` pins.
pub(crate) const VERSION: &str = "18.0.0";

const CASES: CaseMapperBorrowed<'static> = CaseMapper::new();
const NFC: ComposingNormalizerBorrowed<'static> = ComposingNormalizer::new_nfc();
const NFKC: ComposingNormalizerBorrowed<'static> = ComposingNormalizer::new_nfkc();
const LETTERS_AND_NUMBERS: GeneralCategoryGroup = GeneralCategoryGroup::Letter.union(GeneralCategoryGroup::Number);

/// Scripts written without spaces, as Haystack 3.4.1 lists them: each character is a token of its
/// own.
const CJK: [(char, char); 14] = [
    ('\u{1100}', '\u{11FF}'), // Hangul Jamo
    ('\u{3041}', '\u{3096}'), // Hiragana letters
    ('\u{30A1}', '\u{30FA}'), // Katakana letters
    ('\u{30FC}', '\u{30FC}'), // the prolonged sound mark
    ('\u{3130}', '\u{318F}'), // Hangul Compatibility Jamo
    ('\u{31F0}', '\u{31FF}'), // Katakana Phonetic Extensions
    ('\u{3400}', '\u{4DBF}'), // Ideographs Extension A
    ('\u{4E00}', '\u{9FFF}'), // Ideographs
    ('\u{A960}', '\u{A97F}'), // Hangul Jamo Extended-A
    ('\u{AC00}', '\u{D7AF}'), // Hangul Syllables
    ('\u{D7B0}', '\u{D7FF}'), // Hangul Jamo Extended-B
    ('\u{F900}', '\u{FAFF}'), // Compatibility Ideographs
    ('\u{FF66}', '\u{FF9F}'), // Halfwidth Katakana
    ('\u{FFA0}', '\u{FFDC}'), // Halfwidth Hangul Jamo
];

/// Character class of the tokenizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Separates tokens.
    Other,
    /// Part of a word: Python's `\w`, which is `str.isalnum` or the underscore (marks are not in
    /// it).
    Word,
    /// A token of its own.
    Cjk,
}

/// The class of `c`, which is taken to be lower case already.
#[inline]
pub(crate) fn class(c: char) -> Class {
    if c.is_ascii() {
        return if c.is_ascii_alphanumeric() || c == '_' { Class::Word } else { Class::Other };
    }
    if c >= CJK[0].0 && CJK.iter().any(|&(first, last)| first <= c && c <= last) {
        return Class::Cjk;
    }
    if LETTERS_AND_NUMBERS.contains(CodePointMapData::<GeneralCategory>::new().get(c)) {
        return Class::Word;
    }
    Class::Other
}

/// Appends the lower case of `c`, as `str.lower` has it but for the final sigma, which case folding
/// undoes anyway.
#[inline]
pub(crate) fn push_lower(c: char, out: &mut String) {
    if c.is_ascii() {
        out.push(c.to_ascii_lowercase());
    } else if c == '\u{130}' {
        out.push_str("i\u{307}"); // the one character whose lower case is two
    } else {
        out.push(CASES.simple_lowercase(c));
    }
}

/// `text` in Normalization Form C.
pub(crate) fn nfc(text: &str) -> Cow<'_, str> {
    NFC.normalize(text)
}

/// `text` in Normalization Form KC.
pub(crate) fn nfkc(text: &str) -> Cow<'_, str> {
    NFKC.normalize(text)
}

/// `term` with full case folding, in Normalization Form KC, and without the dot that the folding of
/// the Turkish capital I leaves above an i.
pub(crate) fn fold_compatible(term: &str) -> Cow<'_, str> {
    match CASES.fold_string(term) {
        Cow::Borrowed(folded) if !folded.contains("i\u{307}") => nfkc(folded),
        folded => Cow::Owned(nfkc(&folded.replace("i\u{307}", "i")).into_owned()),
    }
}

/// `token` with full case folding, in Normalization Form C.
pub(crate) fn fold(token: &str) -> Cow<'_, str> {
    match CASES.fold_string(token) {
        Cow::Borrowed(folded) => nfc(folded),
        Cow::Owned(folded) => match nfc(&folded) {
            Cow::Borrowed(_) => Cow::Owned(folded),
            Cow::Owned(composed) => Cow::Owned(composed),
        },
    }
}

/// A normalization form.
pub(crate) type Form = fn(&str) -> Cow<'_, str>;

/// Returns true if the normalization to `form` may compose or reorder `c` with the preceding text
/// `before`.
pub(crate) fn joins(before: &str, c: char, form: Form) -> bool {
    if c.is_ascii() {
        return false;
    }
    // a mark in Normalization Form KC
    let is_halfwidth_sound_mark = matches!(c, '\u{FF9E}' | '\u{FF9F}');
    if is_halfwidth_sound_mark || GeneralCategoryGroup::Mark.contains(CodePointMapData::<GeneralCategory>::new().get(c))
    {
        return true;
    }
    let joined = format!("{before}{c}");
    form(&joined).strip_prefix(&*form(before)) != Some(&*form(c.encode_utf8(&mut [0; 4])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use icu_properties::props::CanonicalCombiningClass;

    #[test]
    fn folding_composes_again() {
        assert_eq!(fold("straße"), "strasse");
        assert_eq!(fold("\u{390}"), "\u{390}"); // folds to three characters, which compose to one
    }

    #[test]
    fn marks_are_no_word_characters() {
        assert_eq!(class('\u{301}'), Class::Other);
        assert_eq!(class('²'), Class::Word);
        assert_eq!(class('ー'), Class::Cjk);
        assert_eq!(class('・'), Class::Other);
    }

    /// [`joins`] relies on this: a character that is not a mark never moves.
    #[test]
    fn only_marks_have_a_combining_class() {
        let classes = CodePointMapData::<CanonicalCombiningClass>::new();
        let categories = CodePointMapData::<GeneralCategory>::new();
        let nfkd = icu_normalizer::DecomposingNormalizer::new_nfkd();
        let is_mark =
            |c| GeneralCategoryGroup::Mark.contains(categories.get(c)) || matches!(c, '\u{FF9E}' | '\u{FF9F}');
        for c in ('\0'..=char::MAX).filter(|&c| !is_mark(c)) {
            let first = nfkd.normalize(c.encode_utf8(&mut [0; 4])).chars().next().unwrap();
            assert_eq!(classes.get(first), CanonicalCombiningClass::NotReordered, "{:x}", c as u32);
        }
    }
}
