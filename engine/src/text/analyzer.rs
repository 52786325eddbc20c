//! The tokenizer of an index, by name.

use crate::text::tokenizer::{Cjk, Tokenizer};
use crate::text::words::WordTokenizer;

/// The tokens of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tokens {
    /// Haystack's.
    Standard,
    /// Words, for stems, identifiers and all scripts.
    Words,
}

impl Tokens {
    /// The names that Python and files know the tokens by.
    pub const NAMES: [(&'static str, Tokens); 2] = [("standard", Tokens::Standard), ("words", Tokens::Words)];

    /// The name.
    pub fn name(self) -> &'static str {
        Tokens::NAMES[self as usize].0
    }

    /// The tokens called `name`.
    pub fn by_name(name: &str) -> Option<Tokens> {
        Tokens::NAMES.iter().find(|(known, _)| *known == name).map(|&(_, tokens)| tokens)
    }
}

/// Cuts texts into tokens. One for many texts allocates little.
pub enum Analyzer {
    /// Haystack's tokens.
    Standard(Tokenizer),
    /// Words.
    Words(Box<WordTokenizer>),
}

impl From<Tokens> for Analyzer {
    fn from(tokens: Tokens) -> Self {
        match tokens {
            Tokens::Standard => Analyzer::Standard(Tokenizer::new(Cjk::Characters)),
            Tokens::Words => Analyzer::Words(Box::default()),
        }
    }
}

impl Analyzer {
    /// Calls `emit` with each token of `text`, in order.
    #[inline]
    pub fn each(&mut self, text: &str, emit: impl FnMut(&str)) {
        match self {
            Analyzer::Standard(tokenizer) => tokenizer.each(text, emit),
            Analyzer::Words(tokenizer) => tokenizer.each(text, emit),
        }
    }

    /// The tokens of `text` as a list.
    pub fn list(&mut self, text: &str) -> Vec<String> {
        let mut tokens = Vec::new();
        self.each(text, |token| tokens.push(token.to_owned()));
        tokens
    }
}
