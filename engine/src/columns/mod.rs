//! Which documents hold which value: the sets behind filters.
//!
//! A column numbers its distinct values; [`posting`] is the set of slots of one value, [`postings`] that of each.

pub mod posting;
pub mod postings;
