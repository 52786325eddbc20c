//! Collection statistics of BM25.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// Counts over the live documents.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// The number of documents, including those without a token.
    pub documents: u64,
    /// The number of tokens; an exact sum, so the average length does not drift.
    pub tokens: u64,
    /// Histogram (document frequency, number of terms); ordered, so that sums over it do not depend
    /// on the order of writes.
    frequencies: Arc<Vec<(u32, u64)>>,
    /// The number of terms that occur in a document.
    terms: u64,
    mean_log_odds: OnceLock<f64>,
}

impl Statistics {
    /// Statistics with these counts.
    pub fn new(documents: u64, tokens: u64, frequencies: BTreeMap<u32, u64>) -> Self {
        let (terms, frequencies) = (frequencies.values().sum(), Arc::new(frequencies.into_iter().collect()));
        Statistics { documents, tokens, frequencies, terms, mean_log_odds: OnceLock::new() }
    }

    /// Histogram (document frequency, number of terms).
    pub fn frequencies(&self) -> &[(u32, u64)] {
        &self.frequencies
    }

    /// The mean number of tokens of a document, 0 without documents.
    pub fn average_length(&self) -> f64 {
        if self.documents == 0 {
            0.0
        } else {
            self.tokens as f64 / self.documents as f64
        }
    }

    /// The number of terms that occur in a document.
    pub fn vocabulary(&self) -> u64 {
        self.terms
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
    pub fn change(&mut self, documents: i64, tokens: i64, moves: impl IntoIterator<Item = (u32, i64)>) {
        self.documents = self.documents.wrapping_add_signed(documents);
        self.tokens = self.tokens.wrapping_add_signed(tokens);
        let mut moves: Vec<(u32, i64)> = moves.into_iter().collect();
        moves.sort_unstable();
        self.terms = self.terms.wrapping_add_signed(moves.iter().map(|&(_, change)| change).sum());
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
