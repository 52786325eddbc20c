//! Dot products of small integers.

use _engine::vectors::dots;

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
    let mut out = vec![0; plain.len()];
    dots(&rows, &query, &mut out);
    assert!(out.iter().map(|&dot| i64::from(dot)).eq(plain));
}
