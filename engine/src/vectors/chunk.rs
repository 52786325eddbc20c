//! A chunk of rows: vectors, their codes, and the set of live rows.

use std::sync::{Arc, OnceLock};

use super::binary::BinaryVectors;
use super::exact::ExactVectors;
use super::quantized::QuantizedVectors;
use super::rotation::Rotation;
use crate::postings::bits::Bits;

/// The maximum number of rows of a chunk.
pub const CHUNK: usize = 8192;
/// The minimum number of rows whose mean serves as a centre.
pub const CENTRED: usize = 256;

/// Append-only data of the rows.
#[derive(Clone, Debug)]
pub struct ChunkData {
    /// In ascending order.
    pub doc_ids: Vec<u64>,
    /// The vectors as given.
    pub floats: ExactVectors,
    /// The vectors in 8 bits per dimension.
    pub rounded: QuantizedVectors,
}

impl ChunkData {
    /// Rows of `size` dimensions, one per document id.
    pub fn new(size: usize, doc_ids: Vec<u64>, numbers: &[f64]) -> Self {
        let mut rounded = QuantizedVectors::with_room(doc_ids.len(), size);
        numbers.chunks_exact(size).for_each(|row| rounded.push(row));
        ChunkData { doc_ids, floats: ExactVectors::new(numbers), rounded }
    }

    fn append(&mut self, other: ChunkData, size: usize) {
        self.doc_ids.extend(other.doc_ids);
        self.floats.append(other.floats, CHUNK * size);
        self.rounded.append(other.rounded, CHUNK * size);
    }
}

/// Upper bound of the numbers of a centre, so that 32 bits suffice for products with it.
const MAX_CENTRE: f64 = 1e12;

/// The binary codes of rows around their mean, or around zero if that is too large.
pub fn signs_of(rows: &[&[f64]], rotation: &Rotation) -> BinaryVectors {
    let mut centre = vec![0.0; rows[0].len()];
    for row in rows {
        centre.iter_mut().zip(*row).for_each(|(sum, number)| *sum += number / rows.len() as f64);
    }
    if !centre.iter().all(|number| number.abs() < MAX_CENTRE) {
        centre.fill(0.0);
    }
    let mut signs = BinaryVectors::new(centre, rotation);
    rows.iter().for_each(|row| signs.push(row, rotation));
    signs
}

/// Searchable rows.
#[derive(Clone, Debug)]
pub struct Chunk {
    /// Vectors and document ids, shared between states.
    pub body: Arc<ChunkData>,
    /// The vectors in one bit per dimension, for approximate search.
    pub signs: Option<Arc<BinaryVectors>>,
    alive: Bits,
    dead: usize,
    living: OnceLock<Vec<u32>>,
}

impl Chunk {
    /// A chunk of live rows.
    pub fn new(body: ChunkData, signs: Option<BinaryVectors>) -> Self {
        let alive = Bits::all(body.doc_ids.len());
        Chunk { body: Arc::new(body), signs: signs.map(Arc::new), alive, dead: 0, living: OnceLock::new() }
    }

    /// The number of rows, including deleted ones.
    pub fn len(&self) -> usize {
        self.body.doc_ids.len()
    }

    /// Returns true if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.body.doc_ids.is_empty()
    }

    /// The number of live rows.
    pub fn num_live(&self) -> usize {
        self.len() - self.dead
    }

    /// Returns true if a row is live.
    pub fn is_live(&self, row: u32) -> bool {
        self.alive.has(row)
    }

    /// The live rows; None if all are.
    pub fn live_rows(&self) -> Option<&[u32]> {
        (self.dead > 0)
            .then(|| &self.living.get_or_init(|| (0..self.len() as u32).filter(|&row| self.is_live(row)).collect())[..])
    }

    /// Removes a document id, if present.
    pub fn remove(&mut self, doc_id: u64) {
        if let Ok(row) = self.body.doc_ids.binary_search(&doc_id) {
            if self.is_live(row as u32) {
                self.alive.clear(row as u32);
                self.dead += 1;
                self.living = OnceLock::new();
            }
        }
    }

    /// Adds rows, with binary codes if the others have them.
    pub fn append(&mut self, size: usize, body: ChunkData, signs: Option<&BinaryVectors>) {
        (self.len()..self.len() + body.doc_ids.len()).for_each(|row| self.alive.set(row as u32));
        Arc::make_mut(&mut self.body).append(body, size);
        if let (Some(own), Some(others)) = (&mut self.signs, signs) {
            Arc::make_mut(own).append(others, 0..others.len());
        }
        self.living = OnceLock::new();
    }

    /// The document ids and vectors of the live rows.
    pub fn vectors(&self, size: usize) -> (Vec<u64>, Vec<f64>) {
        let rows: Vec<u32> = (0..self.len() as u32).filter(|&row| self.is_live(row)).collect();
        let doc_ids = rows.iter().map(|&row| self.body.doc_ids[row as usize]).collect();
        (doc_ids, rows.iter().flat_map(|&row| self.body.floats.row(size, row)).collect())
    }
}
