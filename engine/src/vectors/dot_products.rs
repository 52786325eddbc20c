//! Dot products of small integers: the inner loop of an exact scan.

use super::dispatch::{by_processor, fetch};

/// Rows prefetched ahead: they may be anywhere in memory.
const PREFETCH_DISTANCE: usize = 6;

by_processor! {
    /// Writes the dot product of `query` and each of the `places` of `rows` to `out`. Sums must
    /// stay within 32 bits.
    pub fn dots(rows: &[i8], places: &[u32], query: &[i16], out: &mut [i32]) = plain
}

/// The loop, which the compiler vectorizes for the target features of the function it is inlined
/// in.
#[inline(always)]
fn plain(rows: &[i8], places: &[u32], query: &[i16], out: &mut [i32]) {
    let row = |place: u32| &rows[place as usize * query.len()..][..query.len()];
    for (at, (&place, out)) in places.iter().zip(out).enumerate() {
        if let Some(&later) = places.get(at + PREFETCH_DISTANCE) {
            fetch(row(later));
        }
        *out = row(place).iter().zip(query).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_processor_gets_the_same() {
        for size in [1, 7, 16, 31, 64, 384, 500] {
            let rows: Vec<i8> = (0..size * 9).map(|i| (i * 37 % 255 - 127) as i8).collect();
            let query: Vec<i16> = (0..size).map(|i| (i * 7919 % 65534 - 32767) as i16).collect();
            let places = [8, 0, 3, 3];
            let (mut fast, mut slow) = ([0; 4], [0; 4]);
            dots(&rows, &places, &query, &mut fast);
            for (&place, slow) in places.iter().zip(&mut slow) {
                let row = &rows[place as usize * size as usize..];
                *slow = query.iter().zip(row).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum();
            }
            assert_eq!(fast, slow);
        }
    }
}
