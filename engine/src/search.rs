//! Exact search: every posting of the query's terms is scored, one window of document numbers after the other.

use std::borrow::Cow;

use crate::bits::Bits;
use crate::bm25::Model;
use crate::index::Index;
use crate::pairs::Posting;
use crate::top::{Hit, Top};

/// Documents scored at a time: their scores stay in the first-level cache.
const WINDOW: usize = 4096;
/// Scores looked at together when most of them are below the floor.
const LANE: usize = 8;

/// What is asked, apart from the query's terms.
pub struct Request<'a> {
    pub model: Model,
    /// The most hits wanted; all without it.
    pub limit: Option<usize>,
    /// The slots that may be returned; all without it. Statistics do not depend on it.
    pub allowed: Option<&'a [u64]>,
    pub min_score: Option<f64>,
}

/// The postings of a term that are not scored yet.
struct Cursor<'a> {
    postings: &'a [Posting],
    idf: f64,
}

/// The scores of one window.
struct Window {
    scores: Box<[f64; WINDOW]>,
    /// Which documents hold a query term, whatever their score.
    touched: Box<[u8; WINDOW]>,
}

impl Window {
    /// Scores a term's postings below document `end`, and moves its cursor there. `end` is a multiple of the window.
    fn add(&mut self, cursor: &mut Cursor<'_>, end: usize, saturations: &[f64]) {
        let mut read = 0;
        for posting in cursor.postings {
            if posting.document as usize >= end {
                break;
            }
            let at = posting.document as usize % WINDOW;
            self.scores[at] += cursor.idf * saturations[posting.code as usize];
            self.touched[at] = 1;
            read += 1;
        }
        cursor.postings = &cursor.postings[read..];
    }

    /// Offers the documents that were touched and may be returned, and clears the window, which begins at `start`.
    fn drain(&mut self, start: usize, eligible: Option<&Bits>, top: &mut Top) {
        for lane in (0..WINDOW).step_by(LANE) {
            let floor = top.floor();
            if self.scores[lane..lane + LANE].iter().all(|&score| score < floor) {
                continue;
            }
            for at in lane..lane + LANE {
                let hit = Hit { document: (start + at) as u32, score: self.scores[at] };
                if self.touched[at] == 1 && eligible.is_none_or(|bits| bits.has(hit.document)) {
                    top.offer(hit);
                }
            }
        }
        self.scores.fill(0.0);
        self.touched.fill(0);
    }
}

/// The best documents that hold a term of `query` (distinct terms, in the order their scores are added up).
pub fn search(index: &Index, query: &[String], request: &Request<'_>) -> Vec<(u64, f64)> {
    let mut cursors: Vec<_> = query
        .iter()
        .filter_map(|name| index.term(name))
        .map(|term| Cursor { postings: &term.postings, idf: request.model.idf(&index.statistics, term.frequency) })
        .collect();
    if cursors.is_empty() || request.limit == Some(0) {
        return Vec::new();
    }
    let saturations = index.saturations(&request.model);
    let eligible = eligible(index, request.allowed);
    let mut top = Top::new(request.limit, request.min_score);
    let mut window = Window { scores: Box::new([0.0; WINDOW]), touched: Box::new([0; WINDOW]) };
    while let Some(first) = cursors.iter().filter_map(|cursor| cursor.postings.first()).map(|p| p.document).min() {
        let start = first as usize / WINDOW * WINDOW;
        for cursor in &mut cursors {
            window.add(cursor, start + WINDOW, &saturations);
        }
        window.drain(start, eligible.as_deref(), &mut top);
    }
    top.sorted().into_iter().map(|hit| (index.documents.slot(hit.document), hit.score)).collect()
}

/// The documents that may be returned; all of them if there is no set.
fn eligible<'a>(index: &'a Index, allowed: Option<&[u64]>) -> Option<Cow<'a, Bits>> {
    let documents = &index.documents;
    if let Some(slots) = allowed {
        let mut bits = Bits::none(documents.numbers());
        slots.iter().filter_map(|&slot| documents.find(slot)).for_each(|document| bits.set(document));
        return Some(Cow::Owned(bits));
    }
    (documents.dead() > 0).then(|| Cow::Borrowed(documents.alive()))
}

/// The distinct terms of a query, in order of first appearance.
pub fn distinct(terms: Vec<String>) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    let first: Vec<bool> = terms.iter().map(|term| seen.insert(term.as_str())).collect();
    let mut first = first.into_iter();
    terms.into_iter().filter(|_| first.next() == Some(true)).collect()
}
