//! Text to the index terms of every analyzer but `standard`: words, identifiers, numbers.
//!
//! The terms depend on the text alone, not on its language (docs/analyzers.md).

use std::ops::Range;

use crate::text::compounds::Cluster;
use crate::text::scripts::{self, Class};
use crate::text::unicode;

/// Origin of a term in its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A word of its own.
    Word,
    /// Several words written as one: `xray` of `x-ray`. Its parts follow.
    Joined,
    /// One of the words of a [`Role::Joined`] one.
    Part,
    /// An identifier or a dotted name. Its pieces follow.
    Whole,
    /// A piece of a [`Role::Whole`] one.
    Piece,
    /// Another form of the word before it, within its range: `3.11` of `3.11.2`.
    Variant,
    /// Two adjacent characters of a script without spaces.
    Pair,
    /// One character of a run of several.
    Single,
}

impl Role {
    /// True if a term is one of the words of its text, one after the other.
    fn is_next(self) -> bool {
        matches!(self, Role::Word | Role::Part | Role::Whole | Role::Single)
    }
}

/// Cuts texts into index terms. Holds scratch space, so that one tokenizer for many texts allocates
/// little.
#[derive(Default)]
pub struct WordTokenizer {
    scanner: Scanner,
}

impl WordTokenizer {
    /// Calls `emit` with each index term of `text`, in order.
    pub fn each(&mut self, text: &str, mut emit: impl FnMut(&str)) {
        self.scan(text, &mut |term, _, _| emit(term));
    }

    /// The words of `text` one after the other, for phrases and names: an identifier is one word.
    pub fn sequence(&mut self, text: &str) -> Vec<String> {
        let mut words = Vec::new();
        self.scan(text, &mut |term, _, role| {
            if role.is_next() {
                words.push(term.to_owned());
            }
        });
        words
    }

    #[inline]
    fn scan(&mut self, text: &str, emit: &mut impl FnMut(&str, Range<usize>, Role)) {
        if text.is_ascii() {
            self.scanner.scan(text, emit);
        } else {
            self.scanner.scan(&unicode::nfkc(text), emit);
        }
    }

    /// The index terms of `text` as a list.
    pub fn list(&mut self, text: &str) -> Vec<String> {
        let mut terms = Vec::new();
        self.each(text, |term| terms.push(term.to_owned()));
        terms
    }
}

/// Finds the terms of a text in Normalization Form KC.
#[derive(Default)]
pub(crate) struct Scanner {
    term: String,
    cluster: Cluster,
    units: Vec<Range<usize>>,
}

// Kinds of an ASCII byte, as bits; each byte has one kind.
const LOWER: u8 = 1;
const UPPER: u8 = 2;
const DIGIT: u8 = 4;
const UNDERSCORE: u8 = 8;
const WORD: u8 = LOWER | UPPER | DIGIT | UNDERSCORE;
const JOINER: u8 = 16;
const BEYOND_ASCII: u8 = 32;

const KINDS: [u8; 256] = {
    let mut kinds = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        kinds[byte] = match byte as u8 {
            b'a'..=b'z' => LOWER,
            b'A'..=b'Z' => UPPER,
            b'0'..=b'9' => DIGIT,
            b'_' => UNDERSCORE,
            b'-' | b'\'' | b'.' | b',' | b'&' | b'+' | b'#' | b'"' => JOINER,
            0x80.. => BEYOND_ASCII,
            _ => 0,
        };
        byte += 1;
    }
    kinds
};

impl Scanner {
    /// Calls `emit` with each term of `text`, the bytes that it comes from, and its role.
    #[inline]
    pub(crate) fn scan(&mut self, text: &str, emit: &mut impl FnMut(&str, Range<usize>, Role)) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let first = KINDS[bytes[at] as usize];
            if first & (WORD | BEYOND_ASCII) == 0 {
                at += 1;
                continue;
            }
            let start = at;
            let (mut kinds, mut after) = (0, first);
            while after & WORD != 0 {
                kinds |= after;
                at += 1;
                after = bytes.get(at).map_or(0, |&byte| KINDS[byte as usize]);
            }
            let has_capital_inside = kinds & UPPER != 0 && kinds & LOWER != 0 && has_capital(&bytes[start + 1..at]);
            let is_plain = after & BEYOND_ASCII == 0
                && kinds & UNDERSCORE == 0
                && !has_capital_inside
                && (after & JOINER == 0 || !may_join(bytes, start, at))
                && !follows_dot(bytes, start);
            if !is_plain {
                at = self.scan_cluster(text, start, emit);
            } else if kinds & UPPER == 0 {
                emit(&text[start..at], start..at, Role::Word);
            } else {
                self.term.clear();
                self.term.push_str(&text[start..at]);
                self.term.make_ascii_lowercase();
                emit(&self.term, start..at, Role::Word);
            }
        }
    }

    /// Scans a word at `start` that begins with a character beyond ASCII, or is more than a plain
    /// word. Returns its end.
    #[cold]
    fn scan_cluster(&mut self, text: &str, start: usize, emit: &mut impl FnMut(&str, Range<usize>, Role)) -> usize {
        let first = text[start..].chars().next().expect("a character starts here");
        match scripts::class(first) {
            class @ (Class::Cjk | Class::Complex) => self.scan_run(text, start, class, emit),
            Class::Lower | Class::Upper | Class::Digit | Class::Underscore => {
                self.cluster.scan(text, start, &mut self.term, emit)
            }
            Class::Other | Class::Mark | Class::Dropped => start + first.len_utf8(),
        }
    }

    /// Emits the pairs of a run of a script without spaces, of `Class::Cjk` the characters too.
    fn scan_run(
        &mut self,
        text: &str,
        start: usize,
        run: Class,
        emit: &mut impl FnMut(&str, Range<usize>, Role),
    ) -> usize {
        self.units.clear();
        let mut is_stacked = false;
        let mut is_exact = true;
        for (at, c) in text[start..].char_indices().map(|(at, c)| (start + at, c)) {
            let class = scripts::class(c);
            match self.units.last_mut() {
                Some(unit) if class == Class::Mark || (class == run && is_stacked) => unit.end = at + c.len_utf8(),
                Some(_) if class == Class::Dropped => is_exact = false,
                _ if class == run => self.units.push(at..at + c.len_utf8()),
                _ => break,
            }
            is_stacked = scripts::is_stacker(c);
        }
        let units = std::mem::take(&mut self.units);
        let mut emit = |range: Range<usize>, role| {
            if is_exact {
                return emit(&text[range.clone()], range, role);
            }
            let kept: String = text[range.clone()].chars().filter(|&c| scripts::class(c) != Class::Dropped).collect();
            emit(&unicode::nfkc(&kept), range, role);
        };
        if let [unit] = &units[..] {
            emit(unit.clone(), Role::Word);
        } else {
            for (i, unit) in units.iter().enumerate() {
                if i > 0 {
                    emit(units[i - 1].start..unit.end, Role::Pair);
                }
                if run == Class::Cjk {
                    emit(unit.clone(), Role::Single);
                }
            }
        }
        self.units = units;
        self.units.last().map_or(text.len(), |unit| unit.end)
    }
}

fn has_capital(bytes: &[u8]) -> bool {
    bytes.iter().any(u8::is_ascii_uppercase)
}

/// Returns false if the joiner at `end` can't belong to the word before it.
#[inline]
fn may_join(bytes: &[u8], start: usize, end: usize) -> bool {
    let next = bytes.get(end + 1).map_or(0, |&next| KINDS[next as usize]);
    match bytes[end] {
        b'+' => end - start == 1 && bytes.get(end + 1) == Some(&b'+'),
        b'#' => end - start == 1,
        _ => next & (WORD | BEYOND_ASCII) != 0,
    }
}

/// Returns true for the word of a name that begins with a dot, such as `.NET`.
#[inline]
pub(crate) fn follows_dot(bytes: &[u8], start: usize) -> bool {
    start > 0
        && bytes[start - 1] == b'.'
        && bytes[start].is_ascii_alphabetic()
        && (start == 1 || matches!(bytes[start - 2], b' ' | b'\n' | b'\t' | b'(' | b'[' | b'"' | b'\'' | b'`' | b'/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> Vec<String> {
        WordTokenizer::default().list(text)
    }

    #[test]
    fn words_are_folded() {
        assert_eq!(
            list("Hello, Big straße ΣΊΣΥΦΟΣ İzmir ﬁne."),
            ["hello", "big", "strasse", "σίσυφοσ", "izmir", "fine"]
        );
        assert_eq!(list("docu\u{AD}ment a\u{200B}b"), ["document", "ab"]);
    }

    #[test]
    fn identifiers_give_themselves_and_their_pieces() {
        assert_eq!(list("getUserName"), ["getusername", "get", "user", "name"]);
        assert_eq!(list("foo_bar"), ["foo_bar", "foo", "bar"]);
        assert_eq!(list("HTTPServer"), ["httpserver", "http", "server"]);
        assert_eq!(list("ALLOWED_HOSTS"), ["allowed_hosts", "allowed", "hosts"]);
        assert_eq!(list("__init__ _ x_train _a_"), ["__init__", "init", "x_train", "train", "_a_", "a"]);
        assert_eq!(list("Base64Encoder utf8 H2O"), ["base64encoder", "base64", "encoder", "utf8", "h2o"]);
        assert_eq!(list("URLs mRNAs PhD iPhone"), ["urls", "mrnas", "rnas", "phd", "iphone", "phone"]);
    }

    #[test]
    fn names_with_signs_stay_apart() {
        assert_eq!(list("C++ C# F# C c++17 i++;"), ["c++", "c#", "f#", "c", "c++", "17", "i++"]);
        assert_eq!(list(".NET node.js end. Next"), [".net", "net", "nodejs", "node", "js", "end", "next"]);
        assert_eq!(list("U.S. e.g. US"), ["us", "eg", "us"]);
        assert_eq!(list("R&D a && b"), ["r&d", "r", "d", "a", "b"]);
    }

    #[test]
    fn numbers() {
        assert_eq!(list("3,000 1,234.56 3.14 1,2,3"), ["3000", "1234.56", "3.14", "1", "2", "3"]);
        assert_eq!(list("3.11.2 3.000"), ["3.11.2", "3.11", "3.000", "3000"]);
        assert_eq!(list("2010-2015 01.12.2026"), ["2010", "2015", "01.12.2026", "01.12", "2026"]);
        assert_eq!(list("٣٤ १२ Ⅳ x²"), ["34", "12", "iv", "x2"]);
    }

    #[test]
    fn hyphens_and_apostrophes() {
        assert_eq!(list("e-mail email"), ["email", "e", "mail", "email"]);
        assert_eq!(list("Newton's don't we'll"), ["newton", "dont", "we"]);
        assert_eq!(list("l’économie O'Brien"), ["léconomie", "l", "économie", "obrien", "o", "brien"]);
        assert_eq!(list("п'ять צה\"ל"), ["пять", "צהל"]);
    }

    #[test]
    fn scripts() {
        assert_eq!(list("日本語x字"), ["日", "日本", "本", "本語", "語", "x", "字"]);
        assert_eq!(list("कला कल"), ["कला", "कल"]);
        assert_eq!(list("كِتَاب كتـاب"), ["كتاب", "كتاب"]);
        assert_eq!(list("می\u{200C}خواهم"), ["میخواهم", "می", "خواهم"]);
        assert_eq!(list("ภาษาไทย").len(), 6);
    }
}
