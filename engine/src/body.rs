//! The immutable part of a segment: documents and postings. Documents, terms and codes are numbered within it.

use std::borrow::Cow;

use crate::forward::Forward;
use crate::pairs::Pair;
use crate::slots::Slots;

/// Documents of a window: their numbers fit two bytes, their scores the first-level cache.
pub const WINDOW: usize = if cfg!(fuzzing) { 1 << 6 } else { 1 << 13 };
/// The most postings of one body: all positions fit four bytes.
pub const MOST_POSTINGS: usize = if cfg!(fuzzing) { 1 << 10 } else { 1 << 29 };

/// Where the postings of a term stand.
#[derive(Clone, Copy, Debug)]
pub enum List {
    /// Frequent terms have a row of windows. A posting takes four bytes.
    Row(u32),
    /// Rare ones would have mostly empty windows: a posting takes six bytes, and windows are found when searched.
    Span { start: u32, end: u32 },
}

/// Documents and their inverted lists.
#[derive(Debug, Default)]
pub struct Body {
    pub slots: Slots,
    /// Tokens of each document.
    pub lengths: Vec<u32>,
    pub forward: Forward,
    /// What each code stands for, in order of impact.
    pub pairs: Vec<Pair>,
    pub lists: Vec<List>,
    /// Where each window of each row begins in `low` and `codes`; one more for the end.
    pub(crate) starts: Vec<u32>,
    /// The greatest code of each window of each row.
    pub(crate) greatest: Vec<u16>,
    /// Documents within their windows, and codes.
    pub(crate) low: Vec<u16>,
    pub(crate) codes: Vec<u16>,
    pub(crate) rare: Vec<u32>,
    pub(crate) rare_codes: Vec<u16>,
}

/// The postings of a term by windows.
pub struct View<'a> {
    /// Where each window begins; one more for the end.
    pub starts: Cow<'a, [u32]>,
    pub greatest: Cow<'a, [u16]>,
    low: Cow<'a, [u16]>,
    codes: &'a [u16],
}

impl View<'_> {
    /// The postings of one window.
    #[inline]
    pub fn window(&self, window: usize) -> (&[u16], &[u16]) {
        let range = self.starts[window] as usize..self.starts[window + 1] as usize;
        (&self.low[range.clone()], &self.codes[range])
    }

    /// Whether a window has no posting.
    #[inline]
    pub fn is_empty(&self, window: usize) -> bool {
        self.starts[window] == self.starts[window + 1]
    }
}

impl Body {
    /// The number of documents.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there are no documents.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The number of windows.
    pub fn windows(&self) -> usize {
        self.len().div_ceil(WINDOW)
    }

    /// The number of postings.
    pub fn postings(&self) -> usize {
        self.low.len() + self.rare.len()
    }

    /// In how many documents a term stands, dead ones included.
    pub fn frequency(&self, term: u32) -> u32 {
        match self.lists[term as usize] {
            List::Row(row) => {
                let row = self.row(row);
                row[row.len() - 1] - row[0]
            }
            List::Span { start, end } => end - start,
        }
    }

    fn row(&self, row: u32) -> &[u32] {
        let first = row as usize * self.windows();
        &self.starts[first..=first + self.windows()]
    }

    /// The postings of a term by windows.
    pub fn view(&self, term: u32) -> View<'_> {
        match self.lists[term as usize] {
            List::Row(row) => {
                let first = row as usize * self.windows();
                View {
                    starts: Cow::Borrowed(self.row(row)),
                    greatest: Cow::Borrowed(&self.greatest[first..first + self.windows()]),
                    low: Cow::Borrowed(&self.low),
                    codes: &self.codes,
                }
            }
            List::Span { start, end } => self.view_of_span(start as usize, end as usize),
        }
    }

    fn view_of_span(&self, start: usize, end: usize) -> View<'_> {
        let (documents, codes) = (&self.rare[start..end], &self.rare_codes[start..end]);
        let (mut starts, mut greatest) = (vec![0; self.windows() + 1], vec![0; self.windows()]);
        for (&document, &code) in documents.iter().zip(codes) {
            let window = document as usize / WINDOW;
            starts[window + 1] += 1;
            greatest[window] = code.max(greatest[window]);
        }
        for window in 0..greatest.len() {
            starts[window + 1] += starts[window];
        }
        let low: Vec<u16> = documents.iter().map(|&document| (document as usize % WINDOW) as u16).collect();
        View { starts: Cow::Owned(starts), greatest: Cow::Owned(greatest), low: Cow::Owned(low), codes }
    }

    /// The pair of a term in a document, if the document holds it.
    pub fn pair(&self, term: u32, document: u32) -> Option<Pair> {
        let code = match self.lists[term as usize] {
            List::Row(row) => {
                let at = row as usize * self.windows() + document as usize / WINDOW;
                let (start, end) = (self.starts[at] as usize, self.starts[at + 1] as usize);
                let low = (document as usize % WINDOW) as u16;
                self.codes[start + self.low[start..end].binary_search(&low).ok()?]
            }
            List::Span { start, end } => {
                let (start, end) = (start as usize, end as usize);
                self.rare_codes[start + self.rare[start..end].binary_search(&document).ok()?]
            }
        };
        Some(self.pairs[code as usize])
    }

    /// Calls `each` with the document and code of every posting of a term, documents ascending.
    pub fn each_posting(&self, term: u32, mut each: impl FnMut(u32, u16)) {
        match self.lists[term as usize] {
            List::Row(row) => {
                for (window, ends) in self.row(row).windows(2).enumerate() {
                    let range = ends[0] as usize..ends[1] as usize;
                    for (&low, &code) in self.low[range.clone()].iter().zip(&self.codes[range]) {
                        each((window * WINDOW) as u32 + u32::from(low), code);
                    }
                }
            }
            List::Span { start, end } => {
                let range = start as usize..end as usize;
                self.rare[range.clone()].iter().zip(&self.rare_codes[range]).for_each(|(&d, &code)| each(d, code));
            }
        }
    }
}
