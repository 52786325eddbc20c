//! Bit sets of the documents of the most frequent terms: a lookup needs no search.

use crate::error::Error;
use crate::files::array::Array;
use crate::index::memory::prefetch;
use crate::postings::segment_postings::WINDOW;

/// A row has a bit set from this many postings per window on, on average: then the bit set is
/// smaller than the row.
const MIN_POSTINGS_PER_WINDOW: usize = WINDOW / 16;
/// 64-bit words per window.
const WORDS: usize = WINDOW / 64;

/// A bit for each document of each frequent row, window by window.
#[derive(Debug, Default)]
pub(crate) struct FrequentTermBitsets {
    /// By row: its index among the rows with a bit set, or `u32::MAX`.
    pub places: Array<u32>,
    pub bits: Array<u64>,
    /// By word: the number of bits set before it in its window (rank).
    pub before: Array<u16>,
}

/// Bit sets under construction.
#[derive(Default)]
struct Builder {
    places: Vec<u32>,
    bits: Vec<u64>,
    before: Vec<u16>,
}

/// The bit set of a row, or of one of its windows.
#[derive(Clone, Copy)]
pub(crate) struct TermBitset<'a> {
    bits: &'a [u64],
    before: &'a [u16],
}

impl FrequentTermBitsets {
    /// Builds the bit sets of rows whose windows begin at `starts` in `low`; the last start is the
    /// end.
    pub(crate) fn new(starts: &[u32], low: &[u16], windows: usize) -> Self {
        let mut marks = Builder::default();
        let rows = if windows == 0 { &[] } else { starts }; // all documents are gone
        for row in rows.windows(windows + 1).step_by(windows.max(1)) {
            if ((row[windows] - row[0]) as usize) < MIN_POSTINGS_PER_WINDOW * windows {
                marks.places.push(u32::MAX);
                continue;
            }
            marks.places.push((marks.bits.len() / (WORDS * windows)) as u32);
            row.windows(2).for_each(|ends| marks.add(&low[ends[0] as usize..ends[1] as usize]));
        }
        FrequentTermBitsets { places: marks.places.into(), bits: marks.bits.into(), before: marks.before.into() }
    }

    /// The bit set of a row, if it has one.
    pub(crate) fn row(&self, row: u32, windows: usize) -> Result<Option<TermBitset<'_>>, Error> {
        let place = self.places.at(row as usize)? as usize;
        if place == u32::MAX as usize {
            return Ok(None);
        }
        let range = place * windows * WORDS..(place + 1) * windows * WORDS;
        Ok(Some(TermBitset { bits: self.bits.get(range.clone())?, before: self.before.get(range)? }))
    }
}

impl Builder {
    /// Adds a window.
    fn add(&mut self, documents: &[u16]) {
        let mut words = [0_u64; WORDS];
        documents.iter().for_each(|&document| words[document as usize / 64 % WORDS] |= 1 << (document % 64));
        let mut before = 0;
        for word in words {
            self.before.push(before);
            before += word.count_ones() as u16;
        }
        self.bits.extend(words);
    }
}

impl<'a> TermBitset<'a> {
    /// The bits of one window.
    #[inline]
    pub(crate) fn window(self, window: usize) -> TermBitset<'a> {
        let range = window * WORDS..(window + 1) * WORDS;
        TermBitset { bits: &self.bits[range.clone()], before: &self.before[range] }
    }

    /// Prefetches the bits.
    #[inline]
    pub(crate) fn prefetch(self) {
        prefetch(self.bits, usize::MAX);
        prefetch(self.before, usize::MAX);
    }

    /// The rank of a document in its window, if the term occurs in it.
    #[inline]
    pub(crate) fn place(self, document: u16) -> Option<usize> {
        let (word, bit) = (document as usize / 64, document % 64);
        let bits = *self.bits.get(word)?;
        if bits >> bit & 1 == 0 {
            return None;
        }
        Some(self.before[word] as usize + (bits & ((1 << bit) - 1)).count_ones() as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marked_document_is_found_at_its_place() {
        let frequent: Vec<u16> = (0..WINDOW as u16).filter(|document| document % 7 < 2).collect();
        let second: Vec<u16> = (0..WINDOW as u16).filter(|document| document % 5 == 3).collect();
        let rare = [4, 9];
        let low = [&frequent[..], &second, &rare, &rare].concat();
        let ends = [0, frequent.len(), second.len(), 2, 2];
        let starts: Vec<u32> = ends
            .iter()
            .scan(0, |sum, &len| {
                *sum += len as u32;
                Some(*sum)
            })
            .collect();
        let marks = FrequentTermBitsets::new(&starts, &low, 2);
        assert!(marks.row(1, 2).unwrap().is_none());
        for (window, documents) in [frequent, second].iter().enumerate() {
            let marked = marks.row(0, 2).unwrap().expect("it is frequent").window(window);
            for document in 0..WINDOW as u16 {
                assert_eq!(marked.place(document), documents.binary_search(&document).ok());
            }
        }
    }
}
