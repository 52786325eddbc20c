//! Dot products over arrays that Python holds.

use std::slice;

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::arguments::native;
use crate::vectors::dots;

/// Half of what 32 bits hold, by the largest code.
const LARGEST_SUM: u64 = i32::MAX as u64 / 128;

/// Returns the dot product of a query and each row, as 32-bit integers of the machine. The arrays must not change.
#[pyfunction]
pub fn int8_dots<'py>(py: Python<'py>, rows: PyBuffer<i8>, query: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    let query: PyBuffer<i16> = native(query)?;
    let (size, count) = (query.item_count(), rows.item_count());
    if size == 0 || count == 0 || count % size != 0 || !rows.is_c_contiguous() || !query.is_c_contiguous() {
        return Err(PyValueError::new_err(format!("{count} numbers are no contiguous rows of {size}")));
    }
    let query = query.to_vec(py)?;
    if query.iter().map(|&number| u64::from(number.unsigned_abs())).sum::<u64>() > LARGEST_SUM {
        return Err(PyValueError::new_err("the numbers of the query are too large for sums of 32 bits"));
    }
    let mut out = vec![0; count / size];
    // SAFETY: the buffer is contiguous, of this many items, and kept alive by `rows`; the caller leaves it as it is.
    let numbers = unsafe { slice::from_raw_parts(rows.buf_ptr().cast::<i8>(), count) };
    py.detach(|| dots(numbers, &query, &mut out));
    PyBytes::new_with(py, out.len() * 4, |bytes| {
        bytes.chunks_exact_mut(4).zip(&out).for_each(|(place, dot)| place.copy_from_slice(&dot.to_ne_bytes()));
        Ok(())
    })
}
