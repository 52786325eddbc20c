//! The search engine of Spaniel, as the Python module `spaniel._engine`.
//!
//! It is given document ids and texts, and returns document ids and scores; it knows nothing else
//! of a document.

pub mod columns;
pub mod error;
pub(crate) mod files;
pub mod index;
pub(crate) mod persistence;
pub mod postings;
mod python;
pub mod search;
pub(crate) mod terms;
pub mod text;
pub mod vectors;

#[pyo3::pymodule]
mod _engine {
    #[pymodule_export]
    use crate::python::analysis::{
        analyze, detect_language, languages, query_words, stem, word_sequence, word_spans, QueryWord,
    };
    #[pymodule_export]
    use crate::python::arguments::{token_spans, tokenize};
    #[pymodule_export]
    use crate::python::columns::{Postings, SlotSet};
    #[pymodule_export]
    use crate::python::copies::{copy_objects, copy_value};
    #[pymodule_export]
    use crate::python::keyword_index::KeywordIndex;
    #[pymodule_export]
    use crate::python::records::{Batch, Selection, TermScore, WordScore};
    #[pymodule_export]
    use crate::python::snapshot::{Chunks, Part, Snapshot};
    #[pymodule_export]
    use crate::python::vectors::{SizesError, VectorBatch, VectorIndex};

    #[pymodule_export]
    const UNICODE_VERSION: &str = crate::text::unicode::VERSION;
}
