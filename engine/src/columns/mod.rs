//! Sets of document ids for each distinct value of a column: the index behind metadata filters.
//! [`doc_id_set`] is the set of one value, [`postings`] the sets of all values.

pub(crate) mod doc_id_set;
pub mod postings;
