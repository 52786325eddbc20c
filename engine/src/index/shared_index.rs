//! An index for concurrent readers and one writer: a series of immutable states.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use crate::error::Error;
use crate::index::batch::Batch;
use crate::index::memory;
use crate::index::merge::Merge;
use crate::index::segment::Segment;
use crate::index::state::Index;
use crate::persistence::snapshot::{Adoption, Snapshot};
use crate::terms::dictionary::TermDictionary;
use crate::terms::stems::StemSettings;
use crate::text::language::Language;

/// Documents moved or added between two calls of `malloc_trim`, which takes milliseconds.
const RELEASE_EVERY: usize = 1 << 16;

/// An index whose readers pin the current state: readers and writers never wait for each other.
#[derive(Default)]
pub struct SharedIndex {
    /// The current state. The lock is held only to clone or to swap the pointer.
    state: RwLock<Arc<Index>>,
    /// Held by a writer from the state it reads until it publishes the next one: a write that fails
    /// changes nothing. Counts the documents added or moved since memory was last released.
    writer: Mutex<usize>,
}

impl From<Arc<Index>> for SharedIndex {
    fn from(index: Arc<Index>) -> Self {
        SharedIndex { state: RwLock::new(index), writer: Mutex::default() }
    }
}

impl SharedIndex {
    /// The current state. It never changes; a state is freed by its last holder.
    pub fn read(&self) -> Arc<Index> {
        Arc::clone(&self.state.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes the state of the index that this one is a fork of.
    pub fn follow(&self, other: &SharedIndex) {
        self.exchange(other.read());
    }

    /// Removes and adds documents, atomically for readers. A rejected write changes nothing.
    pub fn apply(&self, removed: &[u64], added: Option<&Batch>) -> Result<(), Error> {
        let mut moved = self.writer();
        let index = self.read();
        let plan = index.plan(removed, added)?;
        *moved += added.map_or(0, Batch::len);
        self.publish(moved, index.commit(plan, added)?);
        Ok(())
    }

    /// Runs all due merges of at most `most` documents; returns true if a larger one is due. Merges
    /// block neither readers nor writers; a compaction blocks writers.
    pub fn tidy(&self, most: usize) -> Result<bool, Error> {
        loop {
            self.compact()?;
            let (merge, larger) = self.start_merge(most);
            let Some(merge) = merge else { return Ok(larger) };
            self.finish_merge(merge)?;
        }
    }

    /// Merges the last segments, of `least` to `most` documents, into one, which takes less space:
    /// for a time of few writes. Returns true if there were some.
    pub fn join(&self, least: usize, most: usize) -> Result<bool, Error> {
        let writer = self.writer();
        let mut next = self.read().copy();
        let run = next.last_segments(most);
        let count: usize = next.segments[run.clone()].iter().map(Segment::num_live).sum();
        if run.len() < 2 || count < least {
            return Ok(false);
        }
        let merge = next.start_merge(run);
        self.publish(writer, next);
        self.finish_merge(merge)?;
        Ok(true)
    }

    /// Starts the next due merge of at most `most` documents; the second value is true if a larger
    /// one is due.
    fn start_merge(&self, most: usize) -> (Option<Merge>, bool) {
        let writer = self.writer();
        let index = self.read();
        let (run, larger) = index.due_merge(most);
        let merge = run.map(|run| {
            let mut next = index.copy();
            let merge = next.start_merge(run);
            self.publish(writer, next);
            merge
        });
        (merge, larger)
    }

    fn finish_merge(&self, merge: Merge) -> Result<(), Error> {
        let made = merge.run();
        let mut moved = self.writer();
        let mut next = self.read().copy();
        let done = made.and_then(|made| next.commit_merge(&merge, made));
        if done.is_err() {
            next.abandon_merge(&merge);
        } else {
            *moved += merge.documents();
        }
        let much = *moved >= RELEASE_EVERY;
        if much {
            *moved = 0;
        }
        self.publish(moved, next);
        drop(merge);
        if much {
            memory::release();
        }
        done
    }

    /// A snapshot for writing to files, with the stems of words in some languages. Blocks other
    /// writers.
    pub fn snapshot(&self, languages: &[Language]) -> Result<Snapshot, Error> {
        let writer = self.writer();
        let mut next = self.read().copy();
        let stems = StemSettings { layout: next.layout, languages };
        next.vocabulary = TermDictionary::new(next.vocabulary.freeze(stems)?);
        let snapshot = Snapshot::new(&next);
        self.publish(writer, next);
        Ok(snapshot)
    }

    /// Replaces parts in memory by the files of a snapshot. Later changes are kept.
    pub fn adopt(&self, adoption: &Adoption) {
        let writer = self.writer();
        let mut next = self.read().copy();
        next.adopt(adoption);
        self.publish(writer, next);
    }

    /// Compacts the index if most documents or terms are deleted.
    fn compact(&self) -> Result<(), Error> {
        if !self.read().wants_compaction() {
            return Ok(());
        }
        let mut moved = self.writer();
        let index = self.read();
        if index.wants_compaction() {
            *moved += index.len();
            self.publish(moved, index.compact()?);
        }
        Ok(())
    }

    fn writer(&self) -> MutexGuard<'_, usize> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Publishes the next state and releases the write lock. The old state is freed outside all
    /// locks.
    fn publish(&self, turn: MutexGuard<'_, usize>, next: Index) {
        let last = self.exchange(Arc::new(next));
        drop(turn);
        last.tables.forget();
        drop(last);
    }

    /// Swaps the current state, and returns the old one.
    fn exchange(&self, next: Arc<Index>) -> Arc<Index> {
        std::mem::replace(&mut *self.state.write().unwrap_or_else(PoisonError::into_inner), next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::batch::Inverter;
    use crate::search::bm25::Model;
    use crate::search::eligible::Allowed;
    use crate::search::request::{search, Request};

    fn batch(documents: &[(u64, String)]) -> Batch {
        let mut inverter = Inverter::default();
        for (doc_id, text) in documents {
            text.split_whitespace().for_each(|token| inverter.token(token));
            inverter.document(*doc_id).unwrap();
        }
        inverter.finish()
    }

    fn text(doc_id: u64) -> String {
        (0..doc_id % 9).fold(String::new(), |text, i| text + &format!("t{} ", (doc_id * 7 + i * i) % 13))
    }

    fn hits(shared: &SharedIndex, name: &str) -> Vec<(u64, f64)> {
        let request =
            Request { model: Model::by_name(name).unwrap(), limit: None, allowed: Allowed::All, min_score: None };
        search(&shared.read(), &["t3".into(), "t5".into(), "t7".into()], &request).unwrap()
    }

    #[test]
    fn an_index_with_a_past_equals_one_without() {
        let all: Vec<_> = (0..9000).map(|doc_id| (doc_id, text(doc_id))).collect();
        let (shared, fresh) = (SharedIndex::default(), SharedIndex::default());
        let write = |removed: &[u64], added: Option<&Batch>| {
            shared.apply(removed, added).unwrap();
            shared.tidy(usize::MAX).unwrap();
        };
        all.chunks(500).for_each(|chunk| write(&[], Some(&batch(chunk))));
        let kept = |doc_id: u64| doc_id % 3 == 1;
        let removed: Vec<_> = (0..9000).filter(|&doc_id| !kept(doc_id)).collect();
        removed.chunks(700).for_each(|chunk| write(chunk, None));
        let living: Vec<_> = all.into_iter().filter(|(doc_id, _)| kept(*doc_id)).collect();
        fresh.apply(&[], Some(&batch(&living))).unwrap();
        assert!(shared.read().num_deleted() < 5000, "it was compacted");
        for name in ["BM25Okapi", "BM25L", "BM25Plus"] {
            assert_eq!(hits(&shared, name), hits(&fresh, name));
        }
    }

    #[test]
    fn documents_deleted_during_a_merge_stay_deleted() {
        let (shared, fresh) = (SharedIndex::default(), SharedIndex::default());
        let all: Vec<_> = (0..4000).map(|doc_id| (doc_id, text(doc_id))).collect();
        all[..3200].chunks(800).for_each(|chunk| shared.apply(&[], Some(&batch(chunk))).unwrap());
        assert!(matches!(shared.start_merge(3199), (None, true)), "it is too large");
        let merge = shared.start_merge(3200).0.expect("four segments of one size");
        let removed: Vec<_> = (0..3200).filter(|doc_id| doc_id % 5 == 0).collect();
        shared.apply(&removed, Some(&batch(&all[3200..]))).unwrap();
        assert!(shared.start_merge(usize::MAX).0.is_none(), "its segments are taken");
        shared.finish_merge(merge).unwrap();
        assert_eq!(shared.read().segments.len(), 2);
        assert!(!shared.tidy(usize::MAX).unwrap());
        let living: Vec<_> = all.into_iter().filter(|(doc_id, _)| *doc_id >= 3200 || doc_id % 5 != 0).collect();
        fresh.apply(&[], Some(&batch(&living))).unwrap();
        for name in ["BM25Okapi", "BM25L", "BM25Plus"] {
            assert_eq!(hits(&shared, name), hits(&fresh, name));
        }
    }

    #[test]
    fn small_segments_before_a_large_one_are_merged() {
        let shared = SharedIndex::default();
        let all: Vec<_> = (0..3000).map(|doc_id| (doc_id, text(doc_id))).collect();
        let mut first = 0;
        for size in [3, 1, 2, 5, 4, 1, 700, 2, 6, 1, 3, 2, 900, 5] {
            shared.apply(&[], Some(&batch(&all[first..first + size]))).unwrap();
            first += size;
        }
        assert!(!shared.tidy(usize::MAX).unwrap());
        let sizes: Vec<_> = shared.read().segments.iter().map(|segment| segment.postings.len()).collect();
        assert_eq!(sizes, [16, 700, 14, 900, 5]);
    }

    #[test]
    fn segments_are_joined_unless_one_is_much_larger() {
        let all: Vec<_> = (0..3000).map(|doc_id| (doc_id, text(doc_id))).collect();
        for (sizes, most, expected) in [
            (vec![900, 80, 40], 2000, vec![1020]),
            (vec![900, 60, 30], 2000, vec![900, 90]),
            (vec![40, 60, 9], 100, vec![40, 69]),
        ] {
            let (shared, mut first, count) = (SharedIndex::default(), 0, sizes.len());
            for size in sizes {
                shared.apply(&[], Some(&batch(&all[first..first + size]))).unwrap();
                first += size;
            }
            let before = hits(&shared, "BM25L");
            assert!(!shared.join(2000, most).unwrap() && shared.join(50, most).unwrap() == (expected.len() < count));
            let sizes: Vec<_> = shared.read().segments.iter().map(|segment| segment.postings.len()).collect();
            assert_eq!((sizes, hits(&shared, "BM25L")), (expected, before));
        }
    }

    #[test]
    fn a_merge_is_dropped_after_a_compaction() {
        let shared = SharedIndex::default();
        let all: Vec<_> = (0..4000).map(|doc_id| (doc_id, text(doc_id))).collect();
        all.chunks(1000).for_each(|chunk| shared.apply(&[], Some(&batch(chunk))).unwrap());
        let merge = shared.start_merge(usize::MAX).0.expect("four segments of one size");
        shared.apply(&(0..2500).collect::<Vec<_>>(), None).unwrap();
        shared.compact().unwrap();
        let before = hits(&shared, "BM25L");
        shared.finish_merge(merge).unwrap();
        assert_eq!((hits(&shared, "BM25L"), shared.read().num_deleted()), (before, 0));
    }

    /// Writes the unsaved files to a folder, each after `change`.
    fn write(snapshot: &Snapshot, name: &str, change: impl Fn(&mut Vec<u8>)) -> std::path::PathBuf {
        let folder = std::env::temp_dir().join(format!("spaniel-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for piece in snapshot.pieces() {
            let mut bytes = vec![0; piece.mark().size as usize];
            piece.fill(0, &mut bytes);
            change(&mut bytes);
            std::fs::write(folder.join(piece.name()), bytes).unwrap();
        }
        folder
    }

    #[test]
    fn a_merge_ends_well_if_its_segments_are_read_from_files_meanwhile() {
        let shared = SharedIndex::default();
        let all: Vec<_> = (0..4000).map(|doc_id| (doc_id, text(doc_id))).collect();
        all.chunks(1000).for_each(|chunk| shared.apply(&[], Some(&batch(chunk))).unwrap());
        let before = hits(&shared, "BM25L");
        let merge = shared.start_merge(usize::MAX).0.expect("four segments of one size");
        let snapshot = shared.snapshot(&[Language::English]).unwrap();
        let folder = write(&snapshot, "adopted", |_| {});
        shared.adopt(&snapshot.written(&folder).unwrap());
        shared.finish_merge(merge).unwrap();
        assert_eq!((shared.read().segments.len(), hits(&shared, "BM25L")), (1, before));
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_merge_that_meets_damage_fails_every_time_and_changes_nothing() {
        let shared = SharedIndex::default();
        let all: Vec<_> = (0..4000).map(|doc_id| (doc_id, text(doc_id))).collect();
        all.chunks(1000).for_each(|chunk| shared.apply(&[], Some(&batch(chunk))).unwrap());
        let (before, snapshot) = (hits(&shared, "BM25L"), shared.snapshot(&[Language::English]).unwrap());
        let folder = write(&snapshot, "damaged", |bytes| {
            // the document lengths, which a search does not read
            let lengths = u64::from_le_bytes(bytes[88..96].try_into().unwrap()) as usize;
            bytes[lengths] ^= u8::from(bytes[12] == 1);
        });
        shared.adopt(&snapshot.written(&folder).unwrap());
        for _ in 0..2 {
            assert!(matches!(shared.tidy(usize::MAX), Err(Error::Damaged(_))));
        }
        assert_eq!((shared.read().segments.len(), hits(&shared, "BM25L")), (4, before));
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_refused_write_changes_nothing() {
        let shared = SharedIndex::default();
        shared.apply(&[], Some(&batch(&[(4, "t3".into()), (8, "t3 t5".into())]))).unwrap();
        let before = hits(&shared, "BM25L");
        assert_eq!(shared.apply(&[4, 5], None), Err(Error::UnknownDocId(5)));
        let late = batch(&[(8, "t3".into())]);
        assert_eq!(shared.apply(&[4], Some(&late)), Err(Error::DocIdOrder { doc_id: 8, after: 8 }));
        assert_eq!(hits(&shared, "BM25L"), before);
    }

    #[test]
    fn words_that_are_in_no_document_any_more_are_dropped() {
        let (shared, living) = (SharedIndex::default(), 2000);
        for doc_id in 0..30_000_u64 {
            let removed = doc_id.checked_sub(living);
            let added = batch(&[(doc_id, format!("a{doc_id} b{doc_id} t{}", doc_id % 7))]);
            shared.apply(removed.as_slice(), Some(&added)).unwrap();
            shared.tidy(usize::MAX).unwrap();
        }
        let index = shared.read();
        assert_eq!((index.statistics.vocabulary(), index.len() as u64), (2 * living + 7, living));
        assert!(index.vocabulary.len() < 25_000, "{}", index.vocabulary.len());
    }

    #[test]
    fn the_last_reader_of_a_state_frees_it() {
        let shared = SharedIndex::default();
        shared.apply(&[], Some(&batch(&[(4, "t3".into())]))).unwrap();
        let first = shared.read();
        shared.apply(&[4], Some(&batch(&[(5, "t3".into())]))).unwrap();
        let (state, part) = (Arc::downgrade(&first), Arc::downgrade(&first.segments[0].part));
        shared.apply(&[5], Some(&batch(&[(6, "t3".into())]))).unwrap();
        assert!(state.upgrade().is_some());
        drop(first);
        shared.tidy(usize::MAX).unwrap();
        assert!(state.upgrade().is_none());
        assert_eq!(part.strong_count(), 1, "the present state has it");
    }

    #[test]
    fn a_write_that_dies_changes_nothing_and_stops_no_other() {
        let shared = SharedIndex::default();
        shared.apply(&[], Some(&batch(&[(4, "t3".into()), (8, "t3 t5".into())]))).unwrap();
        let before = hits(&shared, "BM25L");
        let died = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _turn = shared.writer();
            let added = batch(&[(9, "t5 t7".into())]);
            let index = shared.read();
            let _next = index.commit(index.plan(&[4], Some(&added)).unwrap(), Some(&added));
            panic!("before the next state is published");
        }));
        assert!(died.is_err());
        assert_eq!(hits(&shared, "BM25L"), before);
        let fresh = SharedIndex::default();
        for index in [&shared, &fresh] {
            let removed: &[u64] = if index.read().is_empty() { &[] } else { &[4, 8] };
            index.apply(removed, Some(&batch(&[(9, "t7 t11 t5".into()), (12, "t5".into())]))).unwrap();
        }
        assert_eq!(hits(&shared, "BM25L"), hits(&fresh, "BM25L"));
    }
}
