//! Exhaustive search: scores every posting of the query terms, window by window. It serves all
//! parameters, and requests for a large share of the documents.

use crate::error::Error;
use crate::postings::bits::Bits;
use crate::postings::doc_ids::DocIds;
use crate::postings::segment_postings::WINDOW;
use crate::search::request::{Prepared, TermList, WordLists};
use crate::search::top_k::{Hit, TopK};

/// Scores compared with the floor at a time.
const LANE: usize = 8;

/// The scores of one window.
struct Window {
    scores: Box<[f64]>,
    /// The amounts of one word.
    amounts: Box<[f64]>,
    /// 1 for documents that contain a query term, also if they score 0.
    touched: Box<[u8]>,
}

/// Offers every document that contains a query term.
pub(crate) fn search(query: &Prepared<'_>, top: &mut TopK) -> Result<(), Error> {
    let zeros = || vec![0.0; WINDOW].into();
    let mut scores = Window { scores: zeros(), amounts: zeros(), touched: vec![0; WINDOW].into() };
    for (at, (segment, eligible)) in query.index.segments.iter().zip(&query.eligible).enumerate() {
        let words = query.lists(at)?;
        for window in 0..segment.postings.windows() {
            let mut any = false;
            for word in &words {
                any |= scores.add(word, window);
            }
            if any {
                scores.drain(&segment.postings.doc_ids, window * WINDOW, eligible.as_deref(), top)?;
            }
        }
    }
    Ok(())
}

impl Window {
    /// Scores a word's postings in a window; returns false if there are none.
    fn add(&mut self, word: &WordLists<'_>, window: usize) -> bool {
        let found = word.lists.iter().any(|list| list.view.len(window) > 0);
        let Some(k1) = word.k1 else {
            let list = &word.lists[0];
            self.each(list, window, |scores, at, value| scores.scores[at] += word.weight * value);
            return found;
        };
        for list in &word.lists {
            self.each(list, window, |scores, at, value| scores.amounts[at] += list.amount * value);
        }
        for list in &word.lists {
            for &document in list.view.window(window).documents {
                let at = document as usize % WINDOW;
                let amount = std::mem::take(&mut self.amounts[at]);
                self.scores[at] += word.weight * (amount / (k1 + amount));
            }
        }
        found
    }

    /// Calls `add` with the place and the number of each posting of a list in a window.
    #[inline]
    fn each(&mut self, list: &TermList<'_>, window: usize, mut add: impl FnMut(&mut Window, usize, f64)) {
        let postings = list.view.window(window);
        for (&document, &code) in postings.documents.iter().zip(postings.codes) {
            let at = document as usize % WINDOW;
            add(self, at, list.table.exact[code as usize]);
            self.touched[at] = 1;
        }
    }

    /// Offers the touched documents that are eligible, and clears the window, which begins at
    /// `first`.
    fn drain(&mut self, doc_ids: &DocIds, first: usize, eligible: Option<&Bits>, top: &mut TopK) -> Result<(), Error> {
        for lane in (0..WINDOW.min(doc_ids.len() - first)).step_by(LANE) {
            let floor = top.floor();
            if self.scores[lane..lane + LANE].iter().all(|&score| score < floor) {
                continue;
            }
            for (at, &touched) in self.touched.iter().enumerate().skip(lane).take(LANE) {
                if touched == 1 && eligible.is_none_or(|bits| bits.has((first + at) as u32)) {
                    top.offer(Hit { doc_id: doc_ids.at(first + at)?, score: self.scores[at] });
                }
            }
        }
        self.scores.fill(0.0);
        self.touched.fill(0);
        Ok(())
    }
}
