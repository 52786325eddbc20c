//! Postings of one segment: document ids, impact codes, and the compressed lists of terms and of
//! documents.

pub mod bits;
pub(crate) mod builder;
pub mod doc_ids;
pub mod forward;
pub(crate) mod frequent_terms;
pub(crate) mod impact_codes;
pub(crate) mod packing;
pub(crate) mod segment_postings;
