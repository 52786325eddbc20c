//! Likely bounds of products, from binary vectors.

use super::binary::BinaryVectors;
use super::dispatch::by_processor;
use super::lookup::{sums, BLOCK, TABLE};
use super::rotation::Rotation;

/// Standard deviations that an estimate may be off. A vector beyond is missed: 2 in 100 on one
/// side.
const DEVIATIONS: f32 = 1.7;
/// A rotated query.
pub struct RotatedQuery {
    numbers: Vec<f32>,
    rotated: Vec<f32>,
    cosine: bool,
}

/// Upper bounds that the scores of some rows are unlikely to exceed.
#[derive(Default)]
pub struct Estimates {
    tables: Vec<u8>,
    sums: Vec<[u32; BLOCK]>,
    high: Vec<f32>,
}

impl Estimates {
    /// Calls `take` with the rows (None: all rows) that may reach a floor.
    pub fn reaching(&self, floor: f32, rows: Option<&[u32]>, mut take: impl FnMut(usize, f32)) {
        if let Some(rows) = rows {
            let rows = rows.iter().map(|&row| (row as usize, self.high[row as usize]));
            return rows.filter(|&(_, high)| high >= floor).for_each(|(row, high)| take(row, high));
        }
        for (block, highs) in self.high.chunks(BLOCK).enumerate() {
            let mut bits = 0_u32;
            compare(highs, floor, &mut bits);
            while bits != 0 {
                let row = bits.trailing_zeros() as usize;
                take(block * BLOCK + row, highs[row]);
                bits &= bits - 1;
            }
        }
    }
}

by_processor! {
    /// Sets a bit for each of up to 32 numbers that reaches a floor.
    fn compare(numbers: &[f32], floor: f32, bits: &mut u32) = compare_plain
}

#[inline(always)]
fn compare_plain(numbers: &[f32], floor: f32, bits: &mut u32) {
    if let Ok(numbers) = <&[f32; BLOCK]>::try_from(numbers) {
        for (at, &number) in numbers.iter().enumerate() {
            *bits |= u32::from(number >= floor) << at;
        }
    } else {
        for (at, &number) in numbers.iter().enumerate() {
            *bits |= u32::from(number >= floor) << at;
        }
    }
}

/// Terms that turn sums into scores: `unit` and `offset` of the tables, the product of the query
/// and the centre, the `share` of the centre in the query, and the error of an estimate by the
/// error of its row.
struct Terms {
    unit: f32,
    offset: f32,
    base: f32,
    share: f32,
    error: f32,
    cosine: bool,
}

by_processor! {
    fn finish(signs: &BinaryVectors, terms: &Terms, out: &mut Estimates) = finish_plain
}

#[inline(always)]
fn finish_plain(signs: &BinaryVectors, terms: &Terms, out: &mut Estimates) {
    let count = signs.count;
    let (sums, steps, leans) = (&out.sums.as_flattened()[..count], &signs.steps[..count], &signs.leans[..count]);
    let (errors, high) = (&signs.errors[..count], &mut out.high[..count]);
    for at in 0..count {
        let product = sums[at] as f32 * terms.unit + terms.offset;
        high[at] = terms.base + steps[at] * product + leans[at] * terms.share + errors[at] * terms.error;
    }
    let inverses = if terms.cosine { &signs.inverses[..count] } else { &[] };
    for (at, &inverse) in inverses.iter().enumerate() {
        if high[at] < f32::INFINITY {
            high[at] *= inverse;
        }
    }
}

impl RotatedQuery {
    /// A query of length 1; the estimates are those of such a query.
    pub fn new(numbers: &[f64], cosine: bool, rotation: &Rotation) -> Self {
        let rotated = rotation.rotate(numbers.iter().copied());
        RotatedQuery { numbers: numbers.iter().map(|&number| number as f32).collect(), rotated, cosine }
    }

    /// Computes the bounds of all rows.
    ///
    /// With v = c + r for the centre c, and q = q' + b c, v q = c q + r q' + b r c: the estimate of
    /// r q' errs by the length of q', which is shortest if b is that of the projection of q on c.
    pub fn estimate(&self, signs: &BinaryVectors, out: &mut Estimates) {
        let base: f64 =
            self.numbers.iter().zip(&signs.centre).map(|(&number, centre)| f64::from(number) * centre).sum();
        let share = if signs.square > 0.0 { (base / signs.square) as f32 } else { 0.0 };
        let rest: Vec<f32> =
            self.rotated.iter().zip(&signs.rotated).map(|(query, centre)| query - share * centre).collect();
        let error = DEVIATIONS * rest.iter().map(|number| number * number).sum::<f32>().sqrt();
        let error = error.max(f32::MIN_POSITIVE); // times infinity it must not be NaN
        let (unit, offset) = tabulate(&rest, &mut out.tables);
        out.sums.resize(signs.count.div_ceil(BLOCK), [0; BLOCK]);
        sums(&signs.blocks, &out.tables, &mut out.sums);
        out.high.resize(signs.count, 0.0);
        finish(signs, &Terms { unit, offset, base: base as f32, share, error, cosine: self.cosine }, out);
    }
}

/// Fills a table for each group of four dimensions: their sums for all 16 combinations of signs. A
/// byte is the number of units above the minimum sum; the minima of all tables add up to the
/// offset.
fn tabulate(numbers: &[f32], tables: &mut Vec<u8>) -> (f32, f32) {
    let reach = |four: &[f32]| four.iter().map(|number| number.abs()).sum::<f32>();
    let (mut widest, mut offset) = (0.0_f32, 0.0);
    for four in numbers.chunks_exact(4) {
        widest = widest.max(reach(four));
        offset -= reach(four);
    }
    let unit = 2.0 * widest / 255.0;
    let by_unit = if unit > 0.0 { 1.0 / unit } else { 0.0 };
    tables.clear();
    for four in numbers.chunks_exact(4) {
        let mut sums = [0.0; TABLE];
        sums[0] = -four.iter().sum::<f32>();
        for (place, number) in four.iter().enumerate() {
            for bits in 0..1 << place {
                sums[bits | 1 << place] = sums[bits] + 2.0 * number;
            }
        }
        let least = reach(four);
        tables.extend(sums.map(|sum| ((sum + least) * by_unit + 0.5) as u8));
    }
    (unit, offset)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vectors::exact::product;

    fn vector(seed: usize, size: usize) -> Vec<f64> {
        let rotation = Rotation::new(size);
        rotation
            .rotate((0..size).map(|at| f64::from(u8::from(at == seed % size))))
            .into_iter()
            .map(f64::from)
            .take(size)
            .collect()
    }

    #[test]
    fn most_products_are_within_their_estimates_and_rows_can_be_moved() {
        for (size, shift) in [(64, 0.0), (200, 0.5), (384, 0.1)] {
            let rotation = Rotation::new(size);
            let rows: Vec<Vec<f64>> =
                (0..150).map(|n| vector(n * 7 + 1, size).iter().map(|x| x + shift).collect()).collect();
            let mut signs = BinaryVectors::new(vec![shift; size], &rotation);
            rows.iter().for_each(|row| signs.push(row, &rotation));
            let mut moved = signs.emptied();
            moved.append(&signs, 0..77);
            moved.append(&signs, 77..150);
            assert_eq!((&moved.blocks, &moved.steps, &moved.errors), (&signs.blocks, &signs.steps, &signs.errors));
            let mut estimates = Estimates::default();
            let (mut missed, mut asked) = (0, 0);
            for seed in 0..40 {
                let query: Vec<f64> = vector(seed * 3, size).iter().zip(&rows[seed]).map(|(a, b)| a + b).collect();
                let length = product(&query, &query).sqrt();
                let query: Vec<f64> = query.iter().map(|number| number / length).collect();
                RotatedQuery::new(&query, false, &rotation).estimate(&signs, &mut estimates);
                for (at, row) in rows.iter().enumerate() {
                    let exact = product(row, &query) as f32;
                    asked += 1;
                    missed += usize::from(exact > estimates.high[at]);
                }
            }
            assert!(0 < missed && missed * 20 < asked, "{size}: {missed} of {asked}");
        }
    }
}
