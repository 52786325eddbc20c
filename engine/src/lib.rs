//! The search engine of Spaniel, as the Python module `spaniel._engine`.
//!
//! In reading order: [`unicode`] (tables) and [`tokens`], [`spans`] (text to terms); [`files`] (numbers in memory or in files);
//! [`packing`], [`pairs`], [`slots`], [`forward`], [`marks`], [`body`] and [`assembly`] (postings); [`term_table`],
//! [`vocabulary`], [`short`], [`batch`] (documents inverted aside); [`persistent`], [`recent`], [`layer`], [`lexicon`],
//! [`segment`], [`index`], [`commit`], [`merge`], [`compaction`] (states of what is stored, and how the next is made);
//! [`stored`], [`snapshot`] (how it becomes files); [`bm25`], [`tables`], [`search`] with its two ways [`exhaustive`] and
//! [`maxscore`], [`explanation`] (scores); [`columns`] (filters); [`vectors`]; [`shared`] and [`memory`] (readers beside a
//! writer); `python` (the doors).

pub mod assembly;
pub mod batch;
pub mod bits;
pub mod bm25;
pub mod body;
pub mod columns;
pub mod commit;
pub mod compaction;
pub mod eligible;
pub mod error;
pub mod exhaustive;
pub mod explanation;
pub mod files;
pub mod forward;
pub mod index;
pub mod layer;
pub mod lexicon;
pub mod marks;
pub mod maxscore;
pub mod memory;
pub mod merge;
pub mod packing;
pub mod pairs;
pub mod persistent;
mod python;

pub mod recent;
pub mod search;
pub mod segment;
pub mod shared;
pub mod short;
pub mod slots;
pub mod snapshot;
pub mod spans;
pub mod statistics;
pub mod stored;
pub mod tables;
pub mod term_table;
pub mod tokens;
pub mod top;
pub mod unicode;
pub mod vectors;
pub mod vocabulary;

#[pyo3::pymodule]
mod _engine {
    #[pymodule_export]
    use crate::python::arguments::{token_spans, tokenize};
    #[pymodule_export]
    use crate::python::columns::{Postings, SlotSet};
    #[pymodule_export]
    use crate::python::copying::{copy_objects, copy_value};
    #[pymodule_export]
    use crate::python::keyword_index::KeywordIndex;
    #[pymodule_export]
    use crate::python::records::{Batch, Selection, TermScore};
    #[pymodule_export]
    use crate::python::snapshot::{Chunks, Part, Snapshot};
    #[pymodule_export]
    use crate::python::vectors::{SizesError, VectorBatch, VectorIndex};

    #[pymodule_export]
    const UNICODE_VERSION: &str = crate::unicode::VERSION;
}
