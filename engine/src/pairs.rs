//! Postings and their codes. A code names a distinct pair of term frequency and document length, the two numbers that
//! a BM25 score needs from a document; so no score is stored, and one index serves every variant and parameter.

use foldhash::HashMap;

/// How often a term stands in a document, and how many tokens that document has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pair {
    pub frequency: u32,
    pub length: u32,
}

/// A document that holds a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Posting {
    pub document: u32,
    pub code: u32,
}

/// The dictionary of codes.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    codes: HashMap<Pair, u32>,
    list: Vec<Pair>,
}

impl Pairs {
    /// The code of `pair`, new if need be.
    pub fn intern(&mut self, pair: Pair) -> u32 {
        *self.codes.entry(pair).or_insert_with(|| {
            self.list.push(pair);
            self.list.len() as u32 - 1
        })
    }

    /// The code of `pair`, if it has one.
    pub fn code(&self, pair: Pair) -> Option<u32> {
        self.codes.get(&pair).copied()
    }

    /// The pairs, by code.
    pub fn list(&self) -> &[Pair] {
        &self.list
    }
}
