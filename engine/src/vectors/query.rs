//! A query, and the exact score of a vector.

use super::exact::{product, ExactVectors};

/// A query vector and its similarity function.
pub struct Query<'a> {
    /// The vector.
    pub numbers: &'a [f64],
    /// True for cosine similarity, false for the dot product.
    pub cosine: bool,
    square: f64,
}

impl<'a> Query<'a> {
    /// A query by cosine or by dot product.
    pub fn new(numbers: &'a [f64], cosine: bool) -> Self {
        Query { numbers, cosine, square: product(numbers, numbers) }
    }

    /// The length of the query.
    pub fn length(&self) -> f64 {
        self.square.sqrt()
    }

    /// The score of a row, in 64 bits. A zero vector scores 0, and so does one of which the square
    /// of the length is zero in 64 bits, as in Haystack.
    pub fn score(&self, floats: &ExactVectors, row: u32) -> f64 {
        let product = floats.product(row, self.numbers);
        let lengths = if self.cosine { floats.square(self.numbers.len(), row).sqrt() * self.length() } else { 1.0 };
        if !product.is_finite() || !lengths.is_finite() {
            return self.rescaled_score(&floats.row(self.numbers.len(), row));
        }
        if lengths > 0.0 {
            product / lengths
        } else {
            0.0
        }
    }

    /// The score of a vector whose product or square overflows or underflows.
    fn rescaled_score(&self, vector: &[f64]) -> f64 {
        let (vector, larger) = rescale(vector);
        let (query, other) = rescale(self.numbers);
        let score = product(&vector, &query);
        if self.cosine {
            let lengths = product(&vector, &vector).sqrt() * product(&query, &query).sqrt();
            return if lengths > 0.0 { score / lengths } else { 0.0 };
        }
        score * larger.min(other) * larger.max(other)
    }
}

/// A vector divided by its largest number, and that number.
fn rescale(vector: &[f64]) -> (Vec<f64>, f64) {
    let largest = vector.iter().fold(0.0, |largest: f64, number| largest.max(number.abs()));
    let divisor = if largest > 0.0 { largest } else { 1.0 };
    (vector.iter().map(|number| number / divisor).collect(), largest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_hold_for_large_numbers() {
        for (scale, other) in [(1e300, 1e-300), (1.0, 1.0), (1e200, 1e-5), (1e200, 1e200)] {
            let (vector, query) = ([3.0 * scale, 4.0 * scale], [other, 0.0]);
            let score = |cosine| Query::new(&query, cosine).score(&ExactVectors::new(&vector), 0);
            assert!((score(true) - 0.6).abs() < 1e-12);
            assert!(score(false) == 3.0 * scale * other || (score(false) / scale / other - 3.0).abs() < 1e-12);
        }
        assert_eq!(Query::new(&[1e300, 1e300], false).score(&ExactVectors::new(&[1e300, -1e300]), 0), 0.0);
    }

    #[test]
    fn zero_vectors_score_zero() {
        for (query, vector) in [(0.0, 1.0), (1.0, 0.0), (1.0, 5e-324), (1e300, 0.0), (0.0, 1e300)] {
            assert_eq!(Query::new(&[query], true).score(&ExactVectors::new(&[vector]), 0), 0.0);
        }
    }
}
