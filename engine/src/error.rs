//! Errors of requests and of index files.

use std::fmt;
use std::path::Path;

/// Error of a rejected request. Nothing has changed.
#[derive(Debug, PartialEq, Eq)]
pub enum Error {
    /// No live document has this id.
    UnknownDocId(u64),
    /// A document id is not greater than the one before it.
    DocIdOrder {
        /// The rejected id.
        doc_id: u64,
        /// The id before it.
        after: u64,
    },
    /// The segment or index has no room for more documents or terms.
    Full,
    /// A batch was prepared for an index with other fields.
    OtherFields,
    /// An earlier write stopped halfway.
    Incomplete,
    /// A batch was prepared for an index that has changed since.
    Outdated,
    /// An index file differs from the one that was written.
    Damaged(Box<Fault>),
    /// An index file was written by another version.
    Version(Box<Fault>),
    /// The system refused to read a file.
    Unreadable {
        /// The error number of the system.
        errno: Option<i32>,
        /// The file and the message of the system.
        fault: Box<Fault>,
    },
}

/// A file and the fault found in it.
#[derive(Debug, PartialEq, Eq)]
pub struct Fault {
    /// Path of the file.
    pub file: String,
    /// The fault, as the predicate of a sentence about the file.
    pub problem: String,
}

impl Error {
    /// Error of a file that differs from the one that was written.
    #[cold]
    pub fn damaged(file: &Path, problem: impl Into<String>) -> Error {
        Error::Damaged(Fault::boxed(file, problem))
    }

    /// Error of a file that was written by another version.
    #[cold]
    pub fn version(file: &Path, problem: impl Into<String>) -> Error {
        Error::Version(Fault::boxed(file, problem))
    }

    /// An I/O error. A missing file counts as damaged: the index lacks a part.
    #[cold]
    pub fn unreadable(file: &Path, error: &std::io::Error) -> Error {
        if error.kind() == std::io::ErrorKind::NotFound {
            return Error::damaged(file, "is missing");
        }
        Error::Unreadable { errno: error.raw_os_error(), fault: Fault::boxed(file, error.to_string()) }
    }
}

impl Fault {
    fn boxed(file: &Path, problem: impl Into<String>) -> Box<Fault> {
        Box::new(Fault { file: file.display().to_string(), problem: problem.into() })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::UnknownDocId(doc_id) => write!(out, "slot {doc_id} is not in the index"),
            Error::DocIdOrder { doc_id, after } => {
                write!(out, "slot {doc_id} comes after slot {after}: slots must increase with every document added")
            }
            Error::Full => write!(out, "an index holds at most {} documents, and words of 4 GiB: split it", u32::MAX),
            Error::OtherFields => write!(out, "the documents were prepared for an index with other fields"),
            Error::Outdated => write!(out, "the index has changed since the batch was prepared: prepare it again"),
            Error::Incomplete => {
                write!(out, "an earlier write to this index stopped halfway: build the index again from its documents")
            }
            Error::Damaged(fault) | Error::Version(fault) => {
                write!(out, "index file '{}' {}: build the index again from its documents", fault.file, fault.problem)
            }
            Error::Unreadable { fault, .. } => {
                write!(out, "index file '{}' can't be read: {}", fault.file, fault.problem)
            }
        }
    }
}
