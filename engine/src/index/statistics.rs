//! Collection statistics of BM25.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use crate::index::layout::{TermKind, MAX_FIELDS};

/// The number of terms of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TermCounts {
    /// Words of the first field.
    pub words: u64,
    /// Words of other fields, and languages.
    pub others: u64,
    /// Roots.
    pub roots: u64,
}

impl TermCounts {
    /// Changes the number of terms of a kind.
    pub fn change(&mut self, kind: TermKind, change: i64) {
        let count = match kind {
            TermKind::Word(0) => &mut self.words,
            TermKind::Root => &mut self.roots,
            TermKind::Word(_) | TermKind::Name | TermKind::Language => &mut self.others,
        };
        *count = count.wrapping_add_signed(change);
    }
}

/// The changes of the counts that a write makes.
#[derive(Clone, Copy, Debug, Default)]
pub struct CountChanges {
    /// Of the number of documents.
    pub documents: i64,
    /// Of the number of parts.
    pub parts: i64,
    /// Of the number of tokens of each field.
    pub tokens: [i64; MAX_FIELDS],
}

/// Counts over the live documents.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// The number of documents, including those without a token.
    pub documents: u64,
    /// The number of tokens of each text field; exact sums, so the average lengths do not drift.
    pub tokens: [u64; MAX_FIELDS],
    /// The number of documents that are a part of another one, which is their root.
    pub parts: u64,
    /// Histogram (document frequency, number of terms); ordered, so that sums over it do not depend
    /// on the order of writes.
    frequencies: Arc<Vec<(u32, u64)>>,
    /// The number of terms of each kind that occur in a document.
    terms: TermCounts,
    mean_log_odds: OnceLock<f64>,
}

impl Statistics {
    /// Statistics with these counts.
    pub fn new(
        documents: u64,
        parts: u64,
        tokens: [u64; MAX_FIELDS],
        terms: TermCounts,
        frequencies: BTreeMap<u32, u64>,
    ) -> Self {
        let frequencies = Arc::new(frequencies.into_iter().collect());
        Statistics { documents, tokens, parts, frequencies, terms, mean_log_odds: OnceLock::new() }
    }

    /// Histogram (document frequency, number of terms).
    pub fn frequencies(&self) -> &[(u32, u64)] {
        &self.frequencies
    }

    /// The mean number of tokens of a field of a document, 0 without documents.
    pub fn average_length(&self, field: usize) -> f64 {
        mean(self.tokens[field], self.documents)
    }

    /// The number of whole documents: roots, and documents that are not a part of one.
    pub fn wholes(&self) -> u64 {
        self.documents - self.parts + self.terms.roots
    }

    /// The mean number of tokens of a field of a whole document.
    pub fn average_whole_length(&self, field: usize) -> f64 {
        mean(self.tokens[field], self.wholes())
    }

    /// The number of terms of each kind that occur in a document.
    pub fn terms(&self) -> TermCounts {
        self.terms
    }

    /// The number of words of the first field that occur in a document.
    pub fn vocabulary(&self) -> u64 {
        self.terms.words
    }

    /// The Robertson-Spärck Jones weight ln((N - df + 0.5) / (df + 0.5)) of a term with document
    /// frequency `df`.
    pub fn log_odds(&self, df: u32) -> f64 {
        let df = f64::from(df);
        ((self.documents as f64 - df + 0.5) / (df + 0.5)).ln()
    }

    /// The mean of [`Self::log_odds`] over the vocabulary, 0 if it is empty. Computed once per
    /// state.
    pub fn mean_log_odds(&self) -> f64 {
        *self.mean_log_odds.get_or_init(|| {
            let sum: f64 = self.frequencies.iter().map(|&(df, terms)| terms as f64 * self.log_odds(df)).sum();
            sum / self.vocabulary().max(1) as f64
        })
    }

    /// Updates the counts: `moves` holds the change of the number of terms of each document
    /// frequency.
    pub fn change(&mut self, counts: &CountChanges, terms: TermCounts, moves: impl IntoIterator<Item = (u32, i64)>) {
        self.documents = self.documents.wrapping_add_signed(counts.documents);
        self.parts = self.parts.wrapping_add_signed(counts.parts);
        self.terms = terms;
        for (tokens, change) in self.tokens.iter_mut().zip(counts.tokens) {
            *tokens = tokens.wrapping_add_signed(change);
        }
        let mut moves: Vec<(u32, i64)> = moves.into_iter().collect();
        moves.sort_unstable();
        let (mut rest, mut new) = (&self.frequencies[..], Vec::with_capacity(self.frequencies.len() + moves.len()));
        for (df, change) in moves {
            let (before, from) = rest.split_at(rest.partition_point(|&(other, _)| other < df));
            let (same, after) = from.split_at(usize::from(from.first().is_some_and(|&(other, _)| other == df)));
            let terms = same.iter().map(|&(_, terms)| terms).sum::<u64>().wrapping_add_signed(change);
            new.extend_from_slice(before);
            new.extend(Some((df, terms)).filter(|_| terms > 0));
            rest = after;
        }
        new.extend_from_slice(rest);
        self.frequencies = Arc::new(new);
        self.mean_log_odds = OnceLock::new();
    }
}

fn mean(sum: u64, count: u64) -> f64 {
    if count == 0 {
        0.0
    } else {
        sum as f64 / count as f64
    }
}
