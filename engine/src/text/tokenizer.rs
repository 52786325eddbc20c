//! Text to tokens: Haystack 3.4.1's word boundaries, then case folding and Normalization Form C of
//! each token.

use std::ops::Range;

use crate::text::unicode::{self, Class};

/// Tokenization of scripts that are written without spaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cjk {
    /// Each character is a token.
    Characters,
    /// Each pair of adjacent characters is a token; so is a single character.
    Bigrams,
}

impl Cjk {
    /// The names that Python knows the modes by.
    pub const NAMES: [(&'static str, Cjk); 2] = [("characters", Cjk::Characters), ("bigrams", Cjk::Bigrams)];

    /// The name of a mode.
    pub fn name(self) -> &'static str {
        Cjk::NAMES[self as usize].0
    }
}

/// Cuts texts into tokens. Holds scratch space, so that one tokenizer for many texts allocates
/// little.
pub struct Tokenizer {
    cjk: Cjk,
    lower: String,
}

impl Tokenizer {
    /// A tokenizer for one mode.
    pub fn new(cjk: Cjk) -> Self {
        Tokenizer { cjk, lower: String::new() }
    }

    /// Calls `emit` with each token of `text`, in order.
    pub fn each(&mut self, text: &str, mut emit: impl FnMut(&str)) {
        self.lower.clear();
        if text.is_ascii() {
            self.lower.push_str(text);
            self.lower.make_ascii_lowercase();
            return ascii_ranges(self.lower.as_bytes(), |range| emit(&self.lower[range]));
        }
        self.lower.reserve(text.len());
        for c in text.chars() {
            unicode::push_lower(c, &mut self.lower);
        }
        let prepared = unicode::nfc(&self.lower);
        ranges(&prepared, self.cjk, |range| {
            let token = &prepared[range];
            if token.is_ascii() {
                emit(token);
            } else {
                emit(&unicode::fold(token));
            }
        });
    }

    /// The tokens of `text` as a list.
    pub fn list(&mut self, text: &str) -> Vec<String> {
        let mut tokens = Vec::new();
        self.each(text, |token| tokens.push(token.to_owned()));
        tokens
    }
}

/// The byte ranges of the words of lower-case ASCII `text`.
fn ascii_ranges(text: &[u8], mut emit: impl FnMut(Range<usize>)) {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let mut at = 0;
    while at < text.len() {
        if !is_word(text[at]) {
            at += 1;
            continue;
        }
        let start = at;
        while at < text.len() && is_word(text[at]) {
            at += 1;
        }
        emit(start..at);
    }
}

/// State of the scan: outside, in a word, or in a run of CJK characters.
enum State {
    Between,
    Word { start: usize },
    Run { last: usize, alone: bool },
}

/// The byte ranges of the tokens of `text`, which is lower case in Normalization Form C.
pub(crate) fn ranges(text: &str, cjk: Cjk, mut emit: impl FnMut(Range<usize>)) {
    let mut state = State::Between;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        state = match (unicode::class(c), state) {
            (Class::Word, State::Word { start }) => State::Word { start },
            (Class::Cjk, State::Run { last, .. }) => {
                emit(last..end);
                State::Run { last: at, alone: false }
            }
            (class, before) => {
                finish(&before, at, &mut emit);
                match (class, cjk) {
                    (Class::Other, _) => State::Between,
                    (Class::Word, _) => State::Word { start: at },
                    (Class::Cjk, Cjk::Bigrams) => State::Run { last: at, alone: true },
                    (Class::Cjk, Cjk::Characters) => {
                        emit(at..end);
                        State::Between
                    }
                }
            }
        };
    }
    finish(&state, text.len(), &mut emit);
}

/// Emits the open token of a word or run that ends at byte `end`.
fn finish(state: &State, end: usize, emit: &mut impl FnMut(Range<usize>)) {
    match *state {
        State::Word { start } => emit(start..end),
        State::Run { last, alone: true } => emit(last..end),
        State::Between | State::Run { .. } => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str, cjk: Cjk) -> Vec<String> {
        Tokenizer::new(cjk).list(text)
    }

    #[test]
    fn ascii_words_are_lower_case_runs() {
        assert_eq!(list("Hello, my_World 42!", Cjk::Characters), ["hello", "my_world", "42"]);
    }

    #[test]
    fn both_paths_cut_ascii_alike() {
        let text = "a-b c_d  E.F9 (g) h";
        let mixed = format!("{text} é");
        assert_eq!(list(&mixed, Cjk::Characters)[..7], list(text, Cjk::Characters)[..]);
    }

    #[test]
    fn bigrams_overlap_within_a_run() {
        assert_eq!(list("日本語 x 字abc", Cjk::Bigrams), ["日本", "本語", "x", "字", "abc"]);
        assert_eq!(list("日本語", Cjk::Characters), ["日", "本", "語"]);
    }
}
