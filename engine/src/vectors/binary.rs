//! Binary vectors: one bit per dimension, the sign of the rotated difference from a centre.
//!
//! The estimate of a product and its error are those of `RaBitQ` (Gao and Long, 2024,
//! <https://doi.org/10.1145/3654970>).

use super::exact::product;
use super::lookup::{BLOCK, TABLE};
use super::rotation::Rotation;

/// Lengths for which 32 bits suffice; other vectors have an infinite error.
const NORMAL: std::ops::Range<f64> = 1e-12..1e12;

/// Rows of bits.
#[derive(Clone, Debug)]
pub struct BinaryVectors {
    pub(super) centre: Vec<f64>,
    /// The square of its length.
    pub(super) square: f64,
    pub(super) rotated: Vec<f32>,
    pub(super) count: usize,
    pub(super) blocks: Vec<u8>,
    /// Factor of the product of a row's signs and a query.
    pub(super) steps: Vec<f32>,
    /// Products of the rows' differences and the centre.
    pub(super) leans: Vec<f32>,
    /// Error of an estimate, relative to the length of the query; infinite for a vector that 32
    /// bits can't represent.
    pub(super) errors: Vec<f32>,
    /// Inverse lengths of the vectors, or 0.
    pub(super) inverses: Vec<f32>,
}

impl BinaryVectors {
    /// No rows, around a centre.
    pub fn new(centre: Vec<f64>, rotation: &Rotation) -> Self {
        let square = product(&centre, &centre);
        let rotated = rotation.rotate(centre.iter().copied());
        BinaryVectors {
            centre,
            square,
            rotated,
            count: 0,
            blocks: Vec::new(),
            steps: Vec::new(),
            leans: Vec::new(),
            errors: Vec::new(),
            inverses: Vec::new(),
        }
    }

    /// No rows, around the same centre.
    pub fn emptied(&self) -> Self {
        BinaryVectors {
            centre: self.centre.clone(),
            rotated: self.rotated.clone(),
            count: 0,
            blocks: Vec::new(),
            steps: Vec::new(),
            leans: Vec::new(),
            errors: Vec::new(),
            inverses: Vec::new(),
            ..*self
        }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns true if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds the bits of a vector.
    pub fn push(&mut self, vector: &[f64], rotation: &Rotation) {
        let difference: Vec<f64> = vector.iter().zip(&self.centre).map(|(number, centre)| number - centre).collect();
        let (lean, square) = (product(&difference, &self.centre), product(&difference, &difference));
        let rotated = rotation.rotate(difference.iter().copied());
        let nibbles: Vec<u8> = rotated
            .chunks_exact(4)
            .map(|four| four.iter().rev().fold(0, |bits, &number| bits << 1 | u8::from(number > 0.0)))
            .collect();
        let total: f64 = rotated.iter().map(|&number| f64::from(number.abs())).sum();
        let length = product(vector, vector).sqrt();
        let told = |number: f64| number == 0.0 || NORMAL.contains(&number);
        let (step, error) = if !told(length) || !told(square.sqrt()) || !told(total) {
            (0.0, f64::INFINITY)
        } else if total == 0.0 {
            (0.0, 0.0)
        } else {
            let (step, width) = (square / total, rotation.width() as f64);
            (step, ((step * step * width - square).max(0.0) / (width - 1.0)).sqrt())
        };
        let inverse = if length > 0.0 { 1.0 / length } else { 0.0 };
        self.push_row(nibbles.into_iter(), [step, lean, error, inverse].map(|number| number as f32));
    }

    fn push_row(&mut self, nibbles: impl ExactSizeIterator<Item = u8>, [step, lean, error, inverse]: [f32; 4]) {
        let (block, row) = (self.count / BLOCK * nibbles.len() * TABLE, self.count % BLOCK);
        if row == 0 {
            self.blocks.resize(block + nibbles.len() * TABLE, 0);
        }
        for (group, nibble) in nibbles.enumerate() {
            self.blocks[block + group * TABLE + row % TABLE] |= nibble << (row / TABLE * 4);
        }
        let usable = error.is_finite() && lean.is_finite();
        self.steps.push(step);
        self.leans.push(if usable { lean } else { 0.0 });
        self.errors.push(if usable { error } else { f32::INFINITY });
        self.inverses.push(inverse);
        self.count += 1;
    }

    /// Adds some rows of another set with the same centre.
    pub fn append(&mut self, other: &BinaryVectors, rows: impl Iterator<Item = usize>) {
        let groups = self.rotated.len() / 4;
        for from in rows {
            let (block, row) = (&other.blocks[from / BLOCK * groups * TABLE..], from % BLOCK);
            let nibbles = (0..groups).map(|group| block[group * TABLE + row % TABLE] >> (row / TABLE * 4) & 15);
            self.push_row(nibbles, [other.steps[from], other.leans[from], other.errors[from], other.inverses[from]]);
        }
    }
}
