//! What can be wrong with a request, or with the files of an index.

use std::fmt;
use std::path::Path;

/// A refused request. Nothing has changed.
#[derive(Debug, PartialEq, Eq)]
pub enum Error {
    /// No living document has this slot.
    UnknownDocId(u64),
    /// A slot does not come after the one before it.
    DocIdOrder { doc_id: u64, after: u64 },
    /// More documents than document numbers.
    Full,
    /// An earlier write stopped halfway.
    Incomplete,
    /// Something was made ready for an index that has changed since.
    Outdated,
    /// A file of the index does not hold what was written.
    Damaged(Box<Fault>),
    /// A file of the index was written by another version.
    Version(Box<Fault>),
    /// The system refused to read a file.
    Unreadable { errno: Option<i32>, fault: Box<Fault> },
}

/// A file and what is wrong with it.
#[derive(Debug, PartialEq, Eq)]
pub struct Fault {
    pub file: String,
    pub what: String,
}

impl Error {
    /// A file that does not hold what was written.
    #[cold]
    pub fn damaged(file: &Path, what: impl Into<String>) -> Error {
        Error::Damaged(Fault::boxed(file, what))
    }

    /// A file that was written by another version.
    #[cold]
    pub fn version(file: &Path, what: impl Into<String>) -> Error {
        Error::Version(Fault::boxed(file, what))
    }

    /// What the system says of a file. One that is missing counts as damaged: the index lacks a part.
    #[cold]
    pub fn unreadable(file: &Path, error: &std::io::Error) -> Error {
        if error.kind() == std::io::ErrorKind::NotFound {
            return Error::damaged(file, "is missing");
        }
        Error::Unreadable { errno: error.raw_os_error(), fault: Fault::boxed(file, error.to_string()) }
    }
}

impl Fault {
    fn boxed(file: &Path, what: impl Into<String>) -> Box<Fault> {
        Box::new(Fault { file: file.display().to_string(), what: what.into() })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::UnknownDocId(doc_id) => write!(out, "slot {doc_id} is not in the index"),
            Error::DocIdOrder { doc_id, after } => {
                write!(out, "slot {doc_id} comes after doc_id {after}: doc_ids must increase with every document added")
            }
            Error::Full => write!(out, "an index holds at most {} documents, and words of 4 GiB: split it", u32::MAX),
            Error::Outdated => write!(out, "the index has changed since the batch was prepared: prepare it again"),
            Error::Incomplete => {
                write!(out, "an earlier write to this index stopped halfway: build the index again from its documents")
            }
            Error::Damaged(fault) | Error::Version(fault) => {
                write!(out, "index file '{}' {}: build the index again from its documents", fault.file, fault.what)
            }
            Error::Unreadable { fault, .. } => write!(out, "index file '{}' can't be read: {}", fault.file, fault.what),
        }
    }
}
