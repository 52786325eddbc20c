//! Text to terms: Unicode tables, the tokenizers, languages, queries, and spans for highlighting.

mod accents;
pub mod analyzer;
mod compounds;
mod detection;
mod identifiers;
pub mod language;
pub mod names;
pub mod query;
pub(crate) mod scripts;
pub mod spans;
mod stop_words;
pub mod tokenizer;
pub(crate) mod unicode;
pub mod words;
