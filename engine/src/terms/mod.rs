//! The term dictionary: immutable layers, the recent terms on top, and the vocabulary of a batch.

pub(crate) mod dictionary;
pub(crate) mod hash_table;
pub(crate) mod key_index;
pub(crate) mod keys;
pub(crate) mod layer;
pub(crate) mod recent_terms;
pub(crate) mod short_tokens;
pub(crate) mod stems;
pub(crate) mod vocabulary;
