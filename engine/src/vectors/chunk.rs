//! Some thousands of rows: their vectors, what stands for these, and which rows live.

use std::sync::{Arc, OnceLock};

use super::floats::Floats;
use super::rotation::Rotation;
use super::rounded::Rounded;
use super::signs::Signs;
use crate::bits::Bits;

/// The most rows of a chunk.
pub const CHUNK: usize = 8192;
/// From so many rows on, their mean is worth something as a centre.
pub const CENTRED: usize = 256;

/// What is known of rows. They are only ever added to.
#[derive(Clone, Debug)]
pub struct Body {
    /// Rising.
    pub slots: Vec<u64>,
    pub floats: Floats,
    pub rounded: Rounded,
}

impl Body {
    /// Rows of `size` numbers, one for each slot.
    pub fn new(size: usize, slots: Vec<u64>, numbers: &[f64]) -> Self {
        let mut rounded = Rounded::with_room(slots.len(), size);
        numbers.chunks_exact(size).for_each(|row| rounded.push(row));
        Body { slots, floats: Floats::new(numbers), rounded }
    }

    fn append(&mut self, other: Body, size: usize) {
        self.slots.extend(other.slots);
        self.floats.append(other.floats, CHUNK * size);
        self.rounded.append(other.rounded, CHUNK * size);
    }
}

/// Numbers of a centre are below this, so that 32 bits do for products with it.
const LARGEST: f64 = 1e12;

/// The bits of rows, around their mean, or around zero if that is too large.
pub fn signs_of(rows: &[&[f64]], rotation: &Rotation) -> Signs {
    let mut centre = vec![0.0; rows[0].len()];
    for row in rows {
        centre.iter_mut().zip(*row).for_each(|(sum, number)| *sum += number / rows.len() as f64);
    }
    if !centre.iter().all(|number| number.abs() < LARGEST) {
        centre.fill(0.0);
    }
    let mut signs = Signs::new(centre, rotation);
    rows.iter().for_each(|row| signs.push(row, rotation));
    signs
}

/// Rows to be searched.
#[derive(Clone, Debug)]
pub struct Chunk {
    pub body: Arc<Body>,
    pub signs: Option<Arc<Signs>>,
    alive: Bits,
    dead: usize,
    living: OnceLock<Vec<u32>>,
}

impl Chunk {
    /// A chunk of rows that all live.
    pub fn new(body: Body, signs: Option<Signs>) -> Self {
        let alive = Bits::all(body.slots.len());
        Chunk { body: Arc::new(body), signs: signs.map(Arc::new), alive, dead: 0, living: OnceLock::new() }
    }

    /// The number of rows, dead ones too.
    pub fn len(&self) -> usize {
        self.body.slots.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.body.slots.is_empty()
    }

    /// The number of rows that live.
    pub fn alive(&self) -> usize {
        self.len() - self.dead
    }

    /// Whether a row lives.
    pub fn lives(&self, row: u32) -> bool {
        self.alive.has(row)
    }

    /// The rows that live, unless all do.
    pub fn living(&self) -> Option<&[u32]> {
        (self.dead > 0)
            .then(|| &self.living.get_or_init(|| (0..self.len() as u32).filter(|&row| self.lives(row)).collect())[..])
    }

    /// Takes a slot out, if it is here.
    pub fn remove(&mut self, slot: u64) {
        if let Ok(row) = self.body.slots.binary_search(&slot) {
            if self.lives(row as u32) {
                self.alive.clear(row as u32);
                self.dead += 1;
                self.living = OnceLock::new();
            }
        }
    }

    /// Adds rows, and their bits if the others have them.
    pub fn append(&mut self, size: usize, body: Body, signs: Option<&Signs>) {
        (self.len()..self.len() + body.slots.len()).for_each(|row| self.alive.set(row as u32));
        Arc::make_mut(&mut self.body).append(body, size);
        if let (Some(own), Some(others)) = (&mut self.signs, signs) {
            Arc::make_mut(own).append(others, 0..others.len());
        }
        self.living = OnceLock::new();
    }

    /// The vectors of the rows that live, and their slots.
    pub fn vectors(&self, size: usize) -> (Vec<u64>, Vec<f64>) {
        let rows: Vec<u32> = (0..self.len() as u32).filter(|&row| self.lives(row)).collect();
        let slots = rows.iter().map(|&row| self.body.slots[row as usize]).collect();
        (slots, rows.iter().flat_map(|&row| self.body.floats.row(size, row)).collect())
    }
}
