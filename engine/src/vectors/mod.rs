//! Dot products of vectors of small integers: what a scan of many vectors spends its time on.

/// Writes the dot product of `query` and each row of `rows` to `out`. Sums must stay within 32 bits.
pub fn dots(rows: &[i8], query: &[i16], out: &mut [i32]) {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512bw") {
            // SAFETY: the processor has what the function is compiled for.
            return unsafe { dots_avx512(rows, query, out) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: as above.
            return unsafe { dots_avx2(rows, query, out) };
        }
    }
    plain(rows, query, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw")]
fn dots_avx512(rows: &[i8], query: &[i16], out: &mut [i32]) {
    plain(rows, query, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn dots_avx2(rows: &[i8], query: &[i16], out: &mut [i32]) {
    plain(rows, query, out);
}

/// The loop, which the compiler turns into the widest multiply-and-add of the function it is inlined in.
#[inline(always)]
fn plain(rows: &[i8], query: &[i16], out: &mut [i32]) {
    for (row, out) in rows.chunks_exact(query.len()).zip(out) {
        *out = row.iter().zip(query).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum();
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
            let (mut fast, mut slow) = (vec![0; 9], vec![0; 9]);
            dots(&rows, &query, &mut fast);
            for (row, out) in rows.chunks(size as usize).zip(&mut slow) {
                *out = row.iter().zip(&query).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum::<i32>();
            }
            assert_eq!(fast, slow);
        }
    }
}
