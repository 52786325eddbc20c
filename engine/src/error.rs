//! What can be wrong with a request.

use std::fmt;

/// A refused request. Nothing has changed.
#[derive(Debug, PartialEq, Eq)]
pub enum Error {
    /// No living document has this slot.
    UnknownSlot(u64),
    /// A slot does not come after the one before it.
    SlotOrder { slot: u64, after: u64 },
    /// More documents than document numbers.
    Full,
    /// An earlier write stopped halfway.
    Incomplete,
    /// Something was made ready for an index that has changed since.
    Outdated,
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::UnknownSlot(slot) => write!(out, "slot {slot} is not in the index"),
            Error::SlotOrder { slot, after } => {
                write!(out, "slot {slot} comes after slot {after}: slots must increase with every document added")
            }
            Error::Full => write!(out, "an index holds at most {} documents: split it", u32::MAX),
            Error::Outdated => write!(out, "the index has changed since the batch was prepared: prepare it again"),
            Error::Incomplete => {
                write!(out, "an earlier write to this index stopped halfway: build the index again from its documents")
            }
        }
    }
}
