//! Index files (docs/format.md): [`image`] produces their bytes, [`file`] maps and verifies them,
//! [`array`] reads numbers from memory and from files, [`label`] names the file of a part,
//! [`bytes`] serializes small files.

pub(crate) mod array;
pub(crate) mod bytes;
pub(crate) mod file;
pub(crate) mod image;
pub(crate) mod label;
