//! Vectors as given: 32 bits per dimension if lossless, else 64.

use super::dispatch::{by_processor, fetch};

/// Rows of floats.
#[derive(Clone, Debug)]
pub enum ExactVectors {
    /// 32 bits per dimension.
    Single(Vec<f32>),
    /// 64 bits per dimension.
    Double(Vec<f64>),
}

/// Products are summed in this many lanes, and these in pairs, on every processor: equal vectors
/// get equal products.
const LANES: usize = 8;

impl ExactVectors {
    /// The numbers in the narrowest lossless type.
    #[allow(clippy::float_cmp)] // the comparison tests that a number survives the conversion
    pub fn new(numbers: &[f64]) -> Self {
        if numbers.iter().all(|&number| f64::from(number as f32) == number) {
            return ExactVectors::Single(numbers.iter().map(|&number| number as f32).collect());
        }
        ExactVectors::Double(numbers.to_vec())
    }

    /// Adds rows at the end, with capacity for at most `most` numbers.
    pub fn append(&mut self, other: ExactVectors, most: usize) {
        match (&mut *self, other) {
            (ExactVectors::Single(own), ExactVectors::Single(others)) => extend(own, others, most),
            (ExactVectors::Double(own), ExactVectors::Double(others)) => extend(own, others, most),
            (ExactVectors::Double(own), ExactVectors::Single(others)) => {
                extend(own, others.into_iter().map(f64::from).collect(), most);
            }
            (ExactVectors::Single(own), ExactVectors::Double(others)) => {
                *self = ExactVectors::Double(own.iter().map(|&number| f64::from(number)).chain(others).collect());
            }
        }
    }

    /// One row.
    pub fn row(&self, size: usize, row: u32) -> Vec<f64> {
        let range = row as usize * size..(row as usize + 1) * size;
        match self {
            ExactVectors::Single(numbers) => numbers[range].iter().map(|&number| f64::from(number)).collect(),
            ExactVectors::Double(numbers) => numbers[range].to_vec(),
        }
    }

    /// The product of a row and a query.
    pub fn product(&self, row: u32, query: &[f64]) -> f64 {
        let range = row as usize * query.len()..(row as usize + 1) * query.len();
        let mut lanes = [0.0; LANES];
        match self {
            ExactVectors::Single(numbers) => add_single(&numbers[range], query, &mut lanes),
            ExactVectors::Double(numbers) => add_double(&numbers[range], query, &mut lanes),
        }
        total(lanes)
    }

    /// The product of a row and itself.
    pub fn square(&self, size: usize, row: u32) -> f64 {
        let row = self.row(size, row);
        product(&row, &row)
    }

    /// Prefetches a row.
    pub fn fetch(&self, size: usize, row: u32) {
        let range = row as usize * size..(row as usize + 1) * size;
        match self {
            ExactVectors::Single(numbers) => fetch(&numbers[range]),
            ExactVectors::Double(numbers) => fetch(&numbers[range]),
        }
    }
}

/// Adds items, doubling the capacity if needed, up to `most`.
pub fn extend<T>(items: &mut Vec<T>, more: Vec<T>, most: usize) {
    let needed = items.len() + more.len();
    if needed > items.capacity() {
        items.reserve_exact((2 * items.len()).min(most).max(needed) - items.len());
    }
    items.extend(more);
}

by_processor! { fn add_single(vector: &[f32], other: &[f64], lanes: &mut [f64; LANES]) = add }
by_processor! { fn add_double(vector: &[f64], other: &[f64], lanes: &mut [f64; LANES]) = add }

/// The product of two vectors.
pub fn product(vector: &[f64], other: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    add_double(vector, other, &mut lanes);
    total(lanes)
}

/// Never fused into a multiply-add, on any processor.
#[inline(always)]
fn add<T: Copy + Into<f64>>(vector: &[T], other: &[f64], lanes: &mut [f64; LANES]) {
    let (mut numbers, mut others) = (vector.chunks_exact(LANES), other.chunks_exact(LANES));
    for (a, b) in (&mut numbers).zip(&mut others) {
        for lane in 0..LANES {
            lanes[lane] += a[lane].into() * b[lane];
        }
    }
    for (lane, (&a, b)) in numbers.remainder().iter().zip(others.remainder()).enumerate() {
        lanes[lane] += a.into() * b;
    }
}

fn total(lanes: [f64; LANES]) -> f64 {
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + b) + (c + d)) + ((e + f) + (g + h))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_as_exact_as_they_were() {
        let mut floats = ExactVectors::new(&[0.5, -2.0, 3.0, 0.25]);
        assert!(matches!(floats, ExactVectors::Single(_)));
        floats.append(ExactVectors::new(&[0.1, 1e300]), 8);
        floats.append(ExactVectors::new(&[1.0, 2.0]), 8);
        assert!(matches!(floats, ExactVectors::Double(_)));
        let rows: Vec<_> = (0..4).map(|row| floats.row(2, row)).collect();
        assert_eq!(rows, [[0.5, -2.0], [3.0, 0.25], [0.1, 1e300], [1.0, 2.0]]);
    }

    #[test]
    fn products_are_those_of_the_schoolbook() {
        for size in [1, 7, 8, 20, 4096] {
            let a: Vec<f64> = (0..size).map(|i| f64::from(i % 13 - 6)).collect();
            let b: Vec<f64> = (0..size).map(|i| f64::from(i % 7 - 3)).collect();
            let expected: f64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
            assert_eq!([ExactVectors::new(&a).product(0, &b), product(&a, &b)], [expected; 2]);
        }
    }
}
