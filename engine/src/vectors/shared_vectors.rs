//! The vectors of all dimensions, for concurrent readers and one writer.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use super::candidates::{choose_candidates, first, Allowed};
use super::nearest::Search;
use super::query::Query;
use super::rows::{Addition, Rows};
use crate::error::Error;
use crate::search::top_k::Hit;

/// A state of all vectors.
#[derive(Clone, Debug, Default)]
pub struct Vectors {
    by_size: BTreeMap<usize, Rows>,
    /// True if vectors get binary codes.
    encoded: bool,
    /// The number of changes so far.
    version: u64,
}

/// Vectors prepared for `apply`.
#[derive(Debug)]
pub struct Batch {
    additions: Vec<Addition>,
    version: u64,
}

/// The result of a search.
pub enum Found {
    /// The best vectors, in order.
    Hits(Vec<Hit>),
    /// The dimensions of the eligible vectors, each with a document id, if not all have that of the
    /// query.
    Sizes(Vec<(usize, u64)>),
}

impl Vectors {
    /// The best vectors for a query.
    pub fn nearest(&self, query: &Query<'_>, limit: usize, allowed: Allowed<'_>, approximate: bool) -> Found {
        let parts = self.by_size.values().map(|rows| (rows, choose_candidates(&rows.chunks, allowed)));
        let mut parts: Vec<_> =
            parts.filter_map(|(rows, choose)| Some((first(&rows.chunks, &choose)?, rows, choose))).collect();
        match &parts[..] {
            [] => Found::Hits(Vec::new()),
            [(_, rows, _)] if rows.size == query.numbers.len() => {
                let (_, rows, candidates) = parts.remove(0);
                Found::Hits(Search { rows, candidates: &candidates, query, limit, approximate }.hits())
            }
            _ => Found::Sizes(parts.iter().map(|(doc_id, rows, _)| (rows.size, *doc_id)).collect()),
        }
    }
}

/// Readers pin the current state while they search, so no writer waits for them.
#[derive(Default)]
pub struct SharedVectors {
    vectors: RwLock<Arc<Vectors>>,
    writer: Mutex<()>,
}

impl From<Arc<Vectors>> for SharedVectors {
    fn from(vectors: Arc<Vectors>) -> Self {
        SharedVectors { vectors: RwLock::new(vectors), writer: Mutex::default() }
    }
}

impl SharedVectors {
    /// The current state.
    pub fn read(&self) -> Result<Arc<Vectors>, Error> {
        self.vectors.read().map(|vectors| Arc::clone(&vectors)).map_err(|_| Error::Incomplete)
    }

    fn turn(&self) -> MutexGuard<'_, ()> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the vectors. Pinned states are unaffected.
    fn change(&self, change: impl FnOnce(&mut Vectors)) -> Result<(), Error> {
        let mut guard = self.vectors.write().map_err(|_| Error::Incomplete)?;
        let vectors = Arc::make_mut(&mut guard);
        change(vectors);
        vectors.version += 1;
        Ok(())
    }

    /// Prepares vectors for `apply`: for each dimension, document ids and as many rows.
    pub fn prepare(&self, parts: &[(usize, Vec<u64>, Vec<f64>)]) -> Result<Batch, Error> {
        let vectors = self.read()?;
        for (size, doc_ids, _) in parts {
            let last = vectors.by_size.get(size).and_then(Rows::last);
            let mut pairs = last.iter().chain(doc_ids).zip(last.iter().chain(doc_ids).skip(1));
            if let Some((&after, &doc_id)) = pairs.find(|(after, doc_id)| after >= doc_id) {
                return Err(Error::DocIdOrder { doc_id, after });
            }
        }
        let additions = parts.iter().map(|(size, doc_ids, numbers)| match vectors.by_size.get(size) {
            Some(rows) => rows.prepare(doc_ids, numbers),
            None => Rows::new(*size, vectors.encoded).prepare(doc_ids, numbers),
        });
        Ok(Batch { additions: additions.collect(), version: vectors.version })
    }

    /// Removes vectors and adds a batch, atomically for readers.
    pub fn apply(&self, removed: &[u64], batch: Option<Batch>) -> Result<(), Error> {
        let _turn = self.turn();
        let vectors = self.read()?;
        if batch.as_ref().is_some_and(|batch| batch.version != vectors.version) {
            return Err(Error::Outdated);
        }
        drop(vectors);
        self.change(|vectors| {
            for addition in batch.into_iter().flat_map(|batch| batch.additions) {
                let size = addition.size();
                let encoded = vectors.encoded;
                vectors.by_size.entry(size).or_insert_with(|| Rows::new(size, encoded)).commit(addition);
            }
            vectors.by_size.values_mut().for_each(|rows| rows.remove(removed));
        })
    }

    /// Compacts chunks in which most rows are deleted. Blocks other writers only.
    pub fn tidy(&self) -> Result<(), Error> {
        let _turn = self.turn();
        loop {
            let vectors = self.read()?;
            let work = vectors.by_size.values().find_map(|rows| Some((rows, rows.wanted()?)));
            let Some((rows, range)) = work else { return Ok(()) };
            let (size, joined) = (rows.size, rows.joined(range.clone()));
            drop(vectors);
            self.change(|vectors| {
                if let Some(rows) = vectors.by_size.get_mut(&size) {
                    rows.chunks.splice(range, joined);
                    if rows.chunks.is_empty() {
                        vectors.by_size.remove(&size);
                    }
                }
            })?;
        }
    }

    /// Adds binary codes to all vectors, present and future.
    pub fn code(&self) -> Result<(), Error> {
        let _turn = self.turn();
        let vectors = self.read()?;
        if vectors.encoded {
            return Ok(());
        }
        let encoded: BTreeMap<_, _> = vectors.by_size.iter().map(|(&size, rows)| (size, rows.encode())).collect();
        drop(vectors);
        self.change(|vectors| {
            vectors.by_size = encoded;
            vectors.encoded = true;
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(doc_id: u64, size: usize) -> Vec<f64> {
        (0..size as u64).map(|at| ((doc_id * 31 + at * at * 17 + doc_id * at) % 23) as f64 - 11.0).collect()
    }

    fn part(size: usize, doc_ids: std::ops::Range<u64>) -> (usize, Vec<u64>, Vec<f64>) {
        (size, doc_ids.clone().collect(), doc_ids.flat_map(|doc_id| row(doc_id, size)).collect())
    }

    fn hits(shared: &SharedVectors, size: usize, approximate: bool) -> Vec<(u64, f64)> {
        let numbers = row(5, size);
        match shared.read().unwrap().nearest(&Query::new(&numbers, true), 20, Allowed::All, approximate) {
            Found::Hits(hits) => hits.into_iter().map(|hit| (hit.doc_id, hit.score)).collect(),
            Found::Sizes(sizes) => panic!("{sizes:?}"),
        }
    }

    #[test]
    fn vectors_with_a_past_equal_those_without() {
        let (shared, fresh) = (SharedVectors::default(), SharedVectors::default());
        shared.code().unwrap();
        for start in (0..20_000).step_by(700) {
            let batch = shared.prepare(&[part(64, start..start + 700)]).unwrap();
            let removed: Vec<_> = (start.saturating_sub(5000)..start).filter(|doc_id| doc_id % 3 > 0).collect();
            shared.apply(&removed, Some(batch)).unwrap();
            shared.tidy().unwrap();
        }
        let vectors = shared.read().unwrap();
        let rows = &vectors.by_size[&64];
        let dead: usize = rows.chunks.iter().map(|chunk| chunk.len() - chunk.num_live()).sum();
        assert!(dead < 9000, "{dead}");
        let (doc_ids, numbers): (Vec<_>, Vec<_>) = rows.chunks.iter().map(|chunk| chunk.vectors(64)).unzip();
        let batch = fresh.prepare(&[(64, doc_ids.concat(), numbers.concat())]).unwrap();
        fresh.apply(&[], Some(batch)).unwrap();
        assert_eq!(hits(&shared, 64, false), hits(&fresh, 64, false));
        fresh.code().unwrap();
        assert_eq!(hits(&shared, 64, false), hits(&fresh, 64, false));
        assert_eq!(hits(&shared, 64, true).len(), 20);
        shared.apply(&doc_ids.concat(), None).unwrap();
        shared.tidy().unwrap();
        assert!(shared.read().unwrap().by_size.is_empty());
    }

    #[test]
    fn a_batch_is_for_the_vectors_it_was_made_for() {
        let shared = SharedVectors::default();
        let (one, other) = (shared.prepare(&[part(3, 0..4)]).unwrap(), shared.prepare(&[part(3, 4..9)]).unwrap());
        shared.apply(&[], Some(one)).unwrap();
        assert_eq!(shared.apply(&[], Some(other)), Err(Error::Outdated));
        assert_eq!(hits(&shared, 3, false).len(), 4);
        assert_eq!(shared.prepare(&[part(3, 3..5)]).unwrap_err(), Error::DocIdOrder { doc_id: 3, after: 3 });
    }
}
