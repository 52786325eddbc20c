//! `MaxScore` over windows: approximate scores find the few documents that can be among the best,
//! which are then scored exactly.
//!
//! Turtle and Flood, Query evaluation: strategies and optimizations (1995), applied to one window
//! at a time. A window's bound for a term is idf x the maximum saturation of the codes that can
//! occur in it. Windows are visited by descending bound, until no other can contain a hit. In a
//! window, the terms with the lowest bounds, which are insufficient even together, are only looked
//! up for documents that contain one of the others.
//!
//! A word of several terms adds up their amounts first, and is saturated as a whole.
//!
//! Approximate scores are sums of f32, all terms positive, so their relative error is bounded.
//! Every comparison with the floor allows for it, so that no document of the exact result is lost.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::error::Error;
use crate::postings::segment_postings::WINDOW;
use crate::search::request::{Prepared, TermList, WordLists};
use crate::search::top_k::{Hit, TopK};

/// Queries with more words are scored exhaustively: bounds would take longer than they save.
const MAX_WORDS: usize = 64;
/// Values that f32 represents with full precision, also when multiplied or added here.
const SAFE: std::ops::Range<f64> = 1e-15..1e15;
/// Maximum number of documents (plus 16 per hit) that rounding can't separate from the last hit.
const MAX_TIES: usize = if cfg!(fuzzing) { 1 << 4 } else { 1 << 12 };
/// The windows with the highest bounds are searched first for some good documents. A high floor
/// early on saves most of the work.
const SEEDED_WINDOWS: usize = 8;
/// As many postings are added up in the time of a lookup.
const POSTINGS_PER_LOOKUP: usize = 3;
/// Documents taken from each of them; none if there would be too many.
const SEEDS_PER_WINDOW: usize = 32;
const MAX_SEEDS: usize = 1024;

/// The query words of one segment.
struct Lists<'a> {
    words: Vec<WordLists<'a>>,
    /// Bounds by window and word; 0 if the window has no posting.
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
    let Some(limit) = query.limit.filter(|&limit| limit < query.index.len() / 4 + 16) else { return Ok(false) };
    let safe = |least: f64, most: f64| SAFE.contains(&least) && SAFE.contains(&most);
    let tables = || query.tables.iter().flat_map(|tables| &tables.0).map(|tables| &tables.saturated);
    if query.words.len() > MAX_WORDS
        || !query.words.iter().all(|word| SAFE.contains(&word.weight))
        || !tables().all(|table| table.exact.is_empty() || safe(table.least, table.most))
    {
        return Ok(false);
    }
    let lists = (0..query.index.segments.len()).map(|at| Lists::new(query, at));
    let lists: Vec<Lists<'_>> = lists.collect::<Result<_, Error>>()?;
    let mut windows: Vec<WindowBound> = Vec::new();
    lists.iter().zip(0..).for_each(|(lists, segment)| lists.windows(segment, &mut windows));
    windows
        .sort_unstable_by(|a, b| b.bound.total_cmp(&a.bound).then((a.segment, a.window).cmp(&(b.segment, b.window))));

    let most = lists.iter().map(|lists| lists.words.iter().map(|word| word.lists.len() + 1).sum()).max().unwrap_or(0);
    let mut collector = TopKCollector::new(limit, most, query.min_score);
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
            let lists = lists[next.segment as usize].words.iter().flat_map(|word| &word.lists);
            lists.for_each(|list| list.view.window(next.window as usize).prefetch());
        }
        scan.run(query, &lists[place.segment as usize], place, &mut collector);
        if collector.candidates.len() > MAX_TIES + 16 * limit && !collector.prune() {
            return Ok(false);
        }
    }
    collector.prune();
    for &(_, segment, document) in &collector.candidates {
        let score = lists[segment as usize].exact(document);
        let doc_id = query.index.segments[segment as usize].postings.doc_ids.at(document as usize)?;
        top.offer(Hit { doc_id, score });
    }
    Ok(true)
}

impl<'a> Lists<'a> {
    fn new(query: &'a Prepared<'_>, at: usize) -> Result<Self, Error> {
        let (words, windows) = (query.lists(at)?, query.index.segments[at].postings.windows());
        let mut bounds = vec![0.0; windows * words.len()];
        for (at, word) in words.iter().enumerate() {
            for window in 0..windows {
                bounds[window * words.len() + at] = bound(word, window);
            }
        }
        Ok(Lists { words, bounds })
    }

    /// The score of a document, summed in the order of the query words.
    fn exact(&self, document: u32) -> f64 {
        let (window, low) = (document as usize / WINDOW, (document as usize % WINDOW) as u16);
        self.words.iter().fold(0.0, |sum, word| sum + word.contribution(|view| view.window(window).finder().code(low)))
    }

    /// The bounds of the words in a window.
    fn bounds(&self, window: usize) -> &[f32] {
        &self.bounds[window * self.words.len()..(window + 1) * self.words.len()]
    }

    /// Adds the windows that contain a word.
    fn windows(&self, segment: u32, windows: &mut Vec<WindowBound>) {
        if self.words.is_empty() {
            return;
        }
        for (bounds, window) in self.bounds.chunks_exact(self.words.len()).zip(0..) {
            let bound = bounds.iter().sum();
            if bound > 0.0 {
                windows.push(WindowBound { bound, segment, window });
            }
        }
    }
}

/// The upper bound of the contribution of a word in a window; 0 if it does not occur there.
fn bound(word: &WordLists<'_>, window: usize) -> f32 {
    let mut sum = 0.0;
    for list in word.lists.iter().filter(|list| list.view.len(window) > 0) {
        sum += list.amount as f32 * list.table.bounds[list.view.greatest[window] as usize];
    }
    saturate(word, sum)
}

/// The contribution of a word to an approximate score, from the sum over its lists.
#[inline]
fn saturate(word: &WordLists<'_>, sum: f32) -> f32 {
    word.weight as f32 * word.k1.map_or(sum, |k1| sum / (k1 as f32 + sum))
}

impl TopKCollector {
    fn new(limit: usize, summands: usize, min_score: Option<f64>) -> Self {
        let slack = (summands + 6) as f32 * 4e-7;
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
    /// The amounts of one word.
    amounts: Box<[f32; WINDOW]>,
    /// Words of the window, the lowest bound first.
    order: Vec<usize>,
    found: Vec<(u16, f32)>,
}

impl Default for Scan {
    fn default() -> Self {
        let zeros = || vec![0.0; WINDOW].into_boxed_slice().try_into().expect("of this length");
        Scan { scores: zeros(), amounts: zeros(), order: Vec::new(), found: Vec::new() }
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

    /// Collects some promising documents of a window: those that contain its words with the highest
    /// bounds.
    fn seed(&mut self, query: &Prepared<'_>, lists: &Lists<'_>, place: &WindowBound, collector: &mut TopKCollector) {
        let bounds = self.sort(lists, place);
        let (mut optional, mut postings) = (self.order.len(), 0);
        while optional > 0 && postings < SEEDS_PER_WINDOW.max(collector.limit) {
            optional -= 1;
            let word = &lists.words[self.order[optional]];
            postings += word.lists.iter().map(|list| list.view.len(place.window as usize)).sum::<usize>();
        }
        if postings < MAX_SEEDS.max(2 * collector.limit) {
            let rest = self.order[..optional].iter().map(|&at| bounds[at]).sum();
            self.collect(query, lists, place, (optional, rest), collector);
        }
    }

    /// Sorts the words of a window by their bounds, and returns the bounds.
    fn sort<'a>(&mut self, lists: &'a Lists<'_>, place: &WindowBound) -> &'a [f32] {
        let bounds = lists.bounds(place.window as usize);
        self.order.clear();
        self.order.extend((0..bounds.len()).filter(|&at| bounds[at] > 0.0));
        self.order.sort_unstable_by(|&a, &b| bounds[a].total_cmp(&bounds[b]));
        bounds
    }

    /// Collects the documents that contain a word other than the `optional` first ones, whose
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
        match query.eligible[place.segment as usize].as_deref() {
            None => self.score(lists, window, optional, need, |_| true),
            Some(bits) => {
                self.score(lists, window, optional, need, |document| bits.has(first + u32::from(document)));
            }
        }
        self.complete(lists, window, optional, rest, collector);
        for &(document, score) in &self.found {
            if score >= collector.floor {
                collector.collect(score, place.segment, first + u32::from(document));
            }
        }
    }

    /// Finds the documents that contain a word from `optional` on and score `need` by these.
    fn score(&mut self, lists: &Lists<'_>, window: usize, optional: usize, need: f32, eligible: impl Fn(u16) -> bool) {
        self.found.clear();
        let essential = &self.order[optional..];
        if let &[only] = essential {
            let word = &lists.words[only];
            if let (None, [list]) = (word.k1, &word.lists[..]) {
                let (postings, table, weight) = (list.view.window(window), &list.table.rough[..], word.weight as f32);
                for (&document, &code) in postings.documents.iter().zip(postings.codes) {
                    let score = weight * table[code as usize];
                    if score >= need && eligible(document) {
                        self.found.push((document, score));
                    }
                }
                return;
            }
        }
        for &at in essential {
            add_word(&lists.words[at], window, &mut self.amounts, &mut self.scores);
        }
        for list in essential.iter().flat_map(|&at| &lists.words[at].lists) {
            for &document in list.view.window(window).documents {
                let score = std::mem::take(&mut self.scores[document as usize % WINDOW]);
                if score >= need && score > 0.0 && eligible(document) {
                    self.found.push((document, score));
                }
            }
        }
    }

    /// Adds the contribution of the first `optional` words, the highest bound first, to the
    /// documents found that can still reach the floor.
    fn complete(
        &mut self,
        lists: &Lists<'_>,
        window: usize,
        optional: usize,
        mut rest: f32,
        collector: &TopKCollector,
    ) {
        for place in (0..optional).rev() {
            let at = self.order[place];
            let word = &lists.words[at];
            let need = collector.floor - rest * (1.0 + collector.slack);
            if let (None, [list]) = (word.k1, &word.lists[..]) {
                let (mut finder, weight, table) =
                    (list.view.window(window).finder(), word.weight as f32, &list.table.rough[..]);
                self.found.retain_mut(|(document, score)| {
                    if *score < need {
                        return false;
                    }
                    if let Some(code) = finder.code(*document) {
                        *score += weight * table[code as usize];
                    }
                    true
                });
            } else {
                self.found.retain(|&(_, score)| score >= need);
                self.complete_word(word, window);
            }
            rest = (rest - lists.bounds(window)[at]).max(0.0);
        }
    }
}

impl Scan {
    /// Adds the contribution of a word of several lists to the documents found.
    fn complete_word(&mut self, word: &WordLists<'_>, window: usize) {
        if self.found.is_empty() {
            return;
        }
        let lists = word.lists.iter().filter(|list| list.view.len(window) > 0);
        let (few, many): (Vec<_>, Vec<_>) =
            lists.partition(|list| list.view.len(window) <= POSTINGS_PER_LOOKUP * self.found.len());
        few.iter().for_each(|list| add(list, window, list.amount as f32, &mut self.amounts));
        let mut many: Vec<_> = many.into_iter().map(|list| (list.view.window(window).finder(), list)).collect();
        for (document, score) in &mut self.found {
            let mut amount = self.amounts[*document as usize % WINDOW];
            for (finder, list) in &mut many {
                if let Some(code) = finder.code(*document) {
                    amount += list.amount as f32 * list.table.rough[code as usize];
                }
            }
            if amount > 0.0 {
                *score += saturate(word, amount);
            }
        }
        for document in few.iter().flat_map(|list| list.view.window(window).documents) {
            self.amounts[*document as usize % WINDOW] = 0.0;
        }
    }
}

/// Adds the approximate scores of a word in a window.
fn add_word(word: &WordLists<'_>, window: usize, amounts: &mut [f32; WINDOW], scores: &mut [f32; WINDOW]) {
    if let (None, [list]) = (word.k1, &word.lists[..]) {
        return add(list, window, word.weight as f32, scores);
    }
    for list in &word.lists {
        add(list, window, list.amount as f32, amounts);
    }
    for list in &word.lists {
        for &document in list.view.window(window).documents {
            let amount = std::mem::take(&mut amounts[document as usize % WINDOW]);
            scores[document as usize % WINDOW] += saturate(word, amount);
        }
    }
}

/// Adds the numbers of a list in a window, each times `factor`.
fn add(list: &TermList<'_>, window: usize, factor: f32, sums: &mut [f32; WINDOW]) {
    let (postings, table) = (list.view.window(window), &list.table.rough[..]);
    for (&document, &code) in postings.documents.iter().zip(postings.codes) {
        sums[document as usize % WINDOW] += factor * table[code as usize];
    }
}
