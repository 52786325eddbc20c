//! The BM25 variants of Haystack 3.4.1, as a table of formulas.
//!
//! The score of a document is the sum, over the distinct query terms it contains, of idf x
//! saturation. N documents of mean length L; a term of document frequency df; tf times in a
//! document of length l; norm = 1 - b + b l / L.

use crate::index::statistics::Statistics;
use crate::postings::impact_codes::TfAndLength;

/// Parameters of the formulas. A variant uses the ones its formulas name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// Saturation of the term frequency.
    pub k1: f64,
    /// Weight of the length normalization, from 0 to 1.
    pub b: f64,
    /// Lower bound of the contribution of a term (L, Plus).
    pub delta: f64,
    /// Floor of a negative idf, as a share of the mean (Okapi).
    pub epsilon: f64,
}

impl Parameters {
    /// The parameter called `name`, if there is one.
    pub fn by_name(&mut self, name: &str) -> Option<&mut f64> {
        match name {
            "k1" => Some(&mut self.k1),
            "b" => Some(&mut self.b),
            "delta" => Some(&mut self.delta),
            "epsilon" => Some(&mut self.epsilon),
            _ => None,
        }
    }

    /// The names of all parameters.
    pub const NAMES: [&'static str; 4] = ["k1", "b", "delta", "epsilon"];
}

/// A BM25 variant.
pub struct Variant {
    /// The name in Haystack.
    pub name: &'static str,
    /// Default parameters.
    pub defaults: Parameters,
    /// (statistics, df, parameters) -> idf
    idf: fn(&Statistics, u32, &Parameters) -> f64,
    /// (tf, norm, parameters) -> saturation
    saturation: fn(f64, f64, &Parameters) -> f64,
}

/// Okapi: Robertson et al., TREC-3 (1994), the floor of negative idf as in `rank_bm25`. L and Plus:
/// Lv and Zhai, SIGIR and CIKM (2011).
pub static VARIANTS: [Variant; 3] = [
    Variant {
        name: "BM25Okapi",
        defaults: Parameters { k1: 1.5, b: 0.75, delta: 0.0, epsilon: 0.25 },
        idf: |statistics, df, p| {
            let odds = statistics.log_odds(df);
            if odds < 0.0 {
                p.epsilon * statistics.mean_log_odds()
            } else {
                odds
            }
        },
        saturation: |tf, norm, p| tf * (1.0 + p.k1) / (tf + p.k1 * norm),
    },
    Variant {
        name: "BM25L",
        defaults: Parameters { k1: 1.5, b: 0.75, delta: 0.5, epsilon: 0.0 },
        idf: |statistics, df, _| ((statistics.documents as f64 + 1.0) / (f64::from(df) + 0.5)).ln(),
        saturation: |tf, norm, p| {
            let c = tf / norm;
            (1.0 + p.k1) * (c + p.delta) / (p.k1 + c + p.delta)
        },
    },
    Variant {
        name: "BM25Plus",
        defaults: Parameters { k1: 1.5, b: 0.75, delta: 1.0, epsilon: 0.0 },
        idf: |statistics, df, _| {
            let df = f64::from(df);
            (1.0 + (statistics.documents as f64 - df + 0.5) / (df + 0.5)).ln()
        },
        saturation: |tf, norm, p| tf * (1.0 + p.k1) / (tf + p.k1 * norm) + p.delta,
    },
];

/// A variant with its parameters.
#[derive(Clone, Copy)]
pub struct Model {
    /// The formulas.
    pub variant: &'static Variant,
    /// Their parameters.
    pub parameters: Parameters,
}

impl PartialEq for Model {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.variant, other.variant) && self.parameters == other.parameters
    }
}

impl Model {
    /// The variant called `name` with its default parameters.
    pub fn by_name(name: &str) -> Option<Model> {
        let variant = VARIANTS.iter().find(|variant| variant.name == name)?;
        Some(Model { variant, parameters: variant.defaults })
    }

    /// The weight of a term with document frequency `df`.
    pub fn idf(&self, statistics: &Statistics, df: u32) -> f64 {
        bounded((self.variant.idf)(statistics, df, &self.parameters))
    }

    /// The document length relative to the mean, weighted by `b`.
    pub fn norm(&self, length: u32, average: f64) -> f64 {
        1.0 - self.parameters.b + self.parameters.b * f64::from(length) / average
    }

    /// The factor of a term's idf in the score of a document.
    pub fn saturation(&self, pair: TfAndLength, average: f64) -> f64 {
        let norm = self.norm(pair.length, average);
        bounded((self.variant.saturation)(f64::from(pair.frequency), norm, &self.parameters))
    }
}

/// Extreme parameters can divide by zero: then the term contributes nothing. The bound keeps every
/// sum of products finite.
fn bounded(x: f64) -> f64 {
    if x.is_finite() {
        x.clamp(-1e150, 1e150)
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::statistics::{CountChanges, TermCounts};

    /// "apple pie", "banana split", "cherry tart"; the query is "apple".
    #[test]
    fn three_documents_score_as_the_papers_say() {
        let mut statistics = Statistics::default();
        let counts = CountChanges { documents: 3, tokens: [6, 0, 0, 0, 0, 0, 0, 0], parts: 0 };
        statistics.change(&counts, TermCounts::default(), [(1, 6)]);
        for (name, expected) in [("BM25Okapi", 0.51083), ("BM25L", 1.22604), ("BM25Plus", 1.96166)] {
            let model = Model::by_name(name).unwrap();
            let pair = TfAndLength { frequency: 1, length: 2 };
            let score = model.idf(&statistics, 1) * model.saturation(pair, statistics.average_length(0));
            assert!((score - expected).abs() < 1e-5, "{name}: {score}");
        }
    }

    #[test]
    fn a_division_by_zero_counts_nothing() {
        let mut model = Model::by_name("BM25Plus").unwrap();
        *model.parameters.by_name("k1").unwrap() = -1.0;
        assert_eq!(model.saturation(TfAndLength { frequency: 1, length: 4 }, 4.0), 0.0);
    }
}
