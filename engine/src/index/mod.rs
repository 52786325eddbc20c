//! The inverted index: immutable states shared with readers, and the commits, merges and
//! compactions that make the next one.

pub mod batch;
pub(crate) mod commit;
pub(crate) mod compaction;
pub mod layout;
pub(crate) mod memory;
pub(crate) mod merge;
pub(crate) mod persistent;
pub(crate) mod segment;
pub mod shared_index;
pub mod state;
pub(crate) mod statistics;
