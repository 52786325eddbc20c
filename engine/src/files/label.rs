//! The file of an index part.

use std::sync::OnceLock;

use super::file::FileStamp;
use super::image::Header;

/// Name and stamp of the file of a part, computed at first use.
#[derive(Debug, Default)]
pub struct FileLabel {
    name: OnceLock<String>,
    header: OnceLock<Header>,
    /// True if the part is read from that file.
    pub saved: bool,
}

impl FileLabel {
    /// The label of a part that is in a file.
    pub fn saved(name: &str, mark: FileStamp) -> FileLabel {
        FileLabel { name: OnceLock::from(name.to_owned()), header: OnceLock::from(Header::of(mark)), saved: true }
    }

    /// The file name: 128 random bits, so that no name is used twice.
    pub fn name(&self, ending: &str) -> &str {
        self.name.get_or_init(|| {
            let bits = u128::from_le_bytes(random());
            format!("{bits:032x}.{ending}")
        })
    }

    /// Returns true if both name the same file.
    pub fn is_same(&self, other: &FileLabel) -> bool {
        self.name.get().is_some_and(|name| other.name.get() == Some(name))
    }

    /// The header of the file, computed once.
    pub fn header(&self, make: impl FnOnce() -> Header) -> &Header {
        self.header.get_or_init(make)
    }
}

/// Unpredictable random bytes.
pub(crate) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the system has random numbers");
    bytes
}
