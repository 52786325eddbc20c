//! Tokens with their offsets in the original text, for highlighting.

use crate::text::tokenizer::{ranges, Cjk};
use crate::text::unicode;

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

/// The prepared text (lower case, Normalization Form C) with the origin of each character.
#[derive(Default)]
struct Aligned {
    text: String,
    /// For each character of `text`: its byte there, and its first and last code point in the
    /// original.
    characters: Vec<(usize, usize, usize)>,
}

impl Aligned {
    fn new(original: &str) -> Self {
        let mut aligned = Aligned::default();
        let (mut segment, mut sources, mut lower) = (String::new(), Vec::new(), String::new());
        for (source, c) in original.chars().enumerate() {
            lower.clear();
            unicode::push_lower(c, &mut lower);
            for c in lower.chars() {
                if !unicode::joins(&segment, c) {
                    aligned.close(&mut segment, &mut sources);
                }
                segment.push(c);
                sources.push(source);
            }
        }
        aligned.close(&mut segment, &mut sources);
        aligned
    }

    /// Appends one segment: characters that normalization may join. If it does, all of them share
    /// one source range.
    fn close(&mut self, segment: &mut String, sources: &mut Vec<usize>) {
        let (Some(&first), Some(&last)) = (sources.first(), sources.last()) else { return };
        let composed = unicode::nfc(segment);
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
}

/// The tokens of `text`, in order, with code-point offsets into `text`.
pub fn spans(text: &str, cjk: Cjk) -> Vec<Span> {
    let aligned = Aligned::new(text);
    let mut spans = Vec::new();
    ranges(&aligned.text, cjk, |range| {
        let (_, start, _) = aligned.characters[aligned.character(range.start)];
        let (_, _, last) = aligned.characters[aligned.character(range.end - 1)];
        let token = unicode::fold(&aligned.text[range]).into_owned();
        spans.push(Span { token, start, end: last + 1 });
    });
    spans
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenizer::Tokenizer;

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
}
