//! Postings put in their places, once it is known how many each term has.

use crate::body::{Body, List, WINDOW};
use crate::marks::Marks;

/// A term with fewer postings than this in a window, on average, is kept without windows: that is then smaller.
const SPARSE: usize = 4;

/// Lists being filled.
pub struct Assembly {
    windows: usize,
    lists: Vec<List>,
    starts: Vec<u32>,
    greatest: Vec<u16>,
    low: Vec<u16>,
    codes: Vec<u16>,
    rare: Vec<u32>,
    rare_codes: Vec<u16>,
    /// Where the next posting of each term goes.
    next: Vec<u32>,
}

impl Assembly {
    /// Room for terms with so many postings each, in so many documents.
    pub fn new(counts: &[u32], documents: usize) -> Self {
        let windows = documents.div_ceil(WINDOW);
        let (mut rows, mut frequent, mut rare) = (0, 0, 0);
        let (mut lists, mut next) = (Vec::with_capacity(counts.len()), Vec::with_capacity(counts.len()));
        for &count in counts {
            if (count as usize) < SPARSE * windows {
                next.push(rare);
                lists.push(List::Span { start: rare, end: rare + count });
                rare += count;
            } else {
                next.push(frequent);
                lists.push(List::Row(rows));
                frequent += count;
                rows += 1;
            }
        }
        let (cells, frequent, rare) = (rows as usize * windows, frequent as usize, rare as usize);
        Assembly {
            windows,
            lists,
            starts: vec![0; cells + 1],
            greatest: vec![0; cells],
            low: vec![0; frequent],
            codes: vec![0; frequent],
            rare: vec![0; rare],
            rare_codes: vec![0; rare],
            next,
        }
    }

    /// Adds a posting; those of one term come with ascending documents.
    #[inline]
    pub fn push(&mut self, term: u32, document: u32, code: u16) {
        let place = &mut self.next[term as usize];
        let at = *place as usize;
        *place += 1;
        match self.lists[term as usize] {
            List::Row(row) => {
                self.low[at] = (document as usize % WINDOW) as u16;
                self.codes[at] = code;
                let cell = row as usize * self.windows + document as usize / WINDOW;
                self.starts[cell + 1] += 1;
                self.greatest[cell] = self.greatest[cell].max(code);
            }
            List::Span { .. } => {
                self.rare[at] = document;
                self.rare_codes[at] = code;
            }
        }
    }

    /// The lists; what else belongs to a body is still to be set.
    pub fn finish(mut self) -> Body {
        for cell in 1..self.starts.len() {
            self.starts[cell] += self.starts[cell - 1];
        }
        Body {
            marks: Marks::new(&self.starts, &self.low, self.windows),
            lists: self.lists.into_iter().map(<[u32; 2]>::from).collect::<Vec<_>>().into(),
            starts: self.starts.into(),
            greatest: self.greatest.into(),
            low: self.low.into(),
            codes: self.codes.into(),
            rare: self.rare.into(),
            rare_codes: self.rare_codes.into(),
            ..Body::default()
        }
    }
}
