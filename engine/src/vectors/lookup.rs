//! Sums by table lookup, four bits at a time, for 32 rows at once: the tables fit into registers
//! (André, Kermarrec and Le Scouarnec, 2015, <https://doi.org/10.14778/2856318.2856324>).

/// Rows per block.
pub const BLOCK: usize = 32;
/// A table has a sum for each value of four bits; a block has as many bytes for these four: rows
/// 0-15 in the low halves of its bytes, rows 16-31 in the high ones.
pub const TABLE: usize = 16;
/// Tables whose bytes add up within 16 bits.
const TABLES_AT_ONCE: usize = 256;

/// Sums, for each row of each block, the table entries of its bits.
pub fn sums(blocks: &[u8], tables: &[u8], out: &mut [[u32; BLOCK]]) {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512bw") {
            // SAFETY: the processor has the target features of the function.
            return unsafe { x86::sums_avx512(blocks, tables, out) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: as above.
            return unsafe { x86::sums_avx2(blocks, tables, out) };
        }
    }
    #[cfg(target_arch = "aarch64")]
    each(blocks, tables, out, arm::add);
    #[cfg(not(target_arch = "aarch64"))]
    each(blocks, tables, out, plain);
}

/// Calls `add` for each block, with at most `TABLES_AT_ONCE` tables.
#[inline(always)]
fn each(blocks: &[u8], tables: &[u8], out: &mut [[u32; BLOCK]], add: impl Fn(&[u8], &[u8]) -> [u16; BLOCK]) {
    for (block, out) in blocks.chunks_exact(tables.len()).zip(out) {
        *out = [0; BLOCK];
        for (block, tables) in block.chunks(TABLES_AT_ONCE * TABLE).zip(tables.chunks(TABLES_AT_ONCE * TABLE)) {
            out.iter_mut().zip(add(block, tables)).for_each(|(out, sum)| *out += u32::from(sum));
        }
    }
}

#[cfg_attr(target_arch = "aarch64", allow(dead_code))] // but for the test
#[inline(always)]
fn plain(block: &[u8], tables: &[u8]) -> [u16; BLOCK] {
    let mut sums = [0; BLOCK];
    for (bytes, table) in block.chunks_exact(TABLE).zip(tables.chunks_exact(TABLE)) {
        for (at, &byte) in bytes.iter().enumerate() {
            sums[at] += u16::from(table[usize::from(byte & 15)]);
            sums[at + TABLE] += u16::from(table[usize::from(byte >> 4)]);
        }
    }
    sums
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        __m128i, _mm256_add_epi16, _mm256_and_si256, _mm256_castsi256_si128, _mm256_extracti128_si256,
        _mm256_loadu_si256, _mm256_set1_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_slli_epi16,
        _mm256_srli_epi16, _mm256_sub_epi16, _mm512_add_epi16, _mm512_and_si512, _mm512_castsi512_si256,
        _mm512_extracti64x4_epi64, _mm512_loadu_si512, _mm512_set1_epi8, _mm512_setzero_si512, _mm512_shuffle_epi8,
        _mm512_slli_epi16, _mm512_srli_epi16, _mm512_sub_epi16, _mm_add_epi16, _mm_storeu_si128, _mm_unpackhi_epi16,
        _mm_unpacklo_epi16,
    };

    use super::{each, BLOCK};

    /// A lookup gives bytes, which are added as 16 bits: once as they are, where each odd byte
    /// spoils the sum of the even one before it, and once the odd ones alone, which are then
    /// subtracted.
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn sums_avx512(blocks: &[u8], tables: &[u8], out: &mut [[u32; BLOCK]]) {
        #[target_feature(enable = "avx512f,avx512bw")]
        fn add(block: &[u8], tables: &[u8]) -> [u16; BLOCK] {
            let low_half = _mm512_set1_epi8(15);
            let mut sums = [_mm512_setzero_si512(); 4];
            for (codes, table) in block.chunks_exact(64).zip(tables.chunks_exact(64)) {
                // SAFETY: both slices are of 64 bytes.
                let (codes, table) =
                    unsafe { (_mm512_loadu_si512(codes.as_ptr().cast()), _mm512_loadu_si512(table.as_ptr().cast())) };
                let low = _mm512_shuffle_epi8(table, _mm512_and_si512(codes, low_half));
                let high = _mm512_shuffle_epi8(table, _mm512_and_si512(_mm512_srli_epi16::<4>(codes), low_half));
                sums[0] = _mm512_add_epi16(sums[0], low);
                sums[1] = _mm512_add_epi16(sums[1], _mm512_srli_epi16::<8>(low));
                sums[2] = _mm512_add_epi16(sums[2], high);
                sums[3] = _mm512_add_epi16(sums[3], _mm512_srli_epi16::<8>(high));
            }
            sums[0] = _mm512_sub_epi16(sums[0], _mm512_slli_epi16::<8>(sums[1]));
            sums[2] = _mm512_sub_epi16(sums[2], _mm512_slli_epi16::<8>(sums[3]));
            let folded = sums.map(|sum| {
                let half = _mm256_add_epi16(_mm512_castsi512_si256(sum), _mm512_extracti64x4_epi64::<1>(sum));
                _mm_add_epi16(_mm256_castsi256_si128(half), _mm256_extracti128_si256::<1>(half))
            });
            in_order(folded)
        }
        each(blocks, tables, out, |block, tables| add(block, tables));
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn sums_avx2(blocks: &[u8], tables: &[u8], out: &mut [[u32; BLOCK]]) {
        #[target_feature(enable = "avx2")]
        fn add(block: &[u8], tables: &[u8]) -> [u16; BLOCK] {
            let low_half = _mm256_set1_epi8(15);
            let mut sums = [_mm256_setzero_si256(); 4];
            for (codes, table) in block.chunks_exact(32).zip(tables.chunks_exact(32)) {
                // SAFETY: both slices are of 32 bytes.
                let (codes, table) =
                    unsafe { (_mm256_loadu_si256(codes.as_ptr().cast()), _mm256_loadu_si256(table.as_ptr().cast())) };
                let low = _mm256_shuffle_epi8(table, _mm256_and_si256(codes, low_half));
                let high = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16::<4>(codes), low_half));
                sums[0] = _mm256_add_epi16(sums[0], low);
                sums[1] = _mm256_add_epi16(sums[1], _mm256_srli_epi16::<8>(low));
                sums[2] = _mm256_add_epi16(sums[2], high);
                sums[3] = _mm256_add_epi16(sums[3], _mm256_srli_epi16::<8>(high));
            }
            sums[0] = _mm256_sub_epi16(sums[0], _mm256_slli_epi16::<8>(sums[1]));
            sums[2] = _mm256_sub_epi16(sums[2], _mm256_slli_epi16::<8>(sums[3]));
            in_order(sums.map(|sum| _mm_add_epi16(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum))))
        }
        each(blocks, tables, out, |block, tables| add(block, tables));
    }

    /// The sums by row, from those of even and odd rows below 16 and from 16 on.
    #[inline(always)]
    fn in_order([even_low, odd_low, even_high, odd_high]: [__m128i; 4]) -> [u16; BLOCK] {
        let mut out = [0; BLOCK];
        for (part, (even, odd)) in out.chunks_exact_mut(16).zip([(even_low, odd_low), (even_high, odd_high)]) {
            // SAFETY: every x86-64 has SSE2, and `part` is of 32 bytes.
            unsafe {
                _mm_storeu_si128(part.as_mut_ptr().cast(), _mm_unpacklo_epi16(even, odd));
                _mm_storeu_si128(part.as_mut_ptr().add(8).cast(), _mm_unpackhi_epi16(even, odd));
            }
        }
        out
    }
}

#[cfg(target_arch = "aarch64")]
mod arm {
    use std::arch::aarch64::*;

    use super::{BLOCK, TABLE};

    pub fn add(block: &[u8], tables: &[u8]) -> [u16; BLOCK] {
        let mut out = [0; BLOCK];
        // SAFETY: every 64-bit ARM has NEON; the slices read are of 16 bytes, those written of 8
        // numbers.
        unsafe {
            let mut sums = [vdupq_n_u16(0); 4];
            for (codes, table) in block.chunks_exact(TABLE).zip(tables.chunks_exact(TABLE)) {
                let (codes, table) = (vld1q_u8(codes.as_ptr()), vld1q_u8(table.as_ptr()));
                let low = vqtbl1q_u8(table, vandq_u8(codes, vdupq_n_u8(15)));
                let high = vqtbl1q_u8(table, vshrq_n_u8::<4>(codes));
                sums[0] = vaddw_u8(sums[0], vget_low_u8(low));
                sums[1] = vaddw_high_u8(sums[1], low);
                sums[2] = vaddw_u8(sums[2], vget_low_u8(high));
                sums[3] = vaddw_high_u8(sums[3], high);
            }
            out.chunks_exact_mut(8).zip(sums).for_each(|(out, sums)| vst1q_u16(out.as_mut_ptr(), sums));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_processor_gets_the_same() {
        for groups in [16, 96, 256, 1040] {
            let bytes = |seed: usize, count: usize| -> Vec<u8> {
                (0..count)
                    .map(|i| ((i + seed).wrapping_mul(2_654_435_761) >> 13) as u8 | if seed == 0 { 0xF0 } else { 0 })
                    .collect()
            };
            let (blocks, tables) = (bytes(7, 3 * groups * TABLE), bytes(0, groups * TABLE));
            let mut results = vec![[[0; BLOCK]; 3]; 2];
            sums(&blocks, &tables, &mut results[0]);
            each(&blocks, &tables, &mut results[1], plain);
            assert_eq!(results[0], results[1]);
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx2") {
                let mut narrow = [[0; BLOCK]; 3];
                // SAFETY: the feature was detected.
                unsafe { x86::sums_avx2(&blocks, &tables, &mut narrow) };
                assert_eq!(narrow, results[1][..]);
            }
        }
    }
}
