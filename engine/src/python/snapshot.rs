//! Snapshots, as Python writes them to files.

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::persistence::snapshot::{self, Piece};
use crate::text::analyzer::Tokens;

/// The maximum size of a chunk in bytes.
const CHUNK: usize = 1 << 20;

/// A pinned state of a keyword index.
#[pyclass(frozen, module = "spaniel._engine")]
pub struct Snapshot {
    pub snapshot: snapshot::Snapshot,
    pub tokens: Tokens,
}

impl Drop for Snapshot {
    /// This may be the last holder of parts that are read from files by now.
    fn drop(&mut self) {
        self.snapshot.forget();
    }
}

#[pymethods]
impl Snapshot {
    /// The unsaved parts.
    #[getter]
    fn parts(&self) -> Vec<Part> {
        self.snapshot.pieces().filter(|piece| !piece.is_saved()).map(Part).collect()
    }

    /// The names of all files that belong to this state.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.snapshot.pieces().map(|piece| piece.name().to_owned()).collect()
    }

    /// The serialized state, without the files.
    fn state<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let state = py.detach(|| self.snapshot.state(self.tokens));
        PyBytes::new(py, &state)
    }
}

/// A file to be written.
#[pyclass(frozen, module = "spaniel._engine")]
pub struct Part(Piece);

#[pymethods]
impl Part {
    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    #[getter]
    fn size(&self, py: Python<'_>) -> u64 {
        py.detach(|| self.0.mark().size)
    }

    /// The bytes of the file, in pieces.
    fn chunks(&self) -> Chunks {
        Chunks { piece: self.0.clone(), at: 0 }
    }
}

/// An iterator over the bytes of a file.
#[pyclass(module = "spaniel._engine")]
pub struct Chunks {
    piece: Piece,
    at: usize,
}

#[pymethods]
impl Chunks {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let size = py.detach(|| self.piece.mark().size) as usize;
        let count = (size - self.at).min(CHUNK);
        if count == 0 {
            return Ok(None);
        }
        let chunk = PyBytes::new_with(py, count, |out| {
            py.detach(|| self.piece.fill(self.at, out));
            Ok(())
        })?;
        self.at += count;
        Ok(Some(chunk))
    }
}
