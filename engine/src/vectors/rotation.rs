//! A fixed random rotation: it evens out the dimensions, so that their signs carry most of the
//! information.

const ROUNDS: usize = 4;
const SEED: u64 = 0x5350_414E_4945_4C00;

/// Rotates vectors of one width: random sign flips, then Walsh-Hadamard transforms of the first and
/// of the last dimensions alternately, in a few rounds. That takes n log n steps where a random
/// matrix takes n * n.
#[derive(Debug)]
pub struct Rotation {
    width: usize,
    signs: Vec<f32>,
}

impl Rotation {
    /// The rotation for vectors of up to `size` numbers.
    pub fn new(size: usize) -> Self {
        let width = size.next_multiple_of(64);
        let mut state = SEED;
        let mut sign = || if mixed(&mut state) & 1 == 0 { 1.0 } else { -1.0 };
        Rotation { width, signs: (0..ROUNDS * width).map(|_| sign()).collect() }
    }

    /// The dimension of a rotated vector.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rotates a vector, padded with zeros.
    pub fn rotate(&self, vector: impl Iterator<Item = f64>) -> Vec<f32> {
        let mut numbers: Vec<f32> = vector.map(|number| number as f32).collect();
        numbers.resize(self.width, 0.0);
        let part = 1 << self.width.ilog2();
        for (round, signs) in self.signs.chunks_exact(self.width).enumerate() {
            numbers.iter_mut().zip(signs).for_each(|(number, sign)| *number *= sign);
            let start = if round % 2 == 0 { 0 } else { self.width - part };
            hadamard(&mut numbers[start..start + part]);
            if part < self.width {
                let (left, right) = numbers.split_at_mut(self.width / 2);
                left.iter_mut().zip(right).for_each(|(a, b)| butterfly(a, b, std::f32::consts::FRAC_1_SQRT_2));
            }
        }
        numbers
    }
}

fn hadamard(numbers: &mut [f32]) {
    let mut half = 1;
    while half < numbers.len() {
        for pair in numbers.chunks_exact_mut(2 * half) {
            let (left, right) = pair.split_at_mut(half);
            left.iter_mut().zip(right).for_each(|(a, b)| butterfly(a, b, 1.0));
        }
        half *= 2;
    }
    let scale = 1.0 / (numbers.len() as f32).sqrt();
    numbers.iter_mut().for_each(|number| *number *= scale);
}

#[inline(always)]
fn butterfly(a: &mut f32, b: &mut f32, scale: f32) {
    (*a, *b) = ((*a + *b) * scale, (*a - *b) * scale);
}

/// The next number of `SplitMix64`.
fn mixed(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_stay_and_single_numbers_are_spread() {
        for size in [1, 64, 65, 128, 384, 1000, 1536] {
            let rotation = Rotation::new(size);
            for place in [0, size / 2, size - 1] {
                let rotated = rotation.rotate((0..size).map(|at| f64::from(u8::from(at == place))));
                let square: f32 = rotated.iter().map(|number| number * number).sum();
                assert!((square - 1.0).abs() < 1e-5, "{size}");
                let largest = rotated.iter().fold(0.0, |largest: f32, number| largest.max(number.abs()));
                assert!(largest < 6.0 / (rotation.width() as f32).sqrt(), "{size} {largest}");
            }
        }
    }
}
