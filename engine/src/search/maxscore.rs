//! `MaxScore` over windows: approximate scores find the few documents that can be among the best,
//! which are then scored exactly.
//!
//! Turtle and Flood, Query evaluation: strategies and optimizations (1995), applied to one window
//! at a time. A window's bound for a term is idf x the maximum saturation of the codes that can
//! occur in it. Windows are visited by descending bound, until no other can contain a hit. In a
//! window, the terms with the lowest bounds, which are insufficient even together, are only looked
//! up for documents that contain one of the others.
//!
//! Approximate scores are sums of f32, all terms positive, so their relative error is bounded.
//! Every comparison with the floor allows for it, so that no document of the exact result is lost.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::error::Error;
use crate::postings::segment_postings::{Postings, View, WINDOW};
use crate::search::request::Prepared;
use crate::search::score_tables::Table;
use crate::search::top_k::{Hit, TopK};

/// Queries with more terms are scored exhaustively: bounds would take longer than they save.
const MAX_TERMS: usize = 64;
/// Values that f32 represents with full precision, also when multiplied or added here.
const SAFE: std::ops::Range<f64> = 1e-15..1e15;
/// Maximum number of documents (plus 16 per hit) that rounding can't separate from the last hit.
const MAX_TIES: usize = if cfg!(fuzzing) { 1 << 4 } else { 1 << 12 };
/// The windows with the highest bounds are searched first for some good documents. A high floor
/// early on saves most of the work.
const SEEDED_WINDOWS: usize = 8;
/// Documents taken from each of them; none if there would be too many.
const SEEDS_PER_WINDOW: usize = 32;
const MAX_SEEDS: usize = 1024;

/// The query terms of one segment.
struct Lists<'a> {
    views: Vec<View<'a>>,
    /// The idf of the term of each view.
    idfs: Vec<f64>,
    weights: Vec<f32>,
    /// Bounds by window and view; 0 if the window has no posting.
    bounds: Vec<f32>,
}

/// A window and the upper bound of the scores in it.
struct WindowBound {
    bound: f32,
    segment: u32,
    window: u32,
}

/// Documents that can be among the best, and the score that a document must reach.
struct TopKCollector {
    limit: usize,
    /// The best approximate scores.
    best: BinaryHeap<Reverse<Score>>,
    floor: f32,
    /// The relative error bound of an approximate score, with a reserve.
    slack: f32,
    candidates: Vec<(f32, u32, u32)>,
}

#[derive(PartialEq)]
struct Score(f32);

impl Eq for Score {}

impl PartialOrd for Score {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Score {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// Offers the best documents to `top`, and some others. Returns false, without offers, if the
/// search must be exhaustive.
pub(crate) fn search(query: &Prepared<'_>, top: &mut TopK) -> Result<bool, Error> {
    let Some(limit) = query.request.limit.filter(|&limit| limit < query.index.len() / 4 + 16) else { return Ok(false) };
    let safe = |least: f64, most: f64| SAFE.contains(&least) && SAFE.contains(&most);
    if query.terms.len() > MAX_TERMS
        || !query.terms.iter().all(|term| SAFE.contains(&term.idf))
        || !query.tables.iter().all(|table| table.exact.is_empty() || safe(table.least, table.most))
    {
        return Ok(false);
    }
    let lists = (0..query.index.segments.len()).map(|at| Lists::new(query, at));
    let lists: Vec<Lists<'_>> = lists.collect::<Result<_, Error>>()?;
    let mut windows: Vec<WindowBound> = Vec::new();
    lists.iter().zip(0..).for_each(|(lists, segment)| lists.windows(segment, &mut windows));
    windows
        .sort_unstable_by(|a, b| b.bound.total_cmp(&a.bound).then((a.segment, a.window).cmp(&(b.segment, b.window))));

    let mut collector = TopKCollector::new(limit, query.terms.len(), query.request.min_score);
    let mut scan = Scan::default();
    for place in windows.iter().take(SEEDED_WINDOWS) {
        scan.seed(query, &lists[place.segment as usize], place, &mut collector);
    }
    collector.restart();
    let first = windows.len().min(SEEDED_WINDOWS);
    windows[first..].sort_unstable_by_key(|place| (place.segment, place.window));
    for (at, place) in windows.iter().enumerate() {
        if place.bound * (1.0 + collector.slack) < collector.floor {
            continue;
        }
        if let Some(next) = windows.get(at + 1) {
            lists[next.segment as usize].views.iter().for_each(|view| view.window(next.window as usize).prefetch());
        }
        scan.run(query, &lists[place.segment as usize], place, &mut collector);
        if collector.candidates.len() > MAX_TIES + 16 * limit && !collector.prune() {
            return Ok(false);
        }
    }
    collector.prune();
    for &(_, segment, document) in &collector.candidates {
        let score = lists[segment as usize].exact(document, &query.tables[segment as usize]);
        let doc_id = query.index.segments[segment as usize].postings.doc_ids.at(document as usize)?;
        top.offer(Hit { doc_id, score });
    }
    Ok(true)
}

impl<'a> Lists<'a> {
    fn new(query: &'a Prepared<'_>, at: usize) -> Result<Self, Error> {
        let (segment, table) = (&query.index.segments[at], &query.tables[at]);
        let windows = segment.postings.windows();
        let (mut views, mut idfs) = (Vec::new(), Vec::new());
        for term in &query.terms {
            if let Some(ordinal) = segment.ordinal(term.id)? {
                views.push(segment.postings.view(ordinal)?);
                idfs.push(term.idf);
            }
        }
        let weights: Vec<f32> = idfs.iter().map(|&idf| idf as f32).collect();
        let mut bounds = vec![0.0; windows * views.len()];
        for (at, (view, weight)) in views.iter().zip(&weights).enumerate() {
            for window in (0..windows).filter(|&window| view.len(window) > 0) {
                bounds[window * views.len() + at] = weight * table.bounds[view.greatest[window] as usize];
            }
        }
        Ok(Lists { views, idfs, weights, bounds })
    }

    /// The score of a document, summed in the order of the query terms.
    fn exact(&self, document: u32, table: &Table) -> f64 {
        let (window, low) = (document as usize / WINDOW, (document as usize % WINDOW) as u16);
        let codes = self
            .views
            .iter()
            .zip(&self.idfs)
            .filter_map(|(view, &idf)| Some((idf, view.window(window).finder().code(low)?)));
        codes.fold(0.0, |sum, (idf, code)| sum + idf * table.exact[code as usize])
    }

    /// The bounds of the views in a window.
    fn bounds(&self, window: usize) -> &[f32] {
        &self.bounds[window * self.views.len()..(window + 1) * self.views.len()]
    }

    /// Adds the windows that contain a term.
    fn windows(&self, segment: u32, windows: &mut Vec<WindowBound>) {
        if self.views.is_empty() {
            return;
        }
        for (bounds, window) in self.bounds.chunks_exact(self.views.len()).zip(0..) {
            let bound = bounds.iter().sum();
            if bound > 0.0 {
                windows.push(WindowBound { bound, segment, window });
            }
        }
    }
}

impl TopKCollector {
    fn new(limit: usize, terms: usize, min_score: Option<f64>) -> Self {
        let slack = (terms + 4) as f32 * 4e-7;
        let floor = min_score.map_or(0.0, |score| (score as f32 * (1.0 - slack)).max(0.0));
        TopKCollector { limit, best: BinaryHeap::new(), floor, slack, candidates: Vec::new() }
    }

    /// Adds a document whose approximate score is not below the floor.
    #[inline]
    fn collect(&mut self, score: f32, segment: u32, document: u32) {
        self.candidates.push((score, segment, document));
        if self.best.len() < self.limit {
            self.best.push(Reverse(Score(score)));
        } else if let Some(mut worst) = self.best.peek_mut().filter(|worst| score > worst.0 .0) {
            *worst = Reverse(Score(score));
        } else {
            return;
        }
        if self.best.len() == self.limit {
            let worst = self.best.peek().map_or(0.0, |worst| worst.0 .0);
            self.floor = self.floor.max(worst * (1.0 - self.slack));
        }
    }

    /// Drops all candidates but keeps the floor: they will be met again.
    fn restart(&mut self) {
        self.best.clear();
        self.candidates.clear();
    }

    /// Drops the candidates below the floor. Returns true if that made room.
    fn prune(&mut self) -> bool {
        let floor = self.floor;
        self.candidates.retain(|&(score, _, _)| score >= floor);
        self.candidates.len() <= MAX_TIES / 2 + 8 * self.limit
    }
}

/// Scratch space, reused for each window.
struct Scan {
    scores: Box<[f32; WINDOW]>,
    /// Views of the window, the lowest bound first.
    order: Vec<usize>,
    found: Vec<(u16, f32)>,
}

impl Default for Scan {
    fn default() -> Self {
        let scores = vec![0.0; WINDOW].into_boxed_slice().try_into().expect("of this length");
        Scan { scores, order: Vec::new(), found: Vec::new() }
    }
}

impl Scan {
    /// Collects the documents of a window that can be among the best.
    fn run(&mut self, query: &Prepared<'_>, lists: &Lists<'_>, place: &WindowBound, collector: &mut TopKCollector) {
        let bounds = self.sort(lists, place);
        let (mut optional, mut rest) = (0, 0.0);
        while optional < self.order.len() {
            let more = rest + bounds[self.order[optional]];
            if more * (1.0 + collector.slack) >= collector.floor {
                break;
            }
            rest = more;
            optional += 1;
        }
        self.collect(query, lists, place, (optional, rest), collector);
    }

    /// Collects some promising documents of a window: those that contain its terms with the highest
    /// bounds.
    fn seed(&mut self, query: &Prepared<'_>, lists: &Lists<'_>, place: &WindowBound, collector: &mut TopKCollector) {
        let bounds = self.sort(lists, place);
        let (mut optional, mut postings) = (self.order.len(), 0);
        while optional > 0 && postings < SEEDS_PER_WINDOW.max(collector.limit) {
            optional -= 1;
            postings += lists.views[self.order[optional]].len(place.window as usize);
        }
        if postings < MAX_SEEDS.max(2 * collector.limit) {
            let rest = self.order[..optional].iter().map(|&at| bounds[at]).sum();
            self.collect(query, lists, place, (optional, rest), collector);
        }
    }

    /// Sorts the views of a window by their bounds, and returns the bounds.
    fn sort<'a>(&mut self, lists: &'a Lists<'_>, place: &WindowBound) -> &'a [f32] {
        let bounds = lists.bounds(place.window as usize);
        self.order.clear();
        self.order.extend((0..bounds.len()).filter(|&at| bounds[at] > 0.0));
        self.order.sort_unstable_by(|&a, &b| bounds[a].total_cmp(&bounds[b]));
        bounds
    }

    /// Collects the documents that contain a term other than the `optional` first ones, whose
    /// bounds add up to `rest`.
    fn collect(
        &mut self,
        query: &Prepared<'_>,
        lists: &Lists<'_>,
        place: &WindowBound,
        (optional, rest): (usize, f32),
        collector: &mut TopKCollector,
    ) {
        let (window, first) = (place.window as usize, place.window * WINDOW as u32);
        let need = collector.floor - rest * (1.0 + collector.slack);
        let table = &query.tables[place.segment as usize].rough[..];
        match query.eligible[place.segment as usize].as_deref() {
            None => self.score(lists, window, optional, need, table, |_| true),
            Some(bits) => {
                self.score(lists, window, optional, need, table, |document| bits.has(first + u32::from(document)));
            }
        }
        self.complete(lists, window, optional, rest, collector, table);
        for &(document, score) in &self.found {
            if score >= collector.floor {
                collector.collect(score, place.segment, first + u32::from(document));
            }
        }
    }

    /// Finds the documents that contain a term from `optional` on and score `need` by these.
    fn score(
        &mut self,
        lists: &Lists<'_>,
        window: usize,
        optional: usize,
        need: f32,
        table: &[f32],
        eligible: impl Fn(u16) -> bool,
    ) {
        self.found.clear();
        let essential = &self.order[optional..];
        if let &[only] = essential {
            let (postings, weight) = (lists.views[only].window(window), lists.weights[only]);
            for (&document, &code) in postings.documents.iter().zip(postings.codes) {
                let score = weight * table[code as usize];
                if score >= need && eligible(document) {
                    self.found.push((document, score));
                }
            }
            return;
        }
        for &at in essential {
            add(lists.views[at].window(window), lists.weights[at], table, &mut self.scores);
        }
        for &at in essential {
            for &document in lists.views[at].window(window).documents {
                let score = std::mem::take(&mut self.scores[document as usize % WINDOW]);
                if score >= need && score > 0.0 && eligible(document) {
                    self.found.push((document, score));
                }
            }
        }
    }

    /// Adds the contribution of the first `optional` terms, the highest bound first, to the
    /// documents found that can still reach the floor.
    fn complete(
        &mut self,
        lists: &Lists<'_>,
        window: usize,
        optional: usize,
        mut rest: f32,
        collector: &TopKCollector,
        table: &[f32],
    ) {
        for &at in self.order[..optional].iter().rev() {
            let (mut finder, weight) = (lists.views[at].window(window).finder(), lists.weights[at]);
            let need = collector.floor - rest * (1.0 + collector.slack);
            self.found.retain_mut(|(document, score)| {
                if *score < need {
                    return false;
                }
                if let Some(code) = finder.code(*document) {
                    *score += weight * table[code as usize];
                }
                true
            });
            rest = (rest - lists.bounds(window)[at]).max(0.0);
        }
    }
}

/// Adds the approximate scores of a term in a window.
fn add(postings: Postings<'_>, weight: f32, table: &[f32], scores: &mut [f32; WINDOW]) {
    for (&document, &code) in postings.documents.iter().zip(postings.codes) {
        scores[document as usize % WINDOW] += weight * table[code as usize];
    }
}
