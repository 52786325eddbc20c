//! Tokens with their offsets in the original text, for highlighting.

use std::ops::Range;

use crate::text::tokenizer::{ranges, Cjk};
use crate::text::unicode::{self, Form};
use crate::text::words::{Role, Scanner};

/// A token and its range of code points in the original text.
#[derive(Debug, PartialEq, Eq)]
pub struct Span {
    /// The token, as the index holds it.
    pub token: String,
    /// Its first code point in the original text.
    pub start: usize,
    /// One past its last code point.
    pub end: usize,
}

/// An index term of the word tokenizer and its range of code points in the original text.
#[derive(Debug, PartialEq, Eq)]
pub struct WordSpan {
    /// The term, as the index holds it.
    pub term: String,
    /// Its first code point in the original text.
    pub start: usize,
    /// One past its last code point.
    pub end: usize,
    /// Its origin.
    pub role: Role,
}

/// The prepared text (in lower case or not, normalized) with the origin of each character.
#[derive(Default)]
struct Aligned {
    text: String,
    /// For each character of `text`: its byte there, and its first and last code point in the
    /// original.
    characters: Vec<(usize, usize, usize)>,
}

impl Aligned {
    fn new(original: &str, push: impl Fn(char, &mut String), form: Form) -> Self {
        let mut aligned = Aligned::default();
        let (mut segment, mut sources, mut lower) = (String::new(), Vec::new(), String::new());
        for (source, c) in original.chars().enumerate() {
            lower.clear();
            push(c, &mut lower);
            for c in lower.chars() {
                if !unicode::joins(&segment, c, form) {
                    aligned.close(&mut segment, &mut sources, form);
                }
                segment.push(c);
                sources.push(source);
            }
        }
        aligned.close(&mut segment, &mut sources, form);
        aligned
    }

    /// Appends one segment: characters that normalization may join. If it does, all of them share
    /// one source range.
    fn close(&mut self, segment: &mut String, sources: &mut Vec<usize>, form: Form) {
        let (Some(&first), Some(&last)) = (sources.first(), sources.last()) else { return };
        let composed = form(segment);
        let unchanged = composed == segment.as_str();
        for (i, c) in composed.chars().enumerate() {
            let (start, end) = if unchanged { (sources[i], sources[i]) } else { (first, last) };
            self.characters.push((self.text.len(), start, end));
            self.text.push(c);
        }
        drop(composed);
        segment.clear();
        sources.clear();
    }

    /// The index of the character that holds `byte` of the prepared text.
    fn character(&self, byte: usize) -> usize {
        self.characters.partition_point(|&(at, ..)| at <= byte) - 1
    }

    /// The first code point of the original that bytes `range` of the prepared text come from, and
    /// one past the last.
    fn source(&self, range: &Range<usize>) -> (usize, usize) {
        let (_, start, _) = self.characters[self.character(range.start)];
        let (_, _, last) = self.characters[self.character(range.end - 1)];
        (start, last + 1)
    }
}

/// The tokens of `text`, in order, with code-point offsets into `text`.
pub fn spans(text: &str, cjk: Cjk) -> Vec<Span> {
    let aligned = Aligned::new(text, unicode::push_lower, unicode::nfc);
    let mut spans = Vec::new();
    ranges(&aligned.text, cjk, |range| {
        let (start, end) = aligned.source(&range);
        let token = unicode::fold(&aligned.text[range]).into_owned();
        spans.push(Span { token, start, end });
    });
    spans
}

/// The index terms of `text` by the word tokenizer, in order, with code-point offsets into `text`.
pub fn word_spans(text: &str) -> Vec<WordSpan> {
    let aligned = Aligned::new(text, |c, out| out.push(c), unicode::nfkc);
    let mut spans = Vec::new();
    Scanner::default().scan(&aligned.text, &mut |term: &str, range, role| {
        let (start, end) = aligned.source(&range);
        spans.push(WordSpan { term: term.to_owned(), start, end, role });
    });
    spans
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenizer::Tokenizer;
    use crate::text::words::WordTokenizer;

    fn places(text: &str) -> Vec<(String, usize, usize)> {
        spans(text, Cjk::Characters).into_iter().map(|s| (s.token, s.start, s.end)).collect()
    }

    #[test]
    fn offsets_are_those_of_the_original() {
        assert_eq!(places("e\u{301}a Straße"), [("éa".into(), 0, 3), ("strasse".into(), 4, 10)]);
        assert_eq!(places("İx"), [("i".into(), 0, 1), ("x".into(), 1, 2)]);
    }

    #[test]
    fn every_character_after_every_kind_of_mark_gives_the_tokens_of_the_plain_path() {
        let mut tokenizer = Tokenizer::new(Cjk::Characters);
        for c in (0..=0x0010_FFFF_u32).filter_map(char::from_u32) {
            for text in [format!("a{c}b"), format!("\u{9c7}{c}\u{301}"), format!("\u{1112}{c}\u{11ab}")] {
                let tokens: Vec<_> = spans(&text, Cjk::Characters).into_iter().map(|s| s.token).collect();
                assert_eq!(tokens, tokenizer.list(&text), "{:x}", c as u32);
            }
        }
    }

    #[test]
    fn every_character_gives_the_index_terms_of_the_plain_path() {
        let mut tokenizer = WordTokenizer::default();
        for c in (0..=0x0010_FFFF_u32).filter_map(char::from_u32) {
            for text in [format!("a{c}b"), format!("\u{9c7}{c}\u{301}"), format!("\u{1112}{c}\u{11ab}")] {
                let terms: Vec<_> = word_spans(&text).into_iter().map(|s| s.term).collect();
                assert_eq!(terms, tokenizer.list(&text), "{:x}", c as u32);
            }
        }
    }
}
