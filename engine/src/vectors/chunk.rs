//! Some thousands of rows: their vectors, what stands for these, and which rows live.

use std::sync::{Arc, OnceLock};

use super::binary::BinaryVectors;
use super::exact::ExactVectors;
use super::quantized::QuantizedVectors;
use super::rotation::Rotation;
use crate::postings::bits::Bits;

/// The most rows of a chunk.
pub const CHUNK: usize = 8192;
/// From so many rows on, their mean is worth something as a centre.
pub const CENTRED: usize = 256;

/// What is known of rows. They are only ever added to.
#[derive(Clone, Debug)]
pub struct ChunkData {
    /// Rising.
    pub doc_ids: Vec<u64>,
    pub floats: ExactVectors,
    pub rounded: QuantizedVectors,
}

impl ChunkData {
    /// Rows of `size` numbers, one for each slot.
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

/// Numbers of a centre are below this, so that 32 bits do for products with it.
const MAX_CENTRE: f64 = 1e12;

/// The bits of rows, around their mean, or around zero if that is too large.
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

/// Rows to be searched.
#[derive(Clone, Debug)]
pub struct Chunk {
    pub body: Arc<ChunkData>,
    pub signs: Option<Arc<BinaryVectors>>,
    alive: Bits,
    dead: usize,
    living: OnceLock<Vec<u32>>,
}

impl Chunk {
    /// A chunk of rows that all live.
    pub fn new(body: ChunkData, signs: Option<BinaryVectors>) -> Self {
        let alive = Bits::all(body.doc_ids.len());
        Chunk { body: Arc::new(body), signs: signs.map(Arc::new), alive, dead: 0, living: OnceLock::new() }
    }

    /// The number of rows, dead ones too.
    pub fn len(&self) -> usize {
        self.body.doc_ids.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.body.doc_ids.is_empty()
    }

    /// The number of rows that live.
    pub fn num_live(&self) -> usize {
        self.len() - self.dead
    }

    /// Whether a row lives.
    pub fn is_live(&self, row: u32) -> bool {
        self.alive.has(row)
    }

    /// The rows that live, unless all do.
    pub fn live_rows(&self) -> Option<&[u32]> {
        (self.dead > 0)
            .then(|| &self.living.get_or_init(|| (0..self.len() as u32).filter(|&row| self.is_live(row)).collect())[..])
    }

    /// Takes a slot out, if it is here.
    pub fn remove(&mut self, doc_id: u64) {
        if let Ok(row) = self.body.doc_ids.binary_search(&doc_id) {
            if self.is_live(row as u32) {
                self.alive.clear(row as u32);
                self.dead += 1;
                self.living = OnceLock::new();
            }
        }
    }

    /// Adds rows, and their bits if the others have them.
    pub fn append(&mut self, size: usize, body: ChunkData, signs: Option<&BinaryVectors>) {
        (self.len()..self.len() + body.doc_ids.len()).for_each(|row| self.alive.set(row as u32));
        Arc::make_mut(&mut self.body).append(body, size);
        if let (Some(own), Some(others)) = (&mut self.signs, signs) {
            Arc::make_mut(own).append(others, 0..others.len());
        }
        self.living = OnceLock::new();
    }

    /// The vectors of the rows that live, and their slots.
    pub fn vectors(&self, size: usize) -> (Vec<u64>, Vec<f64>) {
        let rows: Vec<u32> = (0..self.len() as u32).filter(|&row| self.is_live(row)).collect();
        let doc_ids = rows.iter().map(|&row| self.body.doc_ids[row as usize]).collect();
        (doc_ids, rows.iter().flat_map(|&row| self.body.floats.row(size, row)).collect())
    }
}
