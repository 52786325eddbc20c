//! Removal of accents from Latin letters.

use std::borrow::Cow;

use icu_normalizer::{DecomposingNormalizer, DecomposingNormalizerBorrowed};

const NFD: DecomposingNormalizerBorrowed<'static> = DecomposingNormalizer::new_nfd();

/// `term` without the accents of Latin letters that are not in `kept`.
pub(crate) fn fold<'a>(term: &'a str, kept: &str) -> Cow<'a, str> {
    let has_accent = |c: char| is_accented_latin(c) && !kept.contains(c);
    if !term.chars().any(has_accent) {
        return Cow::Borrowed(term);
    }
    let mut folded = String::with_capacity(term.len());
    for c in term.chars() {
        if has_accent(c) {
            push_plain(c, &mut folded);
        } else {
            folded.push(c);
        }
    }
    Cow::Owned(folded)
}

/// Returns true if `term` has a Latin letter with an accent.
pub(crate) fn has_any(term: &str) -> bool {
    term.chars().any(is_accented_latin)
}

fn is_accented_latin(c: char) -> bool {
    matches!(c, '\u{DF}'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}') && c != '÷'
}

fn push_plain(c: char, out: &mut String) {
    match c {
        'æ' => out.push_str("ae"),
        'œ' => out.push_str("oe"),
        'þ' => out.push_str("th"),
        'ø' => out.push('o'),
        'ł' => out.push('l'),
        'đ' | 'ð' => out.push('d'),
        'ħ' => out.push('h'),
        'ı' => out.push('i'),
        _ => out.extend(NFD.normalize(c.encode_utf8(&mut [0; 4])).chars().next()),
    }
}
