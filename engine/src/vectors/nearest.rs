//! Nearest-neighbour search: bounds leave few vectors to be multiplied exactly.

use std::borrow::Cow;

use super::candidates::{count, Candidates};
use super::chunk::{Chunk, CHUNK};
use super::estimates::{Estimates, RotatedQuery};
use super::quantized::{Bounds, QuantizedQuery};
use super::query::Query;
use super::rows::Rows;

use crate::search::top_k::{Hit, TopK};

/// Rows per batch of bounds.
const PART: usize = 256;
/// A search for more than one in this many rows multiplies all of them.
const PROMISING: usize = 8;
/// A scan of bits costs as much as the bounds of one in `BITS_PER_BOUND` rows plus `LEFT` rows,
/// which it leaves.
const BITS_PER_BOUND: usize = 12;
const LEFT: usize = 2000;
/// Vectors prefetched ahead.
const PREFETCH_DISTANCE: usize = 2;
/// Candidates multiplied first for each wanted hit, to raise the floor.
const MULTIPLIED_PER_HIT: usize = 2;
/// Likely rows bounded for each wanted hit, to raise the floor: during the scan, and at its end.
const BOUNDED_PER_HIT: usize = 6;
/// The floor is raised after these chunks.
const RAISED_AFTER: [usize; 4] = [0, 3, 15, 63];
const BOUNDED_PER_HIT_AT_END: usize = 30;
const MIN_PROMISING: usize = 64;

/// A row and its certain upper bound.
struct Candidate {
    chunk: usize,
    row: u32,
    high: f64,
}

/// A row and its likely upper bound, for a query of length 1. Rows are numbered over full chunks.
#[derive(Clone, Copy)]
struct Likely {
    place: u32,
    high: f32,
}

/// Collects candidates, and lower bounds to raise the floor.
struct Sieve {
    lows: TopK,
    candidates: Vec<Candidate>,
    bounds: Bounds,
}

/// A search of candidate rows.
pub struct Search<'a> {
    /// The rows that are searched.
    pub rows: &'a Rows,
    /// The eligible rows of each chunk.
    pub candidates: &'a [Candidates<'a>],
    /// The query.
    pub query: &'a Query<'a>,
    /// The maximum number of hits.
    pub limit: usize,
    /// True if a true neighbour may be missed.
    pub approximate: bool,
}

impl Search<'_> {
    /// The best rows in order, ties by document id. Their scores are exact.
    pub fn hits(&self) -> Vec<Hit> {
        let query = self.query;
        let found = count(&self.rows.chunks, self.candidates);
        if self.limit == 0 || found == 0 {
            return Vec::new();
        }
        let rounded = QuantizedQuery::new(query.numbers, query.cosine);
        let mut left = match rounded.filter(|_| self.limit.saturating_mul(PROMISING) < found) {
            None => self.everything(),
            Some(rounded) if self.saves_by_bits(found) => self.likely(&rounded.likely()),
            Some(rounded) => self.certain(&rounded),
        };
        let mut top = TopK::new(Some(self.limit), None);
        let first = self.limit.saturating_mul(MULTIPLIED_PER_HIT);
        if first < left.len() {
            let mut highs: Vec<f64> = left.iter().map(|candidate| candidate.high).collect();
            let (_, &mut least, _) = highs.select_nth_unstable_by(first, |a, b| b.total_cmp(a));
            let (promising, mut rest): (Vec<_>, Vec<_>) =
                left.into_iter().partition(|candidate| candidate.high > least);
            self.multiply(&promising, &mut top);
            let floor = top.raise_floor();
            rest.retain(|candidate| candidate.high >= floor);
            left = rest;
        }
        self.multiply(&left, &mut top);
        top.into_sorted()
    }

    fn multiply(&self, candidates: &[Candidate], top: &mut TopK) {
        let size = self.query.numbers.len();
        for (at, &Candidate { chunk, row, .. }) in candidates.iter().enumerate() {
            if let Some(later) = candidates.get(at + PREFETCH_DISTANCE) {
                self.rows.chunks[later.chunk].body.floats.fetch(size, later.row);
            }
            let body = &self.rows.chunks[chunk].body;
            top.offer(Hit { doc_id: body.doc_ids[row as usize], score: self.query.score(&body.floats, row) });
        }
    }

    fn saves_by_bits(&self, found: usize) -> bool {
        let all: usize = self.rows.chunks.iter().map(Chunk::len).sum();
        self.approximate && self.rows.rotation.is_some() && found > all / BITS_PER_BOUND + LEFT
    }

    fn rows_of(&self, chunk: usize) -> Cow<'_, [u32]> {
        match &self.candidates[chunk] {
            Some(rows) => Cow::Borrowed(rows),
            None => Cow::Owned((0..self.rows.chunks[chunk].len() as u32).collect()),
        }
    }

    fn everything(&self) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        for chunk in 0..self.candidates.len() {
            let rows = self.rows_of(chunk);
            candidates.extend(rows.iter().map(|&row| Candidate { chunk, row, high: f64::INFINITY }));
        }
        candidates
    }

    /// A sieve with a floor.
    fn sieve(&self, floor: f64) -> Sieve {
        Sieve { lows: TopK::new(Some(self.limit), Some(floor)), candidates: Vec::new(), bounds: Bounds::default() }
    }

    /// Filters the rows of a chunk by certain bounds.
    fn bounded(&self, query: &QuantizedQuery, chunk: usize, rows: &[u32], sieve: &mut Sieve) {
        let rounded = &self.rows.chunks[chunk].body.rounded;
        for part in rows.chunks(PART) {
            query.bounds(rounded, part, &mut sieve.bounds);
            for (at, &row) in part.iter().enumerate() {
                let high = sieve.bounds.high[at];
                if high >= sieve.lows.floor() {
                    sieve.lows.offer(Hit { doc_id: 0, score: sieve.bounds.low[at] });
                    sieve.candidates.push(Candidate { chunk, row, high });
                }
            }
        }
    }

    /// The rows that may be among the best, by certain bounds.
    fn certain(&self, query: &QuantizedQuery) -> Vec<Candidate> {
        let mut sieve = self.sieve(f64::NEG_INFINITY);
        for chunk in 0..self.candidates.len() {
            self.bounded(query, chunk, &self.rows_of(chunk), &mut sieve);
        }
        sieve.left()
    }

    /// The rows that may be among the best, by likely bounds.
    fn likely(&self, query: &QuantizedQuery) -> Vec<Candidate> {
        let (length, rotation) = (self.query.length(), self.rows.rotation.as_deref());
        let unit: Vec<f64> = self.query.numbers.iter().map(|number| number / length).collect();
        let rotated = rotation.map(|rotation| RotatedQuery::new(&unit, self.query.cosine, rotation));
        let (mut likely, mut estimates, mut floor) = (Vec::new(), Estimates::default(), f32::NEG_INFINITY);
        for (number, chunk) in self.rows.chunks.iter().enumerate() {
            let place = |row: usize| (number * CHUNK + row) as u32;
            let (Some(signs), Some(rotated)) = (&chunk.signs, &rotated) else {
                let rows = self.rows_of(number);
                likely.extend(rows.iter().map(|&row| Likely { place: place(row as usize), high: f32::INFINITY }));
                continue;
            };
            rotated.estimate(signs, &mut estimates);
            let rows = self.candidates[number].as_deref();
            estimates.reaching(floor, rows, |row, high| likely.push(Likely { place: place(row), high }));
            if RAISED_AFTER.contains(&number) {
                floor = self.raise_floor(query, &mut likely, BOUNDED_PER_HIT);
            }
        }
        let floor = f64::from(self.raise_floor(query, &mut likely, BOUNDED_PER_HIT_AT_END)) * self.scale();
        let mut sieve = self.sieve(floor);
        self.bounded_likely(query, &likely, &mut sieve);
        sieve.left()
    }

    /// The ratio of a score to that of a query of length 1.
    fn scale(&self) -> f64 {
        if self.query.cosine {
            1.0
        } else {
            self.query.length()
        }
    }

    /// Drops rows that are unlikely to be among the best, judged by the most promising ones:
    /// `share` of these per wanted hit are bounded. Returns the floor.
    fn raise_floor(&self, query: &QuantizedQuery, likely: &mut Vec<Likely>, share: usize) -> f32 {
        let part = self.limit.saturating_mul(share).max(MIN_PROMISING);
        if part >= likely.len() {
            return f32::NEG_INFINITY;
        }
        let mut highs: Vec<f32> = likely.iter().map(|likely| likely.high).collect();
        let (_, &mut least, _) = highs.select_nth_unstable_by(part, |a, b| b.total_cmp(a));
        let promising: Vec<Likely> = likely.iter().filter(|likely| likely.high >= least).copied().collect();
        let mut sieve = self.sieve(f64::NEG_INFINITY);
        self.bounded_likely(query, &promising, &mut sieve);
        let floor = (sieve.lows.raise_floor() / self.scale()) as f32;
        likely.retain(|likely| likely.high >= floor);
        floor
    }

    fn bounded_likely(&self, query: &QuantizedQuery, likely: &[Likely], sieve: &mut Sieve) {
        let (chunk, mut rows) = (|likely: &Likely| likely.place as usize / CHUNK, Vec::new());
        for of_chunk in likely.chunk_by(|a, b| chunk(a) == chunk(b)) {
            rows.clear();
            rows.extend(of_chunk.iter().map(|likely| likely.place % CHUNK as u32));
            self.bounded(query, chunk(&of_chunk[0]), &rows, sieve);
        }
    }
}

impl Sieve {
    /// The candidates that may still be among the best.
    fn left(mut self) -> Vec<Candidate> {
        let floor = self.lows.raise_floor();
        self.candidates.retain(|candidate| candidate.high >= floor);
        self.candidates
    }
}
