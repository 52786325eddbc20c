//! Scalar-quantized vectors with error bounds: a scan of them leaves few vectors to be multiplied
//! exactly.

use super::dispatch::fetch;
use super::dot_products::dots;
use super::exact::extend;

const MAX_CODE: f64 = 127.0;
/// The maximum sum of the query's codes that fits 32 bits.
const MAX_SUM: usize = (i32::MAX / 128) as usize;
/// A vector with a largest number outside this range has no code: its bounds are infinite.
const NORMAL: std::ops::Range<f64> = 1e-25..1e25;
/// A query outside this range has no code, as its square would overflow.
const NORMAL_QUERY: std::ops::Range<f64> = 1e-100..1e100;
/// Relative slack above the rounding error of 32 bits.
const SLACK: f64 = 1e-6;
/// Standard deviations of a product with a random error that are practically never exceeded.
const DEVIATIONS: f64 = 6.0;
/// Relative slack far above the rounding error of a product in 64 bits.
const ROUNDING: f64 = 1e-9;

/// Rows of integers from -127 to 127.
#[derive(Clone, Debug, Default)]
pub struct QuantizedVectors {
    numbers: Vec<i8>,
    rows: Vec<Row>,
}

/// The decoding of a row: the vector is within `error` of `scale` times its integers.
#[derive(Clone, Copy, Debug)]
struct Row {
    scale: f32,
    /// By Euclidean distance, rounded up; infinite for a vector without a code.
    error: f32,
    /// The length of the decoded row, rounded up.
    length: f32,
    /// The inverse of the vector's length; 0 for a zero vector and for a vector without a code.
    inverse: f32,
}

impl QuantizedVectors {
    /// No rows, with capacity for some.
    pub fn with_room(rows: usize, size: usize) -> Self {
        QuantizedVectors { numbers: Vec::with_capacity(rows * size), rows: Vec::with_capacity(rows) }
    }

    /// Adds the code of a vector.
    pub fn push(&mut self, vector: &[f64]) {
        let largest = vector.iter().fold(0.0, |largest: f64, number| largest.max(number.abs()));
        let has_code = NORMAL.contains(&largest);
        let scale = if has_code { (largest / MAX_CODE) as f32 } else { 1.0 };
        let wide = f64::from(scale);
        let (mut off, mut length, mut square) = (0.0, 0.0, 0.0);
        for &number in vector {
            let code = if has_code { (number / wide).round_ties_even().clamp(-MAX_CODE, MAX_CODE) } else { 0.0 };
            self.numbers.push(code as i8);
            off += (number - code * wide) * (number - code * wide);
            length += code * code;
            square += number * number;
        }
        let up = |number: f64| (number * (1.0 + SLACK)) as f32;
        self.rows.push(Row {
            scale,
            error: if has_code || largest == 0.0 { up(off.sqrt()) } else { f32::INFINITY },
            length: up(length.sqrt() * wide),
            inverse: if has_code { (1.0 / square.sqrt()) as f32 } else { 0.0 },
        });
    }

    /// Adds rows at the end, with capacity for at most `most` numbers.
    pub fn append(&mut self, other: QuantizedVectors, most: usize) {
        extend(&mut self.numbers, other.numbers, most);
        self.rows.extend(other.rows);
    }
}

/// A query as integers.
pub struct QuantizedQuery {
    numbers: Vec<i16>,
    scale: f64,
    length: f64,
    error: f64,
    cosine: bool,
    /// The share of the worst-case error that counts.
    share: f64,
}

/// Lower and upper bounds of the scores of some rows.
#[derive(Default)]
pub struct Bounds {
    dots: Vec<i32>,
    /// Lower bounds.
    pub low: Vec<f64>,
    /// Upper bounds.
    pub high: Vec<f64>,
}

impl QuantizedQuery {
    /// Quantizes a query; None if it is zero, or out of range.
    pub fn new(query: &[f64], cosine: bool) -> Option<Self> {
        let largest = query.iter().fold(0.0, |largest: f64, number| largest.max(number.abs()));
        let limit = i16::try_from(MAX_SUM / query.len()).unwrap_or(i16::MAX);
        if !NORMAL_QUERY.contains(&largest) || limit == 0 {
            return None;
        }
        let scale = largest / f64::from(limit);
        let (mut numbers, mut off, mut square) = (Vec::with_capacity(query.len()), 0.0, 0.0);
        for &number in query {
            let ratio = number / scale;
            let code = ratio.round_ties_even().clamp(-f64::from(limit), f64::from(limit));
            numbers.push(code as i16);
            off += (ratio - code) * (ratio - code);
            square += ratio * ratio;
        }
        let error = scale * f64::sqrt(off) * (1.0 + SLACK);
        Some(QuantizedQuery { numbers, scale, length: scale * f64::sqrt(square), error, cosine, share: 1.0 })
    }

    /// The query with likely bounds: as narrow as for random errors, exceeded only by errors
    /// aligned with the query.
    pub fn likely(self) -> Self {
        let share = (DEVIATIONS / (self.numbers.len() as f64).sqrt()).min(1.0);
        QuantizedQuery { share, ..self }
    }

    /// Computes the bounds of the scores of rows.
    ///
    /// With c the row's code and d the query's, v q - c d = (v - c) q + c (q - d), and each part is
    /// at most the product of its lengths (Cauchy and Schwarz).
    pub fn bounds(&self, rows: &QuantizedVectors, places: &[u32], bounds: &mut Bounds) {
        let count = places.len();
        bounds.dots.resize(count, 0);
        bounds.low.resize(count, 0.0);
        bounds.high.resize(count, 0.0);
        places.iter().for_each(|&place| fetch(&rows.rows[place as usize..][..1]));
        dots(&rows.numbers, places, &self.numbers, &mut bounds.dots);
        let by_error = self.length * (1.0 + ROUNDING) * self.share;
        let by_length = self.error + self.length * ROUNDING;
        let by_cosine = 1.0 / self.length;
        for (at, &place) in places.iter().enumerate() {
            let row = rows.rows[place as usize];
            let mut middle = f64::from(bounds.dots[at]) * self.scale * f64::from(row.scale);
            let mut off = f64::from(row.error) * by_error + f64::from(row.length) * by_length;
            if self.cosine && off < f64::INFINITY {
                let inverse = f64::from(row.inverse) * by_cosine;
                middle *= inverse;
                off = off * inverse * (1.0 + SLACK) + SLACK;
            }
            bounds.low[at] = middle - off;
            bounds.high[at] = middle + off;
        }
    }
}
