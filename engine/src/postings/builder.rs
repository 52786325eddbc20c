//! Builds the postings of a segment, given the document frequency of each term.

use crate::index::memory::prefetch;
use crate::postings::frequent_terms::FrequentTermBitsets;
use crate::postings::packing::Packer;
use crate::postings::segment_postings::{code_width, distance_width, List, SegmentPostings, WINDOW};

/// A term with fewer postings per window than this, on average, is packed: that is smaller.
const SPARSE: usize = 4;
/// A term with fewer postings than this is packed, too: to unpack them takes some microseconds.
const FEW: usize = if cfg!(fuzzing) { 1 << 3 } else { 1 << 9 };

/// Destination of the postings of a term.
#[derive(Clone, Copy)]
enum Place {
    Row(u32),
    /// In `rare`, to be packed.
    Rare {
        start: u32,
        end: u32,
    },
}

/// Posting lists under construction.
pub(crate) struct PostingsBuilder {
    windows: usize,
    documents: usize,
    lists: Vec<Place>,
    starts: Vec<u32>,
    greatest: Vec<u16>,
    low: Vec<u16>,
    codes: Vec<u16>,
    rare: Vec<u32>,
    rare_codes: Vec<u16>,
    /// Position of the next posting of each term.
    next: Vec<u32>,
}

impl PostingsBuilder {
    /// Allocates lists for terms with these document frequencies.
    pub(crate) fn new(counts: &[u32], documents: usize) -> Self {
        let windows = documents.div_ceil(WINDOW);
        let (mut rows, mut frequent, mut rare) = (0, 0, 0);
        let (mut lists, mut next) = (Vec::with_capacity(counts.len()), Vec::with_capacity(counts.len()));
        for &count in counts {
            if (count as usize) < FEW.max(SPARSE * windows) {
                next.push(rare);
                lists.push(Place::Rare { start: rare, end: rare + count });
                rare += count;
            } else {
                next.push(frequent);
                lists.push(Place::Row(rows));
                frequent += count;
                rows += 1;
            }
        }
        let (cells, frequent, rare) = (rows as usize * windows, frequent as usize, rare as usize);
        PostingsBuilder {
            windows,
            documents,
            lists,
            starts: vec![0; if cells == 0 { 0 } else { cells + 1 }],
            greatest: vec![0; cells],
            low: vec![0; frequent],
            codes: vec![0; frequent],
            rare: vec![0; rare],
            rare_codes: vec![0; rare],
            next,
        }
    }

    /// Prefetches the state that `push` reads for a term.
    #[inline]
    pub(crate) fn prefetch(&self, term: u32) {
        let at = term as usize;
        prefetch(&self.next[at..], 1);
        prefetch(&self.lists[at..], 1);
    }

    /// Adds a posting; the documents of a term must ascend.
    #[inline(always)] // its callers are loops over all postings
    pub(crate) fn push(&mut self, term: u32, document: u32, code: u16) {
        let place = &mut self.next[term as usize];
        let at = *place as usize;
        *place += 1;
        match self.lists[term as usize] {
            Place::Row(row) => {
                self.low[at] = (document as usize % WINDOW) as u16;
                self.codes[at] = code;
                let cell = row as usize * self.windows + document as usize / WINDOW;
                self.starts[cell + 1] += 1;
                self.greatest[cell] = self.greatest[cell].max(code);
            }
            Place::Rare { .. } => {
                self.rare[at] = document;
                self.rare_codes[at] = code;
            }
        }
    }

    /// The lists; the other fields of the segment are left empty.
    pub(crate) fn finish(mut self, codes: usize) -> SegmentPostings {
        for cell in 1..self.starts.len() {
            self.starts[cell] += self.starts[cell - 1];
        }
        let (lists, packed) = self.pack(codes);
        SegmentPostings {
            marks: FrequentTermBitsets::new(&self.starts, &self.low, self.windows),
            lists: lists.into(),
            packed: packed.into(),
            rare: self.rare.len(),
            starts: self.starts.into(),
            greatest: self.greatest.into(),
            low: self.low.into(),
            codes: self.codes.into(),
            ..SegmentPostings::default()
        }
    }

    /// Packs the rare lists, and returns the location of every list.
    fn pack(&self, codes: usize) -> (Vec<[u32; 2]>, Vec<u8>) {
        let (width, mut packer) = (code_width(codes), Packer::default());
        let mut list = |&place: &Place| {
            let (start, end) = match place {
                Place::Row(row) => return List::Row(row).into(),
                Place::Rare { start, end } => (start, end),
            };
            let list = List::Packed { start: packer.align() as u32, count: end - start };
            let (k, mut next) = (distance_width(self.documents as u64, end - start), 0);
            let range = start as usize..end as usize;
            for (&document, &code) in self.rare[range.clone()].iter().zip(&self.rare_codes[range]) {
                packer.push_distance(u64::from(document - next), k);
                packer.push(u64::from(code), width);
                next = document + 1;
            }
            list.into()
        };
        let lists = self.lists.iter().map(&mut list).collect();
        packer.align();
        (lists, packer.bytes)
    }
}
