//! The doors to Python: arguments in, exceptions and results out. No search happens here.

pub(crate) mod arguments;
pub(crate) mod columns;
pub(crate) mod copies;
pub(crate) mod keyword_index;
pub(crate) mod records;
pub(crate) mod snapshot;
pub(crate) mod vectors;
