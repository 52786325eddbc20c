//! The postings of a segment. Documents, terms and codes are numbered within it.

use std::borrow::Cow;

use crate::error::Error;
use crate::files::array::Array;
use crate::index::memory::prefetch;
use crate::postings::doc_ids::DocIds;
use crate::postings::forward::Forward;
use crate::postings::frequent_terms::{FrequentTermBitsets, TermBitset};
use crate::postings::impact_codes::TfAndLength;
use crate::postings::packing::Unpacker;

/// Documents per window: their numbers fit two bytes, their scores the first-level cache.
pub(crate) const WINDOW: usize = if cfg!(fuzzing) { 1 << 6 } else { 1 << 13 };
/// The maximum number of postings of a segment: all positions fit four bytes.
pub(crate) const MAX_POSTINGS: usize = if cfg!(fuzzing) { 1 << 10 } else { 1 << 29 };

/// Location of the postings of a term.
#[derive(Clone, Copy, Debug)]
pub enum List {
    /// A frequent term has a row of windows. A posting takes four bytes.
    Row(u32),
    /// A rare term would have mostly empty windows: its postings are packed.
    Packed { start: u32, count: u32 },
}

/// Marks a document that is not a part of another one.
pub(crate) const NO_ROOT: u32 = u32::MAX;

/// The maximum size of a packed posting in bytes.
const MAX_PACKED_BYTES: usize = 8;

/// The Rice parameter of a list of `count` documents among `documents`.
pub(crate) fn distance_width(documents: u64, count: u32) -> u32 {
    (documents / u64::from(count.max(1))).max(1).ilog2().min(32)
}

/// The width of a code in bits.
pub(crate) fn code_width(codes: usize) -> u32 {
    usize::BITS - codes.saturating_sub(1).leading_zeros()
}

/// Stored as the count of a row: no list has this many postings.
const ROW: u32 = u32::MAX;

impl From<List> for [u32; 2] {
    fn from(list: List) -> Self {
        match list {
            List::Row(row) => [row, ROW],
            List::Packed { start, count } => [start, count],
        }
    }
}

/// Documents and their posting lists.
#[derive(Debug, Default)]
pub struct SegmentPostings {
    pub doc_ids: DocIds,
    /// The number of tokens by document and text field.
    pub lengths: Array<u32>,
    /// The label of each document's root, or [`NO_ROOT`]; empty if no document has one.
    pub roots: Array<u32>,
    pub forward: Forward,
    /// Term frequency and document length by code, in order of impact.
    pub pairs: Array<TfAndLength>,
    /// By term, see [`SegmentPostings::list`].
    pub(crate) lists: Array<[u32; 2]>,
    /// Start of each window of each row in `low` and `codes`; the last element is the end.
    pub(crate) starts: Array<u32>,
    /// The maximum code of each window of each row.
    pub(crate) greatest: Array<u16>,
    /// Document numbers relative to their window, and codes.
    pub(crate) low: Array<u16>,
    pub(crate) codes: Array<u16>,
    /// The most frequent rows as bit sets, in addition.
    pub(crate) marks: FrequentTermBitsets,
    pub(crate) packed: Array<u8>,
    /// The number of packed postings.
    pub(crate) rare: usize,
}

/// The postings of a term by windows.
pub struct View<'a> {
    /// Start of each window; the last element is the end.
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

/// Documents compared per step of a linear search.
const LANES: usize = 32;

impl<'a> Postings<'a> {
    /// Prefetches the data that is read first.
    #[inline]
    pub fn prefetch(self) {
        if let Some(marks) = self.marks {
            marks.prefetch();
        } else {
            prefetch(self.documents, 1024);
            prefetch(self.codes, 256);
        }
    }

    /// A finder of documents in these postings.
    #[inline]
    pub fn finder(self) -> Finder<'a> {
        Finder { postings: self, from: 0 }
    }
}

/// Looks up documents of a window; fastest in ascending order.
pub struct Finder<'a> {
    postings: Postings<'a>,
    /// All documents before this position are below the last one looked up.
    from: usize,
}

impl Finder<'_> {
    /// The code of a document, if the term occurs in it.
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
        // documents are spread evenly, so the place of one is nearly known
        let guess = (usize::from(document) * documents.len() / WINDOW).saturating_sub(LANES);
        if guess > self.from + LANES && documents[guess - 1] < document {
            self.from = guess;
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

    /// Returns true if there are no documents.
    pub fn is_empty(&self) -> bool {
        self.doc_ids.is_empty()
    }

    /// The number of tokens in each text field of a document.
    pub fn lengths_of(&self, document: u32) -> Result<&[u32], Error> {
        let fields = self.lengths.len() / self.len().max(1);
        self.lengths.get(document as usize * fields..(document as usize + 1) * fields)
    }

    /// The label of a document's root.
    pub fn root(&self, document: u32) -> Result<Option<u32>, Error> {
        if self.roots.is_empty() {
            return Ok(None);
        }
        Ok(Some(self.roots.at(document as usize)?).filter(|&root| root != NO_ROOT))
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

    /// Location of the postings of a term.
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

    /// The document frequency of a term, deleted documents included.
    pub fn frequency(&self, term: u32) -> Result<u32, Error> {
        Ok(match self.list(term)? {
            List::Row(row) => {
                let row = self.row(row)?;
                row[row.len() - 1] - row[0]
            }
            List::Packed { count, .. } => count,
        })
    }

    /// Starts of the windows of a row; the last element is the end.
    fn row(&self, row: u32) -> Result<&[u32], Error> {
        let first = row as usize * self.windows();
        let starts = self.starts.get(first..first + self.windows() + 1)?;
        if self.starts.is_mapped() && !starts.is_sorted() {
            return Err(self.starts.wrong());
        }
        Ok(starts)
    }

    /// The document numbers and codes of a row.
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

    /// Calls `each` with the document and code of each of `count` packed postings.
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

    /// Frequency and length of a term in a document, if the term occurs in it.
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
