//! Copies of plain values, as documents hold them.

use pyo3::exceptions::PyRecursionError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString};

/// Deeper values, which may run in a circle, are refused: the stack has an end.
const DEEPEST: usize = 400;

/// Returns a copy of a value that shares nothing mutable with it.
#[pyfunction]
pub fn copy_value<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    copy(value, 0)
}

fn copy<'py>(value: &Bound<'py, PyAny>, depth: usize) -> PyResult<Bound<'py, PyAny>> {
    if is_immutable(value) {
        return Ok(value.clone());
    }
    if depth == DEEPEST {
        return Err(PyRecursionError::new_err(format!("a value is nested more than {DEEPEST} levels deep")));
    }
    if let Ok(dict) = value.cast_exact::<PyDict>() {
        let copied = dict.copy()?;
        // a list first: copying an item may run code that changes the dict
        let items: Vec<_> = copied.iter().filter(|(_, item)| !is_immutable(item)).collect();
        for (key, item) in items {
            copied.set_item(key, copy(&item, depth + 1)?)?;
        }
        return Ok(copied.into_any());
    }
    if let Ok(list) = value.cast_exact::<PyList>() {
        let copied = list.get_slice(0, list.len());
        for (place, item) in copied.iter().enumerate().filter(|(_, item)| !is_immutable(item)) {
            copied.set_item(place, copy(&item, depth + 1)?)?;
        }
        return Ok(copied.into_any());
    }
    value.py().import(intern!(value.py(), "copy"))?.call_method1(intern!(value.py(), "deepcopy"), (value,))
}

fn is_immutable(value: &Bound<'_, PyAny>) -> bool {
    value.is_exact_instance_of::<PyString>()
        || value.is_exact_instance_of::<PyInt>()
        || value.is_exact_instance_of::<PyFloat>()
        || value.is_none()
        || value.is_exact_instance_of::<PyBool>()
        || value.is_exact_instance_of::<PyBytes>()
}
