//! Which file a part of the index has.

use std::sync::OnceLock;

use super::file::FileStamp;
use super::image::Header;

/// The name and the mark of a part's file, from when they are first needed.
#[derive(Debug, Default)]
pub struct FileLabel {
    name: OnceLock<String>,
    header: OnceLock<Header>,
    /// Whether the part is read from that file.
    pub saved: bool,
}

impl FileLabel {
    /// That of a part which is in a file.
    pub fn saved(name: &str, mark: FileStamp) -> FileLabel {
        FileLabel { name: OnceLock::from(name.to_owned()), header: OnceLock::from(Header::of(mark)), saved: true }
    }

    /// The name: 128 random bits, so that none is ever used again.
    pub fn name(&self, ending: &str) -> &str {
        self.name.get_or_init(|| {
            let bits = u128::from_le_bytes(random());
            format!("{bits:032x}.{ending}")
        })
    }

    /// Whether both are of one file.
    pub fn is_same(&self, other: &FileLabel) -> bool {
        self.name.get().is_some_and(|name| other.name.get() == Some(name))
    }

    /// The header of the file that the part has or will have.
    pub fn header(&self, make: impl FnOnce() -> Header) -> &Header {
        self.header.get_or_init(make)
    }
}

/// Bytes that nobody can foresee.
pub(crate) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the system has random numbers");
    bytes
}
