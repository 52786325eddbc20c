//! Values that Python code holds.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::postings::bits::Bits;
use crate::search::words::FoundTerm;
use crate::search::{eligible, explanation};
use crate::text::names::MARK;

/// Documents prepared for an index.
#[pyclass(frozen, module = "spaniel._engine")]
pub struct Batch(pub crate::index::batch::Batch);

#[pymethods]
impl Batch {
    fn __len__(&self) -> usize {
        self.0.len()
    }
}

/// A set of slots prepared for repeated searches.
#[pyclass(frozen, module = "spaniel._engine")]
pub struct Selection(pub eligible::Selection);

#[pymethods]
impl Selection {
    #[new]
    #[pyo3(signature = (bitmap, first = 0))]
    fn new(bitmap: &[u8], first: u64) -> PyResult<Self> {
        if bitmap.len() > u32::MAX as usize / 8 {
            let message =
                format!("a bitmap of {} bytes is too long: an index holds {} documents", bitmap.len(), u32::MAX);
            return Err(PyValueError::new_err(message));
        }
        Ok(Selection(eligible::Selection { first, bits: Bits::from_bytes(bitmap) }))
    }
}

/// The contribution of one query word to the score of one document.
#[pyclass(frozen, module = "spaniel._engine")]
pub struct WordScore(pub explanation::WordScore);

#[pymethods]
impl WordScore {
    #[getter]
    fn word(&self) -> usize {
        self.0.word
    }

    #[getter]
    fn df(&self) -> u32 {
        self.0.df
    }

    #[getter]
    fn score(&self) -> f64 {
        self.0.score
    }

    #[getter]
    fn whole(&self) -> f64 {
        self.0.whole
    }

    /// As (term, field, frequency in the document, amount, relation).
    #[getter]
    fn terms<'a>(&'a self) -> Vec<(&'a str, usize, u32, f64, &'static str)> {
        let plain = |(term, tf): &'a (FoundTerm, u32)| {
            (term.word.trim_start_matches(MARK), term.field, *tf, term.amount, term.relation.name())
        };
        self.0.terms.iter().map(plain).collect()
    }
}

/// The contribution of one query term to the score of one document.
#[pyclass(frozen, eq, module = "spaniel._engine")]
#[derive(PartialEq)]
pub struct TermScore(pub explanation::TermScore);

#[pymethods]
impl TermScore {
    #[getter]
    fn term(&self) -> &str {
        &self.0.term
    }

    #[getter]
    fn tf(&self) -> u32 {
        self.0.tf
    }

    #[getter]
    fn df(&self) -> u32 {
        self.0.df
    }

    #[getter]
    fn idf(&self) -> f64 {
        self.0.idf
    }

    #[getter]
    fn length_norm(&self) -> f64 {
        self.0.length_norm
    }

    #[getter]
    fn score(&self) -> f64 {
        self.0.score
    }

    fn __repr__(&self) -> String {
        let explanation::TermScore { term, tf, df, idf, length_norm, score } = &self.0;
        format!("TermScore(term={term:?}, tf={tf}, df={df}, idf={idf}, length_norm={length_norm}, score={score})")
    }
}
