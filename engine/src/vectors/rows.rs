//! All vectors of one dimension, and their changes.

use std::ops::Range;
use std::sync::Arc;

use super::binary::BinaryVectors;
use super::chunk::{signs_of, Chunk, ChunkData, CENTRED, CHUNK};
use super::rotation::Rotation;

/// Vectors of fewer dimensions have no binary codes: a scan of them would save nothing.
const MIN_SIZE: usize = 64;

/// Vectors in chunks, in the order of their document ids.
#[derive(Clone, Debug)]
pub struct Rows {
    /// The dimension.
    pub size: usize,
    /// The rows, in chunks.
    pub chunks: Vec<Chunk>,
    /// The rotation of the binary codes, if these are enabled.
    pub rotation: Option<Arc<Rotation>>,
}

/// Vectors prepared for the rows they were made for.
#[derive(Debug)]
pub struct Addition {
    size: usize,
    rotation: Option<Arc<Rotation>>,
    /// Rows for the last chunk.
    tail: Option<(ChunkData, Option<BinaryVectors>)>,
    /// Binary codes of the last chunk, if it gets them only now.
    tail_signs: Option<BinaryVectors>,
    chunks: Vec<Chunk>,
}

impl Addition {
    /// The dimension.
    pub fn size(&self) -> usize {
        self.size
    }
}

impl Rows {
    /// No vectors yet; with binary codes if `encoded`.
    pub fn new(size: usize, encoded: bool) -> Self {
        let mut rows = Rows { size, chunks: Vec::new(), rotation: None };
        rows.rotation = encoded.then(|| rows.new_rotation()).flatten();
        rows
    }

    fn new_rotation(&self) -> Option<Arc<Rotation>> {
        (self.size >= MIN_SIZE).then(|| Arc::new(Rotation::new(self.size)))
    }

    /// The last document id.
    pub fn last(&self) -> Option<u64> {
        self.chunks.last().and_then(|chunk| chunk.body.doc_ids.last().copied())
    }

    /// Prepares vectors, one per document id.
    pub fn prepare(&self, doc_ids: &[u64], numbers: &[f64]) -> Addition {
        let size = self.size;
        let room = self.chunks.last().map_or(0, |last| CHUNK.saturating_sub(last.len())).min(doc_ids.len());
        let mut addition =
            Addition { size, rotation: self.rotation.clone(), tail: None, tail_signs: None, chunks: Vec::new() };
        if let Some(last) = self.chunks.last().filter(|_| room > 0) {
            let rows = &numbers[..room * size];
            let body = ChunkData::new(size, doc_ids[..room].to_vec(), rows);
            let mut signs = None;
            match (&self.rotation, &last.signs) {
                (Some(rotation), Some(own)) => {
                    let encoded = signs.insert(own.emptied());
                    rows.chunks_exact(size).for_each(|row| encoded.push(row, rotation));
                }
                (Some(rotation), None) if last.len() + room >= CENTRED => {
                    let earlier: Vec<_> = (0..last.len() as u32).map(|row| last.body.floats.row(size, row)).collect();
                    let all: Vec<_> = earlier.iter().map(|row| &row[..]).chain(rows.chunks_exact(size)).collect();
                    addition.tail_signs = Some(signs_of(&all, rotation));
                }
                _ => {}
            }
            addition.tail = Some((body, signs));
        }
        let rest = doc_ids[room..].chunks(CHUNK).zip(numbers[room * size..].chunks(CHUNK * size));
        addition.chunks = rest.map(|(doc_ids, numbers)| self.chunk(doc_ids.to_vec(), numbers)).collect();
        addition
    }

    fn chunk(&self, doc_ids: Vec<u64>, numbers: &[f64]) -> Chunk {
        let rows: Vec<_> = numbers.chunks_exact(self.size).collect();
        let rotation = self.rotation.as_deref().filter(|_| rows.len() >= CENTRED);
        let signs = rotation.map(|rotation| signs_of(&rows, rotation));
        Chunk::new(ChunkData::new(self.size, doc_ids, numbers), signs)
    }

    /// Adds prepared vectors.
    pub fn commit(&mut self, addition: Addition) {
        self.rotation = addition.rotation;
        if let (Some((body, signs)), Some(last)) = (addition.tail, self.chunks.last_mut()) {
            last.append(self.size, body, signs.as_ref());
            if let Some(signs) = addition.tail_signs {
                last.signs = Some(Arc::new(signs));
            }
        }
        self.chunks.extend(addition.chunks);
    }

    /// Removes vectors; unknown document ids are ignored.
    pub fn remove(&mut self, doc_ids: &[u64]) {
        for &doc_id in doc_ids {
            let at = self.chunks.partition_point(|chunk| chunk.body.doc_ids[0] <= doc_id);
            if let Some(chunk) = at.checked_sub(1).and_then(|at| self.chunks.get_mut(at)) {
                chunk.remove(doc_id);
            }
        }
    }

    /// The first chunks to be merged: most rows of a chunk are deleted, and small neighbours are
    /// merged with it.
    pub fn wanted(&self) -> Option<Range<usize>> {
        let at = self.chunks.iter().position(|chunk| 2 * chunk.num_live() < chunk.len())?;
        let mut range = at..at + 1;
        let small =
            |range: &Range<usize>| 2 * self.chunks[range.clone()].iter().map(Chunk::num_live).sum::<usize>() <= CHUNK;
        if at > 0 && small(&(at - 1..range.end)) {
            range.start -= 1;
        }
        if range.end < self.chunks.len() && small(&(range.start..range.end + 1)) {
            range.end += 1;
        }
        Some(range)
    }

    /// The live rows of some chunks as one chunk, if there are any.
    pub fn joined(&self, range: Range<usize>) -> Option<Chunk> {
        let (mut doc_ids, mut numbers) = (Vec::new(), Vec::new());
        for chunk in &self.chunks[range] {
            let (more_slots, more_numbers) = chunk.vectors(self.size);
            doc_ids.extend(more_slots);
            numbers.extend(more_numbers);
        }
        (!doc_ids.is_empty()).then(|| self.chunk(doc_ids, &numbers))
    }

    /// The rows with binary codes.
    pub fn encode(&self) -> Rows {
        let mut rows = self.clone();
        rows.rotation = self.rotation.clone().or_else(|| self.new_rotation());
        if let Some(rotation) = &rows.rotation {
            for chunk in rows.chunks.iter_mut().filter(|chunk| chunk.signs.is_none() && chunk.len() >= CENTRED) {
                let vectors: Vec<_> =
                    (0..chunk.len() as u32).map(|row| chunk.body.floats.row(self.size, row)).collect();
                let vectors: Vec<_> = vectors.iter().map(|row| &row[..]).collect();
                chunk.signs = Some(Arc::new(signs_of(&vectors, rotation)));
            }
        }
        rows
    }
}
