//! What the fuzz targets run. Bytes are read as a program; what the engine answers is compared with a plain answer.
//!
//! `engine/tests/corpus.rs` compiles these files too, and runs each file of the corpus.

pub(crate) mod index;
pub(crate) mod numbers;
pub(crate) mod plain;
pub(crate) mod sets;
pub(crate) mod text;
pub(crate) mod vectors;

/// Runs the bytes of one input.
pub(crate) type Target = fn(&[u8]);

/// The targets by the name of their folders in the corpus.
pub(crate) const TARGETS: [(&str, Target); 4] =
    [("text", text::run), ("index", index::run), ("sets", sets::run), ("vectors", vectors::run)];
