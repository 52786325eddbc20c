//! Scores over the fields and forms of words: BM25F with weighted forms.
//!
//! A query word is a set of terms v with amounts a: its exact form, other forms of its stem, and so
//! on. In a document, with the frequency tf and the length l of each field f of weight w,
//!
//! t = sum over v of a x sum over f of w tf / (1 - b + b l / mean l),
//!
//! and the word contributes idf x (k3 + 1) q / (k3 + q) x (k1 + 1) t / (k1 + t), where it occurs q
//! times in the query. Robertson, Zaragoza and Taylor, Simple BM25 extension to multiple weighted
//! fields (CIKM 2004).
//!
//! A document that is a part of another one also gets a share of the score of the whole, whose
//! frequencies and lengths are the sums over its parts.

use crate::index::layout::MAX_FIELDS;
use crate::index::statistics::Statistics;
use crate::postings::impact_codes::TfAndLength;

/// The parameters of the formula.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldModel {
    /// Saturation of the frequencies in a document, above 0.
    pub k1: f64,
    /// Saturation of the frequency in the query, 0 or more.
    pub k3: f64,
    /// The weight of each field, 0 or more.
    pub weights: [f64; MAX_FIELDS],
    /// The weight of the length normalization of each field, from 0 to 1.
    pub b: [f64; MAX_FIELDS],
    /// The share of the score of the whole document, 0 or more.
    pub whole: f64,
}

impl Default for FieldModel {
    fn default() -> Self {
        let mut weights = [2.0; MAX_FIELDS];
        weights[0] = 1.0;
        FieldModel { k1: 1.2, k3: 8.0, weights, b: [0.75; MAX_FIELDS], whole: 0.5 }
    }
}

impl FieldModel {
    /// The weighted and normalized frequency of a term in a field of mean length `average`.
    #[inline]
    pub fn amount(&self, field: usize, pair: TfAndLength, average: f64) -> f64 {
        self.normalized(field, f64::from(pair.frequency), f64::from(pair.length), average)
    }

    /// The same for sums of frequencies and lengths.
    #[inline]
    pub fn normalized(&self, field: usize, frequency: f64, length: f64, average: f64) -> f64 {
        let b = self.b[field];
        let norm = 1.0 - b + if average > 0.0 { b * length / average } else { 0.0 };
        if norm > 0.0 {
            self.weights[field] * frequency / norm
        } else {
            0.0
        }
    }

    /// The saturation of an amount, from 0 to 1.
    #[inline]
    pub fn saturate(&self, amount: f64) -> f64 {
        amount / (self.k1 + amount)
    }

    /// The factor of the saturation in the score, for a word that occurs `count` times in the query
    /// and in `df` documents.
    pub fn weight(&self, statistics: &Statistics, df: u32, count: f64) -> f64 {
        let df = f64::from(df);
        let idf = (1.0 + (statistics.documents as f64 - df + 0.5) / (df + 0.5)).ln();
        idf * (self.k3 + 1.0) * count / (self.k3 + count) * (self.k1 + 1.0)
    }
}
