//! Sets of document ids for each distinct value of a column: the index behind metadata filters.
//! [`posting`] is the set of one value, [`postings`] the sets of all values.

pub mod posting;
pub mod postings;
