//! Exhaustive search: scores every posting of the query terms, window by window. It serves all
//! parameters, and requests for a large share of the documents.

use crate::error::Error;
use crate::postings::bits::Bits;
use crate::postings::doc_ids::DocIds;
use crate::postings::segment_postings::{View, WINDOW};
use crate::search::request::Prepared;
use crate::search::top_k::{Hit, TopK};

/// Scores compared with the floor at a time.
const LANE: usize = 8;

/// The scores of one window.
struct Window {
    scores: Box<[f64]>,
    /// 1 for documents that contain a query term, also if they score 0.
    touched: Box<[u8]>,
}

/// Offers every document that contains a query term.
pub(crate) fn search(query: &Prepared<'_>, top: &mut TopK) -> Result<(), Error> {
    let mut scores = Window { scores: vec![0.0; WINDOW].into(), touched: vec![0; WINDOW].into() };
    for ((segment, table), eligible) in query.index.segments.iter().zip(&query.tables[..]).zip(&query.eligible) {
        let mut views: Vec<(View<'_>, f64)> = Vec::new();
        for term in &query.terms {
            if let Some(ordinal) = segment.ordinal(term.id)? {
                views.push((segment.postings.view(ordinal)?, term.idf));
            }
        }
        for window in 0..segment.postings.windows() {
            let mut any = false;
            for (view, idf) in views.iter().filter(|(view, _)| view.len(window) > 0) {
                scores.add(view, window, *idf, &table.exact);
                any = true;
            }
            if any {
                scores.drain(&segment.postings.doc_ids, window * WINDOW, eligible.as_deref(), top)?;
            }
        }
    }
    Ok(())
}

impl Window {
    /// Scores a term's postings in a window.
    fn add(&mut self, view: &View<'_>, window: usize, idf: f64, saturations: &[f64]) {
        let postings = view.window(window);
        for (&document, &code) in postings.documents.iter().zip(postings.codes) {
            let at = document as usize % WINDOW;
            self.scores[at] += idf * saturations[code as usize];
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
