//! The immutable part of a segment: documents and postings. Documents, terms and codes are numbered within it.

use std::borrow::Cow;

use crate::error::Error;
use crate::files::array::Array;
use crate::index::memory::prefetch;
use crate::postings::doc_ids::DocIds;
use crate::postings::forward::Forward;
use crate::postings::frequent_terms::{FrequentTermBitsets, TermBitset};
use crate::postings::impact_codes::TfAndLength;
use crate::postings::packing::Unpacker;

/// Documents of a window: their numbers fit two bytes, their scores the first-level cache.
pub(crate) const WINDOW: usize = if cfg!(fuzzing) { 1 << 6 } else { 1 << 13 };
/// The most postings of one body: all positions fit four bytes.
pub(crate) const MAX_POSTINGS: usize = if cfg!(fuzzing) { 1 << 10 } else { 1 << 29 };

/// Where the postings of a term stand.
#[derive(Clone, Copy, Debug)]
pub enum List {
    /// Frequent terms have a row of windows. A posting takes four bytes.
    Row(u32),
    /// Rare ones would have mostly empty windows: so many postings are packed from a byte on.
    Packed { start: u32, count: u32 },
}

/// The most bytes of a packed posting.
const MAX_PACKED_BYTES: usize = 8;

/// The k of the distances in a list of so many of the documents.
pub(crate) fn distance_width(documents: u64, count: u32) -> u32 {
    (documents / u64::from(count.max(1))).max(1).ilog2().min(32)
}

/// The bits of each of so many codes.
pub(crate) fn code_width(codes: usize) -> u32 {
    usize::BITS - codes.saturating_sub(1).leading_zeros()
}

/// As lists are stored: no list has so many postings as a row says it has.
const ROW: u32 = u32::MAX;

impl From<List> for [u32; 2] {
    fn from(list: List) -> Self {
        match list {
            List::Row(row) => [row, ROW],
            List::Packed { start, count } => [start, count],
        }
    }
}

/// Documents and their inverted lists.
#[derive(Debug, Default)]
pub struct SegmentPostings {
    pub doc_ids: DocIds,
    /// Tokens of each document.
    pub lengths: Array<u32>,
    pub forward: Forward,
    /// What each code stands for, in order of impact.
    pub pairs: Array<TfAndLength>,
    /// By term, see [`Body::list`].
    pub(crate) lists: Array<[u32; 2]>,
    /// Where each window of each row begins in `low` and `codes`; one more for the end.
    pub(crate) starts: Array<u32>,
    /// The greatest code of each window of each row.
    pub(crate) greatest: Array<u16>,
    /// Documents within their windows, and codes.
    pub(crate) low: Array<u16>,
    pub(crate) codes: Array<u16>,
    /// The most frequent rows once more, as bits.
    pub(crate) marks: FrequentTermBitsets,
    pub(crate) packed: Array<u8>,
    /// How many postings are packed.
    pub(crate) rare: usize,
}

/// The postings of a term by windows.
pub struct View<'a> {
    /// Where each window begins; one more for the end.
    pub starts: Cow<'a, [u32]>,
    pub greatest: Cow<'a, [u16]>,
    low: Cow<'a, [u16]>,
    codes: Cow<'a, [u16]>,
    marks: Option<TermBitset<'a>>,
}

/// The postings of a term in one window.
#[derive(Clone, Copy)]
pub struct Postings<'a> {
    pub documents: &'a [u16],
    pub codes: &'a [u16],
    marks: Option<TermBitset<'a>>,
}

impl View<'_> {
    /// The postings of one window.
    #[inline]
    pub fn window(&self, window: usize) -> Postings<'_> {
        let base = self.starts[0];
        let range = (self.starts[window] - base) as usize..(self.starts[window + 1] - base) as usize;
        let marks = self.marks.map(|marks| marks.window(window));
        Postings { documents: &self.low[range.clone()], codes: &self.codes[range], marks }
    }

    /// The number of postings in a window.
    #[inline]
    pub fn len(&self, window: usize) -> usize {
        (self.starts[window + 1] - self.starts[window]) as usize
    }
}

/// Documents of a list that are compared at once.
const LANES: usize = 32;

impl<'a> Postings<'a> {
    /// Asks for what will be read first to be brought near.
    #[inline]
    pub fn prefetch(self) {
        if let Some(marks) = self.marks {
            marks.prefetch()
        } else {
            prefetch(self.documents, 1024);
            prefetch(self.codes, 256);
        }
    }

    /// The means to look up one document after the other.
    #[inline]
    pub fn finder(self) -> Finder<'a> {
        Finder { postings: self, from: 0 }
    }
}

/// Looks up documents of a window; fastest if they ascend.
pub struct Finder<'a> {
    postings: Postings<'a>,
    /// All documents before this place are below the last one that was asked for.
    from: usize,
}

impl Finder<'_> {
    /// The code of a document, if the term stands in it.
    #[inline]
    pub fn code(&mut self, document: u16) -> Option<u16> {
        let at = match self.postings.marks {
            Some(marks) => marks.place(document)?,
            None => self.place(document)?,
        };
        self.postings.codes.get(at).copied()
    }

    #[inline]
    fn place(&mut self, document: u16) -> Option<usize> {
        let documents = self.postings.documents;
        if self.from > 0 && documents[self.from - 1] >= document {
            self.from = 0;
        }
        while documents.get(self.from + LANES - 1).is_some_and(|&last| last < document) {
            self.from += LANES;
        }
        let rest = &documents[self.from..];
        let below = match rest.first_chunk::<LANES>() {
            Some(lanes) => lanes.iter().map(|&lane| u16::from(lane < document)).sum::<u16>() as usize,
            None => rest.partition_point(|&other| other < document),
        };
        (rest.get(below) == Some(&document)).then_some(self.from + below)
    }
}

impl SegmentPostings {
    /// The number of documents.
    pub fn len(&self) -> usize {
        self.doc_ids.len()
    }

    /// Whether there are no documents.
    pub fn is_empty(&self) -> bool {
        self.doc_ids.is_empty()
    }

    /// The number of windows.
    pub fn windows(&self) -> usize {
        self.len().div_ceil(WINDOW)
    }

    /// The number of postings.
    pub fn num_postings(&self) -> usize {
        self.low.len() + self.rare
    }

    /// The number of terms.
    pub fn terms(&self) -> usize {
        self.lists.len()
    }

    /// Where the postings of a term stand.
    #[inline]
    fn list(&self, term: u32) -> Result<List, Error> {
        let [start, count] = self.lists.at(term as usize)?;
        if count == ROW {
            return Ok(List::Row(start));
        }
        if count as usize > self.len() {
            return Err(self.lists.wrong());
        }
        Ok(List::Packed { start, count })
    }

    /// In how many documents a term stands, dead ones included.
    pub fn frequency(&self, term: u32) -> Result<u32, Error> {
        Ok(match self.list(term)? {
            List::Row(row) => {
                let row = self.row(row)?;
                row[row.len() - 1] - row[0]
            }
            List::Packed { count, .. } => count,
        })
    }

    /// Where the windows of a row begin; one more for the end.
    fn row(&self, row: u32) -> Result<&[u32], Error> {
        let first = row as usize * self.windows();
        let starts = self.starts.get(first..first + self.windows() + 1)?;
        if self.starts.is_mapped() && !starts.is_sorted() {
            return Err(self.starts.wrong());
        }
        Ok(starts)
    }

    /// The documents within their windows of a row, and their codes.
    fn postings_of(&self, starts: &[u32]) -> Result<(&[u16], &[u16]), Error> {
        let range = starts[0] as usize..starts[starts.len() - 1] as usize;
        let low = self.low.get(range.clone())?;
        if self.low.is_mapped() && starts.len() > 1 {
            let last = (starts[starts.len() - 2] - starts[0]) as usize;
            let room = self.len() - (self.windows() - 1) * WINDOW;
            if low[last..].iter().any(|&document| document as usize >= room) {
                return Err(self.low.wrong());
            }
        }
        Ok((low, self.codes.get(range)?))
    }

    /// The postings of a term by windows.
    pub fn view(&self, term: u32) -> Result<View<'_>, Error> {
        match self.list(term)? {
            List::Row(row) => {
                let first = row as usize * self.windows();
                let starts = self.row(row)?;
                let (low, codes) = self.postings_of(starts)?;
                Ok(View {
                    starts: Cow::Borrowed(starts),
                    greatest: Cow::Borrowed(self.greatest.get(first..first + self.windows())?),
                    low: Cow::Borrowed(low),
                    codes: Cow::Borrowed(codes),
                    marks: self.marks.row(row, self.windows())?,
                })
            }
            List::Packed { start, count } => self.view_of_packed(start, count),
        }
    }

    fn view_of_packed(&self, start: u32, count: u32) -> Result<View<'_>, Error> {
        let (mut starts, mut greatest) = (vec![0; self.windows() + 1], vec![0; self.windows()]);
        let (mut low, mut codes) = (Vec::with_capacity(count as usize), Vec::with_capacity(count as usize));
        self.unpack(start, count, |document, code| {
            let window = document as usize / WINDOW;
            starts[window + 1] += 1;
            greatest[window] = code.max(greatest[window]);
            low.push((document as usize % WINDOW) as u16);
            codes.push(code);
        })?;
        for window in 0..greatest.len() {
            starts[window + 1] += starts[window];
        }
        Ok(View {
            starts: Cow::Owned(starts),
            greatest: Cow::Owned(greatest),
            low: Cow::Owned(low),
            codes: Cow::Owned(codes),
            marks: None,
        })
    }

    /// Calls `each` with the document and code of each of so many packed postings.
    fn unpack(&self, start: u32, count: u32, mut each: impl FnMut(u32, u16)) -> Result<(), Error> {
        let (start, documents, codes) = (start as usize, self.len() as u64, self.pairs.len());
        let most = self.packed.len().min(start + count as usize * MAX_PACKED_BYTES);
        let mut bits = Unpacker::new(self.packed.get(start..most)?);
        let (k, width) = (distance_width(documents, count), code_width(codes));
        let mut next = 0;
        for _ in 0..count {
            let (document, code) = (next + bits.take_distance(k), bits.take(width));
            if document >= documents || code >= codes as u64 {
                return Err(self.packed.wrong());
            }
            each(document as u32, code as u16);
            next = document + 1;
        }
        Ok(())
    }

    /// The pair of a term in a document, if the document holds it.
    pub fn pair(&self, term: u32, document: u32) -> Result<Option<TfAndLength>, Error> {
        let code = match self.list(term)? {
            List::Row(row) => {
                let at = row as usize * self.windows() + document as usize / WINDOW;
                let starts = self.starts.get(at..at + 2)?;
                let (start, end) = (starts[0] as usize, starts[1] as usize);
                let low = (document as usize % WINDOW) as u16;
                let Ok(found) = self.low.get(start..end)?.binary_search(&low) else { return Ok(None) };
                self.codes.at(start + found)?
            }
            List::Packed { start, count } => {
                let mut found = None;
                self.unpack(start, count, |other, code| found = found.or((other == document).then_some(code)))?;
                let Some(code) = found else { return Ok(None) };
                code
            }
        };
        self.pairs.at(code as usize).map(Some)
    }

    /// Calls `each` with the document and code of every posting of a term, documents ascending.
    pub fn each_posting(&self, term: u32, mut each: impl FnMut(u32, u16)) -> Result<(), Error> {
        match self.list(term)? {
            List::Row(row) => {
                let starts = self.row(row)?;
                let (low, codes) = self.postings_of(starts)?;
                for (window, ends) in starts.windows(2).enumerate() {
                    let range = (ends[0] - starts[0]) as usize..(ends[1] - starts[0]) as usize;
                    for (&low, &code) in low[range.clone()].iter().zip(&codes[range]) {
                        each((window * WINDOW) as u32 + u32::from(low), code);
                    }
                }
            }
            List::Packed { start, count } => self.unpack(start, count, each)?,
        }
        Ok(())
    }
}
