//! The search engine of Spaniel, as the Python module `spaniel._engine`.
//!
//! In reading order: [`unicode`] (tables) and [`tokens`], [`spans`] (text to terms); [`batch`] (documents inverted
//! aside), [`index`], [`commit`], [`compaction`] (what is stored and how it changes); [`bm25`], [`search`],
//! [`explanation`] (scores); [`columns`] (filters); [`vectors`]; [`shared`] (readers beside a writer); `python` (the doors).

pub mod batch;
pub mod bits;
pub mod bm25;
pub mod columns;
pub mod commit;
pub mod compaction;
pub mod documents;
pub mod error;
pub mod explanation;
pub mod index;
pub mod pairs;
mod python;
pub mod search;
pub mod shared;
pub mod spans;
pub mod statistics;
pub mod tokens;
pub mod top;
pub mod unicode;
pub mod vectors;

#[pyo3::pymodule]
mod _engine {
    #[pymodule_export]
    use crate::python::arguments::{token_spans, tokenize};
    #[pymodule_export]
    use crate::python::columns::{Postings, SlotSet};
    #[pymodule_export]
    use crate::python::copying::copy_value;
    #[pymodule_export]
    use crate::python::keyword_index::KeywordIndex;
    #[pymodule_export]
    use crate::python::records::{Batch, TermScore};
    #[pymodule_export]
    use crate::python::vectors::int8_dots;

    #[pymodule_export]
    const UNICODE_VERSION: &str = crate::unicode::VERSION;
}
