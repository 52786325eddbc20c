//! The vector index as a Python class. Methods that wait for a lock or compute release the GIL
//! first.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::arguments::{native, List, Slots};
use super::columns::SlotSet;
use crate::error::Error;
use crate::vectors::candidates::Allowed;
use crate::vectors::query::Query;
use crate::vectors::shared_vectors::{Batch, Found, SharedVectors};

pyo3::create_exception!(spaniel._engine, SizesError, PyValueError);

/// Vectors prepared for an index.
#[pyclass(frozen, module = "spaniel._engine")]
pub(crate) struct VectorBatch(Mutex<Option<Batch>>);

/// The documents that a search may return.
pub(crate) enum Filter {
    Slots(Slots),
    Set(Py<SlotSet>),
}

impl<'py> FromPyObject<'_, 'py> for Filter {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(set) = object.cast::<SlotSet>() {
            Ok(Filter::Set(set.to_owned().unbind()))
        } else {
            let mut slots: Slots = object.extract()?;
            slots.0.sort_unstable();
            slots.0.dedup();
            Ok(Filter::Slots(slots))
        }
    }
}

/// Vectors by slot, for concurrent readers and one writer.
#[pyclass(frozen, module = "spaniel._engine")]
#[derive(Default)]
pub struct VectorIndex(SharedVectors);

#[pymethods]
impl VectorIndex {
    #[new]
    fn new() -> Self {
        VectorIndex::default()
    }

    /// Returns vectors prepared for `apply`. The index is not touched.
    fn prepare(&self, py: Python<'_>, slots: Slots, vectors: List<Bound<'_, PyAny>>) -> PyResult<VectorBatch> {
        let vectors: Vec<PyBuffer<f64>> = vectors.0.iter().map(native).collect::<PyResult<_>>()?;
        if slots.0.len() != vectors.len() {
            let message = format!("{} slots but {} vectors: give one for each slot", slots.0.len(), vectors.len());
            return Err(PyValueError::new_err(message));
        }
        let mut by_size: BTreeMap<usize, (Vec<u64>, Vec<f64>)> = BTreeMap::new();
        for (&slot, vector) in slots.0.iter().zip(&vectors) {
            let size = vector.item_count();
            let (slots, numbers) = by_size.entry(size).or_default();
            slots.push(slot);
            numbers.resize(numbers.len() + size, 0.0);
            let start = numbers.len() - size;
            vector.copy_to_slice(py, &mut numbers[start..])?;
            check(&numbers[start..])?;
        }
        let parts: Vec<_> = by_size.into_iter().map(|(size, (slots, numbers))| (size, slots, numbers)).collect();
        let batch = py.detach(|| self.0.prepare(&parts))?;
        Ok(VectorBatch(Mutex::new(Some(batch))))
    }

    /// Removes and adds vectors, atomically for readers.
    #[pyo3(signature = (removed, added = None))]
    fn apply(&self, py: Python<'_>, removed: Slots, added: Option<&VectorBatch>) -> PyResult<()> {
        let batch =
            added.map(|batch| batch.0.lock().unwrap_or_else(PoisonError::into_inner).take().ok_or(Error::Outdated));
        let batch = batch.transpose()?;
        Ok(py.detach(|| self.0.apply(&removed.0, batch))?)
    }

    /// Compacts chunks with many deleted rows.
    fn tidy(&self, py: Python<'_>) -> PyResult<()> {
        Ok(py.detach(|| self.0.tidy())?)
    }

    /// Adds binary codes for approximate search to all vectors, present and future.
    fn code(&self, py: Python<'_>) -> PyResult<()> {
        Ok(py.detach(|| self.0.code())?)
    }

    /// Returns an index with the current state, whose memory is shared.
    fn fork(&self) -> PyResult<VectorIndex> {
        Ok(VectorIndex(self.0.read()?.into()))
    }

    /// Returns the best vectors, as (slot, score).
    #[pyo3(signature = (query, *, cosine, top_k, allowed = None, approximate = false))]
    fn nearest(
        &self,
        py: Python<'_>,
        query: &Bound<'_, PyAny>,
        cosine: bool,
        top_k: usize,
        allowed: Option<Filter>,
        approximate: bool,
    ) -> PyResult<Vec<(u64, f64)>> {
        let numbers = native::<f64>(query)?.to_vec(py)?;
        check(&numbers)?;
        let found = py.detach(|| {
            let allowed = match &allowed {
                None => Allowed::All,
                Some(Filter::Slots(slots)) => Allowed::DocIds(&slots.0),
                Some(Filter::Set(set)) => Allowed::Set(&set.get().0),
            };
            Ok::<_, Error>(self.0.read()?.nearest(&Query::new(&numbers, cosine), top_k, allowed, approximate))
        })?;
        match found {
            Found::Hits(hits) => Ok(hits.into_iter().map(|hit| (hit.doc_id, hit.score)).collect()),
            Found::Sizes(sizes) => {
                let slot_of_size = PyDict::new(py);
                sizes.into_iter().try_for_each(|(size, slot)| slot_of_size.set_item(size, slot))?;
                Err(SizesError::new_err(slot_of_size.unbind()))
            }
        }
    }
}

fn check(numbers: &[f64]) -> PyResult<()> {
    if numbers.is_empty() || !numbers.iter().all(|number| number.is_finite()) {
        return Err(PyValueError::new_err("a vector is one or more finite numbers"));
    }
    Ok(())
}
