//! The immutable part of a segment: documents and postings. Documents, terms and codes are numbered within it.

use std::borrow::Cow;

use crate::error::Error;
use crate::files::array::Array;
use crate::forward::Forward;
use crate::marks::{Marked, Marks};
use crate::pairs::Pair;
use crate::slots::Slots;

/// Documents of a window: their numbers fit two bytes, their scores the first-level cache.
pub const WINDOW: usize = 1 << 13;
/// The most postings of one body: all positions fit four bytes.
pub const MOST_POSTINGS: usize = 1 << 29;

/// Where the postings of a term stand.
#[derive(Clone, Copy, Debug)]
pub enum List {
    /// Frequent terms have a row of windows. A posting takes four bytes.
    Row(u32),
    /// Rare ones would have mostly empty windows: a posting takes six bytes, and windows are found when searched.
    Span { start: u32, end: u32 },
}

/// As lists are stored: no span ends where a row says that it is one.
const ROW: u32 = u32::MAX;

impl From<List> for [u32; 2] {
    fn from(list: List) -> Self {
        match list {
            List::Row(row) => [row, ROW],
            List::Span { start, end } => [start, end],
        }
    }
}

/// Documents and their inverted lists.
#[derive(Debug, Default)]
pub struct Body {
    pub slots: Slots,
    /// Tokens of each document.
    pub lengths: Array<u32>,
    pub forward: Forward,
    /// What each code stands for, in order of impact.
    pub pairs: Array<Pair>,
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
    pub(crate) marks: Marks,
    pub(crate) rare: Array<u32>,
    pub(crate) rare_codes: Array<u16>,
}

/// The postings of a term by windows.
pub struct View<'a> {
    /// Where each window begins; one more for the end.
    pub starts: Cow<'a, [u32]>,
    pub greatest: Cow<'a, [u16]>,
    low: Cow<'a, [u16]>,
    codes: &'a [u16],
    marks: Option<Marked<'a>>,
}

/// The postings of a term in one window.
#[derive(Clone, Copy)]
pub struct Postings<'a> {
    pub documents: &'a [u16],
    pub codes: &'a [u16],
    marks: Option<Marked<'a>>,
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

    /// Whether a window has no posting.
    #[inline]
    pub fn is_empty(&self, window: usize) -> bool {
        self.starts[window] == self.starts[window + 1]
    }
}

impl Postings<'_> {
    /// The code of a document, if the term stands in it.
    #[inline]
    pub fn code(&self, document: u16) -> Option<u16> {
        let at = match self.marks {
            Some(marks) => marks.place(document)?,
            None => self.documents.binary_search(&document).ok()?,
        };
        self.codes.get(at).copied()
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

    /// The number of terms.
    pub fn terms(&self) -> usize {
        self.lists.len()
    }

    /// Where the postings of a term stand.
    #[inline]
    fn list(&self, term: u32) -> Result<List, Error> {
        let [start, end] = self.lists.at(term as usize)?;
        Ok(if end == ROW { List::Row(start) } else { List::Span { start, end } })
    }

    /// In how many documents a term stands, dead ones included.
    pub fn frequency(&self, term: u32) -> Result<u32, Error> {
        Ok(match self.list(term)? {
            List::Row(row) => {
                let row = self.row(row)?;
                row[row.len() - 1] - row[0]
            }
            List::Span { start, end } => self.rare.get(start as usize..end as usize)?.len() as u32,
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
                    codes,
                    marks: self.marks.row(row, self.windows())?,
                })
            }
            List::Span { start, end } => self.view_of_span(start as usize, end as usize),
        }
    }

    fn view_of_span(&self, start: usize, end: usize) -> Result<View<'_>, Error> {
        let (documents, codes) = (self.rare.get(start..end)?, self.rare_codes.get(start..end)?);
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
        Ok(View {
            starts: Cow::Owned(starts),
            greatest: Cow::Owned(greatest),
            low: Cow::Owned(low),
            codes,
            marks: None,
        })
    }

    /// The pair of a term in a document, if the document holds it.
    pub fn pair(&self, term: u32, document: u32) -> Result<Option<Pair>, Error> {
        let code = match self.list(term)? {
            List::Row(row) => {
                let at = row as usize * self.windows() + document as usize / WINDOW;
                let starts = self.starts.get(at..at + 2)?;
                let (start, end) = (starts[0] as usize, starts[1] as usize);
                let low = (document as usize % WINDOW) as u16;
                let Ok(found) = self.low.get(start..end)?.binary_search(&low) else { return Ok(None) };
                self.codes.at(start + found)?
            }
            List::Span { start, end } => {
                let (start, end) = (start as usize, end as usize);
                let Ok(found) = self.rare.get(start..end)?.binary_search(&document) else { return Ok(None) };
                self.rare_codes.at(start + found)?
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
            List::Span { start, end } => {
                let range = start as usize..end as usize;
                let (documents, codes) = (self.rare.get(range.clone())?, self.rare_codes.get(range)?);
                documents.iter().zip(codes).for_each(|(&document, &code)| each(document, code));
            }
        }
        Ok(())
    }
}
