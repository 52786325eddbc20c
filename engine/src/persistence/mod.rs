//! The index as files (docs/format.md): snapshots of a state, and the layout of segments and
//! dictionary layers.

pub(crate) mod snapshot;
pub(crate) mod stored;
