//! The index in files (docs/format.md): [`image`] makes their bytes, [`file`] maps and checks them, [`array`] reads numbers in
//! memory and in files alike, [`label`] tells which part is in which file, [`bytes`] is for what is not mapped.

pub(crate) mod array;
pub(crate) mod bytes;
pub(crate) mod file;
pub(crate) mod image;
pub(crate) mod label;
