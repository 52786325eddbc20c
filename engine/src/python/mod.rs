//! The doors to Python: arguments in, exceptions and results out. No search happens here.

pub mod arguments;
pub mod columns;
pub mod copying;
pub mod keyword_index;
pub mod records;
pub mod snapshot;
pub mod vectors;
