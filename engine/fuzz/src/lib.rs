//! The programs of the fuzz targets: bytes are read as a program, whose results are compared with
//! a reference implementation.
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
