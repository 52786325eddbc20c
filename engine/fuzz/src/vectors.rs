//! Dot products of small integers, and a search of vectors, beside plain loops.

use _engine::vectors::candidates::Allowed;
use _engine::vectors::dot_products::dots;
use _engine::vectors::exact::product;
use _engine::vectors::query::Query;
use _engine::vectors::shared_vectors::{Found, SharedVectors};

/// The first byte is the size of a row; then come the query, two bytes a number, and the rows.
pub fn run(data: &[u8]) {
    let Some((&size, rest)) = data.split_first() else { return };
    let size = usize::from(size) + 1;
    let Some((query, rows)) = rest.split_at_checked(2 * size) else { return };
    let query: Vec<i16> = query.chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]])).collect();
    let rows: Vec<i8> = rows[..rows.len() / size * size].iter().map(|&byte| byte as i8).collect();
    let plain: Vec<i64> = rows
        .chunks_exact(size)
        .map(|row| row.iter().zip(&query).map(|(&a, &b)| i64::from(a) * i64::from(b)).sum())
        .collect();
    let places: Vec<u32> = (0..plain.len() as u32).rev().collect();
    let mut out = vec![0; plain.len()];
    dots(&rows, &places, &query, &mut out);
    assert!(out.iter().rev().map(|&dot| i64::from(dot)).eq(plain));
    search(size, &query, &rows);
}

/// The same numbers as vectors: written in two batches, every fifth removed, searched exactly.
fn search(size: usize, query: &[i16], rows: &[i8]) {
    let numbers: Vec<f64> = rows.iter().map(|&number| f64::from(number) / 3.0).collect();
    let query: Vec<f64> = query.iter().map(|&number| f64::from(number)).collect();
    let (count, shared) = (rows.len() / size, SharedVectors::default());
    for range in [0..count / 2, count / 2..count] {
        let doc_ids = range.clone().map(|row| row as u64).collect::<Vec<_>>();
        if !doc_ids.is_empty() {
            let batch =
                shared.prepare(&[(size, doc_ids, numbers[range.start * size..range.end * size].to_vec())]).unwrap();
            shared.apply(&[], Some(batch)).unwrap();
        }
    }
    let removed: Vec<u64> = (0..count as u64).step_by(5).collect();
    shared.apply(&removed, None).unwrap();
    shared.tidy().unwrap();
    let living = (0..count).filter(|row| row % 5 != 0);
    let mut expected: Vec<(u64, f64)> =
        living.map(|row| (row as u64, product(&numbers[row * size..][..size], &query))).collect();
    expected.sort_by(|a, b| b.1.partial_cmp(&a.1).unwrap().then(a.0.cmp(&b.0)));
    expected.truncate(7);
    match shared.read().unwrap().nearest(&Query::new(&query, false), 7, Allowed::All, false) {
        Found::Hits(hits) => assert!(hits.iter().map(|hit| (hit.doc_id, hit.score)).eq(expected)),
        Found::Sizes(sizes) => panic!("{sizes:?}"),
    }
}
