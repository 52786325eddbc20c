//! Copies of plain values as documents hold them.

use pyo3::exceptions::PyRecursionError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple, PyType};
use pyo3::{ffi, intern};

/// Deeper values, which may be cyclic, are rejected: the stack is limited.
const MAX_DEPTH: usize = 400;

/// Returns a copy of a value that shares nothing mutable with it.
#[pyfunction]
pub(crate) fn copy_value<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    copy(value, 0)
}

/// Returns copies of objects that keep their attributes in `__dict__`. The attribute `lazy` of the
/// original becomes the attribute `stored` of the copy, uncopied: the class copies it on access.
/// `changes` are set afterwards.
#[pyfunction]
#[pyo3(signature = (objects, lazy, stored, flat, changes, each = None))]
pub(crate) fn copy_objects<'py>(
    objects: &Bound<'py, PyList>,
    lazy: Option<&Bound<'py, PyString>>,
    stored: &Bound<'py, PyString>,
    flat: &Bound<'py, PyString>,
    changes: &Bound<'py, PyDict>,
    each: Option<(Bound<'py, PyString>, Bound<'py, PyList>)>,
) -> PyResult<Bound<'py, PyList>> {
    let nothing = PyTuple::empty(objects.py());
    let copies = PyList::empty(objects.py());
    for (place, object) in objects.iter().enumerate() {
        let attributes = attributes(&object)?.copy()?;
        for (name, value) in changes.iter() {
            attributes.set_item(name, value)?;
        }
        if let Some((name, values)) = &each {
            attributes.set_item(name, values.get_item(place)?)?;
        }
        let mut shared = None;
        for (name, value) in attributes.iter().filter(|(_, value)| !is_immutable(value)) {
            match value.cast_exact::<PyList>() {
                _ if lazy.is_some_and(|lazy| name.is(lazy)) => shared = Some(value),
                _ if name.is(stored) => {} // shared: it is never modified
                Ok(list) if name.is(flat) => attributes.set_item(name, list.get_slice(0, list.len()))?,
                _ => attributes.set_item(name, copy(&value, 0)?)?,
            }
        }
        if let (Some(lazy), Some(shared)) = (lazy, shared) {
            attributes.del_item(lazy)?;
            attributes.set_item(stored, shared)?;
        }
        copies.append(with_attributes(&object.get_type(), &nothing, &attributes)?)?;
    }
    Ok(copies)
}

/// The `__dict__` of an object.
fn attributes<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
    // SAFETY: the object is alive; the result is a new reference, or null with an exception
    // set.
    let found = unsafe {
        let found = ffi::PyObject_GenericGetDict(object.as_ptr(), std::ptr::null_mut());
        Bound::from_owned_ptr_or_err(object.py(), found)?
    };
    Ok(found.cast_into::<PyDict>()?)
}

/// An object made by `object.__new__` with these attributes; no method of the class is called.
fn with_attributes<'py>(
    class: &Bound<'py, PyType>,
    nothing: &Bound<'py, PyTuple>,
    attributes: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: the slot of a static type, which `object` is, can be read, and holds a function that
    // C calls a newfunc. It is called as Python calls it: with a class, a tuple and no keywords.
    let object = unsafe {
        let slot = ffi::PyType_GetSlot(&raw mut ffi::PyBaseObject_Type, ffi::Py_tp_new);
        let new: ffi::newfunc = std::mem::transmute(slot);
        Bound::from_owned_ptr_or_err(class.py(), new(class.as_type_ptr(), nothing.as_ptr(), std::ptr::null_mut()))?
    };
    // Set by the descriptor of the class, bypassing `__setattr__`: `PyObject_GenericSetDict` does
    // not reach the inline attributes of Python 3.13.0.
    let name = intern!(class.py(), "__dict__");
    // SAFETY: all three are alive; the object takes a reference of its own.
    let failed = unsafe { ffi::PyObject_GenericSetAttr(object.as_ptr(), name.as_ptr(), attributes.as_ptr()) };
    if failed == 0 {
        Ok(object)
    } else {
        Err(PyErr::fetch(class.py()))
    }
}

fn copy<'py>(value: &Bound<'py, PyAny>, depth: usize) -> PyResult<Bound<'py, PyAny>> {
    if is_immutable(value) {
        return Ok(value.clone());
    }
    if depth == MAX_DEPTH {
        return Err(PyRecursionError::new_err(format!("a value is nested more than {MAX_DEPTH} levels deep")));
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
