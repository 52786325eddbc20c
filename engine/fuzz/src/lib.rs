//! What the fuzz targets run. Bytes are read as a program; what the engine answers is compared with a plain answer.
//!
//! `engine/tests/corpus.rs` compiles these files too, and runs each file of the corpus.

pub mod index;
pub mod numbers;
pub mod plain;
pub mod sets;
pub mod text;
pub mod vectors;

/// Runs the bytes of one input.
pub type Target = fn(&[u8]);

/// The targets by the name of their folders in the corpus.
pub const TARGETS: [(&str, Target); 4] =
    [("text", text::run), ("index", index::run), ("sets", sets::run), ("vectors", vectors::run)];
