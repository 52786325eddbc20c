//! Text to terms: Unicode tables, the tokenizer, and token spans for highlighting.

pub mod spans;
pub mod tokenizer;
pub(crate) mod unicode;
