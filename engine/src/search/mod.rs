//! BM25 search: a request, the two ways to answer it, and the explanation of a score.

pub mod bm25;
pub mod conditions;
pub mod eligible;
pub(crate) mod exhaustive;
pub mod explanation;
pub mod field_model;
pub(crate) mod maxscore;
pub mod request;
pub(crate) mod score_tables;
pub(crate) mod top_k;
pub mod vocabulary;
pub(crate) mod wholes;
pub mod word_search;
pub mod words;
