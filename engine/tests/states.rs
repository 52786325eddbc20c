//! Readers keep the state they pinned: later writes are not visible in it.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use _engine::index::batch::{Batch, Inverter};
use _engine::index::shared_index::SharedIndex;
use _engine::index::state::Index;
use _engine::search::bm25::Model;
use _engine::search::eligible::Allowed;
use _engine::search::request::{search, Request};

const STATES: u64 = 150;
const ADDED: u64 = 60;

/// Results of searches in a state, to the last bit, and its counts.
type Found = (u64, u64, u64, Vec<Vec<(u64, u64)>>);

fn found(index: &Index) -> Found {
    let query = ["t3".to_owned(), "t5".to_owned(), "t7".to_owned(), "rare11".to_owned()];
    let hits = [("BM25Okapi", Some(20)), ("BM25L", None), ("BM25Plus", Some(20))].map(|(name, limit)| {
        let model = Model::by_name(name).unwrap();
        let hits = search(index, &query, &Request { model, limit, allowed: Allowed::All, min_score: None }).unwrap();
        hits.into_iter().map(|(doc_id, score)| (doc_id, score.to_bits())).collect()
    });
    let counts = &index.statistics;
    (counts.documents, counts.tokens[0], counts.vocabulary(), hits.to_vec())
}

fn batch(doc_ids: impl Iterator<Item = u64>) -> Batch {
    let mut inverter = Inverter::default();
    for doc_id in doc_ids {
        (0..doc_id % 9).for_each(|i| inverter.token(&format!("t{}", (doc_id * 7 + i * i) % 13)));
        inverter.token(&format!("rare{}", doc_id / 3));
        inverter.document(doc_id).unwrap();
    }
    inverter.finish()
}

/// Makes the state of a number from the one before. In every 40th all earlier documents go.
fn step(shared: &SharedIndex, living: &mut Vec<u64>, number: u64) {
    let stays = |doc_id: &u64| number % 40 != 39 && (doc_id * 11 + number) % 17 > 1;
    let removed: Vec<u64> = living.extract_if(.., |doc_id| !stays(doc_id)).collect();
    let added = number * ADDED..(number + 1) * ADDED;
    shared.apply(&removed, Some(&batch(added.clone()))).unwrap();
    living.extend(added);
}

/// Results of each state in an index that was written at once.
fn expected() -> Vec<Found> {
    let (shared, mut living) = (SharedIndex::default(), Vec::new());
    let state = |number| {
        step(&shared, &mut living, number);
        let fresh = SharedIndex::default();
        fresh.apply(&[], Some(&batch(living.iter().copied()))).unwrap();
        found(&fresh.read())
    };
    (0..STATES).map(state).collect()
}

/// Writes the unsaved parts, and opens them from their files.
fn to_files(shared: &SharedIndex, name: &str) {
    let folder = std::env::temp_dir().join(format!("spaniel-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let snapshot = shared.snapshot(&[]).unwrap();
    for piece in snapshot.pieces().filter(|piece| !piece.is_saved()) {
        let mut bytes = vec![0; piece.mark().size as usize];
        piece.fill(0, &mut bytes);
        std::fs::write(folder.join(piece.name()), bytes).unwrap();
    }
    shared.adopt(&snapshot.written(&folder).unwrap());
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_state_stays_as_it_is_through_writes_merges_compactions_and_files() {
    let (shared, mut living, mut states) = (SharedIndex::default(), Vec::new(), Vec::new());
    for number in 0..STATES {
        step(&shared, &mut living, number);
        states.push(shared.read());
        match number % 10 {
            3 | 9 => _ = shared.tidy(usize::MAX).unwrap(),
            6 => to_files(&shared, "kept"),
            _ => {}
        }
    }
    for (state, expected) in states.iter().zip(expected()) {
        assert_eq!(found(state), expected);
    }
}

#[test]
fn every_read_beside_writers_is_of_one_state() {
    let (shared, expected, done) = (SharedIndex::default(), expected(), AtomicBool::new(false));
    let read = || {
        let mut last = 0;
        while !done.load(SeqCst) {
            let state = shared.read();
            let Some(doc_id) = state.last_doc_id else { continue };
            let number = doc_id / ADDED;
            assert!(number >= last, "no reader goes back");
            assert_eq!(found(&state), expected[number as usize], "{number}");
            last = number;
        }
    };
    std::thread::scope(|scope| {
        (0..2).for_each(|_| _ = scope.spawn(read));
        scope.spawn(|| {
            while !done.load(SeqCst) {
                shared.tidy(usize::MAX).unwrap();
                to_files(&shared, "beside");
            }
        });
        let mut living = Vec::new();
        for number in 0..STATES {
            step(&shared, &mut living, number);
        }
        done.store(true, SeqCst);
    });
    assert_eq!(found(&shared.read()), expected[STATES as usize - 1]);
}
