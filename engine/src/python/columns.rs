//! Sets of slots and the postings of a column as Python classes.

use std::sync::{OnceLock, PoisonError, RwLock};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use roaring::RoaringTreemap;

use super::arguments::{numbers, Slots};
use crate::columns::postings;
use crate::search::eligible::{Allowed, Selection};

/// An immutable set of slots.
#[pyclass(frozen, module = "spaniel._engine")]
pub struct SlotSet(pub RoaringTreemap, OnceLock<Option<Selection>>);

impl SlotSet {
    /// The set of these slots.
    pub(crate) fn of(slots: RoaringTreemap) -> Self {
        SlotSet(slots, OnceLock::new())
    }

    /// The set for a search of the keyword index. A dense set is converted to bits once, for all
    /// searches.
    pub fn allowed(&self) -> Allowed<'_> {
        match self.1.get_or_init(|| Selection::dense(&self.0)) {
            Some(selection) => Allowed::Selection(selection),
            None => Allowed::Set(&self.0),
        }
    }
}

#[pymethods]
impl SlotSet {
    #[new]
    #[pyo3(signature = (slots = None))]
    fn new(slots: Option<Slots>) -> Self {
        SlotSet::of(slots.map(|slots| slots.0.into_iter().collect()).unwrap_or_default())
    }

    fn __or__(&self, other: &Self) -> Self {
        SlotSet::of(&self.0 | &other.0)
    }

    fn __and__(&self, other: &Self) -> Self {
        SlotSet::of(&self.0 & &other.0)
    }

    fn __sub__(&self, other: &Self) -> Self {
        SlotSet::of(&self.0 - &other.0)
    }

    fn __len__(&self) -> usize {
        self.0.len() as usize
    }

    fn __contains__(&self, slot: &Bound<'_, PyAny>) -> bool {
        slot.extract::<u64>().is_ok_and(|slot| self.0.contains(slot))
    }

    /// Returns the slots, rising.
    fn tolist(&self) -> Vec<u64> {
        self.0.iter().collect()
    }

    /// Returns the slots, rising, as 64-bit integers of the machine.
    fn tobytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        PyBytes::new_with(py, self.0.len() as usize * 8, |bytes| {
            for (place, slot) in bytes.chunks_exact_mut(8).zip(&self.0) {
                place.copy_from_slice(&slot.to_ne_bytes());
            }
            Ok(())
        })
    }
}

/// The numbers of values, 32 bits each.
pub(crate) struct Values(Vec<u32>);

impl<'py> FromPyObject<'_, 'py> for Values {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        numbers(object).map(Values)
    }
}

/// The slots of each value of a column.
#[pyclass(frozen, module = "spaniel._engine")]
#[derive(Default)]
pub struct Postings(RwLock<postings::Postings>);

impl Postings {
    /// Applies `change` to each value and its slot, after all arguments were validated.
    fn change(&self, values: &[u32], slots: &[u64], step: fn(&mut postings::Postings, u32, u64)) -> PyResult<()> {
        if values.len() != slots.len() {
            return Err(PyValueError::new_err(format!(
                "{} values but {} slots: give one for each",
                values.len(),
                slots.len()
            )));
        }
        let mut postings = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let most = postings.len() + values.len();
        if let Some(value) = values.iter().find(|&&value| value as usize >= most) {
            return Err(PyValueError::new_err(format!("value {value} is too high: number values from 0 without gaps")));
        }
        values.iter().zip(slots).for_each(|(&value, &slot)| step(&mut postings, value, slot));
        Ok(())
    }
}

#[pymethods]
impl Postings {
    #[new]
    fn new() -> Self {
        Postings::default()
    }

    /// Adds each slot to the value at the same position.
    fn add(&self, py: Python<'_>, values: Values, slots: Slots) -> PyResult<()> {
        py.detach(|| self.change(&values.0, &slots.0, postings::Postings::insert))
    }

    /// Removes each slot from the value at the same position, if present.
    fn remove(&self, py: Python<'_>, values: Values, slots: Slots) -> PyResult<()> {
        py.detach(|| self.change(&values.0, &slots.0, postings::Postings::remove))
    }

    /// Keeps these values, renumbered in this order, and drops the others.
    fn keep(&self, py: Python<'_>, values: Values) {
        py.detach(|| self.0.write().unwrap_or_else(PoisonError::into_inner).keep(&values.0));
    }

    /// Returns the slots of any of the values.
    fn union(&self, py: Python<'_>, values: Values) -> SlotSet {
        py.detach(|| SlotSet::of(self.0.read().unwrap_or_else(PoisonError::into_inner).union(&values.0)))
    }
}
