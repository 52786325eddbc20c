//! Reference implementation of keyword search: a linear scan that recomputes every statistic.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use _engine::search::bm25::Model;

/// The frequency of each term in a document.
pub type Terms = BTreeMap<String, u32>;

/// The documents by slot.
#[derive(Clone, Default)]
pub struct Plain {
    pub documents: BTreeMap<u64, Terms>,
}

/// The number of tokens.
pub fn length(terms: &Terms) -> u32 {
    terms.values().sum()
}

impl Plain {
    /// The number of tokens of all documents.
    pub fn tokens(&self) -> u64 {
        self.documents.values().map(|terms| u64::from(length(terms))).sum()
    }

    /// The document frequency of each term.
    pub fn frequencies(&self) -> BTreeMap<&str, u32> {
        let mut frequencies = BTreeMap::new();
        for term in self.documents.values().flat_map(BTreeMap::keys) {
            *frequencies.entry(term.as_str()).or_default() += 1;
        }
        frequencies
    }

    /// The documents that hold a term of the query, best first, ties by slot.
    pub fn search(&self, query: &[String], model: &Model) -> Vec<(u64, f64)> {
        let mut scores: BTreeMap<u64, f64> = BTreeMap::new();
        let weights = self.weights(query, model);
        let average = self.tokens() as f64 / self.documents.len() as f64;
        for (term, weight) in query.iter().zip(weights) {
            for (&doc_id, terms) in &self.documents {
                if let Some(&tf) = terms.get(term) {
                    *scores.entry(doc_id).or_default() += weight * saturation(tf, length(terms), average, model);
                }
            }
        }
        let mut hits: Vec<(u64, f64)> = scores.into_iter().collect();
        hits.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        hits
    }

    /// The idf of each term of a query.
    fn weights(&self, query: &[String], model: &Model) -> Vec<f64> {
        let (n, mean) = (self.documents.len() as f64, OnceCell::new());
        let weight = |term: &String| {
            let df = self.documents.values().filter(|terms| terms.contains_key(term)).count() as f64;
            finite(match model.variant.name {
                "BM25Okapi" if log_odds(n, df) < 0.0 => {
                    model.parameters.epsilon * mean.get_or_init(|| self.mean_log_odds())
                }
                "BM25Okapi" => log_odds(n, df),
                "BM25L" => ((n + 1.0) / (df + 0.5)).ln(),
                _ => (1.0 + (n - df + 0.5) / (df + 0.5)).ln(),
            })
        };
        query.iter().map(weight).collect()
    }

    /// Sums of floats depend on their order: it is that of the engine here.
    fn mean_log_odds(&self) -> f64 {
        let frequencies = self.frequencies();
        let mut numbers: BTreeMap<u32, u64> = BTreeMap::new();
        frequencies.values().for_each(|&df| *numbers.entry(df).or_default() += 1);
        let log_odds =
            |(&df, &terms): (&u32, &u64)| terms as f64 * log_odds(self.documents.len() as f64, f64::from(df));
        numbers.iter().map(log_odds).sum::<f64>() / frequencies.len().max(1) as f64
    }

    /// Every term of every document.
    pub fn vocabulary(&self) -> BTreeSet<&str> {
        self.documents.values().flat_map(|terms| terms.keys().map(String::as_str)).collect()
    }
}

fn log_odds(n: f64, df: f64) -> f64 {
    ((n - df + 0.5) / (df + 0.5)).ln()
}

fn saturation(tf: u32, length: u32, average: f64, model: &Model) -> f64 {
    let (tf, p) = (f64::from(tf), &model.parameters);
    let norm = 1.0 - p.b + p.b * f64::from(length) / average;
    finite(match model.variant.name {
        "BM25L" => (1.0 + p.k1) * (tf / norm + p.delta) / (p.k1 + tf / norm + p.delta),
        "BM25Plus" => tf * (1.0 + p.k1) / (tf + p.k1 * norm) + p.delta,
        _ => tf * (1.0 + p.k1) / (tf + p.k1 * norm),
    })
}

/// Undefined values count as zero; others are clamped to the allowed range.
fn finite(x: f64) -> f64 {
    if x.is_finite() {
        x.clamp(-1e150, 1e150)
    } else {
        0.0
    }
}
