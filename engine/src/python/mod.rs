//! The Python bindings: arguments in, exceptions and results out. No search logic.

pub(crate) mod analysis;
pub(crate) mod arguments;
pub(crate) mod columns;
pub(crate) mod copies;
pub(crate) mod keyword_index;
pub(crate) mod records;
pub(crate) mod snapshot;
pub(crate) mod vectors;
