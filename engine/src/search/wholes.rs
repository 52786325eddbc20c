//! Scores of whole documents, whose frequencies and lengths are the sums over their live parts.

use std::sync::{Mutex, PoisonError};

use foldhash::HashMap;

use crate::error::Error;
use crate::index::layout::MAX_FIELDS;
use crate::index::segment::Segment;
use crate::index::state::Index;
use crate::postings::segment_postings::{View, WINDOW};
use crate::search::field_model::FieldModel;
use crate::search::word_search::ExpandedWord;

/// The scores of whole documents for one query, computed when they are asked for.
pub(crate) struct WholeScores<'a> {
    index: &'a Index,
    model: FieldModel,
    words: &'a [(usize, ExpandedWord)],
    /// By segment: the postings of each term of each word.
    views: Vec<Option<Vec<Vec<Option<View<'a>>>>>>,
    /// By the label of the root.
    known: HashMap<u32, Vec<f64>>,
}

/// The lengths of whole documents by the label of their root, for one state of an index.
#[derive(Default)]
pub(crate) struct WholeLengths(Mutex<HashMap<u32, [u64; MAX_FIELDS]>>);

impl WholeLengths {
    fn get(&self, root: u32) -> Option<[u64; MAX_FIELDS]> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&root).copied()
    }

    fn put(&self, root: u32, lengths: [u64; MAX_FIELDS]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(root, lengths);
    }
}

/// The sums over the parts of a whole document.
struct Sums {
    lengths: [u64; MAX_FIELDS],
    /// By word and term.
    frequencies: Vec<Vec<u64>>,
}

impl Index {
    /// The label of the whole that a document is a part of.
    pub(crate) fn root_of(&self, doc_id: u64) -> Result<Option<u32>, Error> {
        let (at, document) = self.find(doc_id)?.ok_or(Error::UnknownDocId(doc_id))?;
        let segment = &self.segments[at];
        segment.postings.root(document)?.map(|root| segment.term_ids.at(root as usize)).transpose()
    }
}

impl<'a> WholeScores<'a> {
    pub(crate) fn new(index: &'a Index, model: FieldModel, words: &'a [(usize, ExpandedWord)]) -> Self {
        let views = index.segments.iter().map(|_| None).collect();
        WholeScores { index, model, words, views, known: HashMap::default() }
    }

    /// The contribution of each word to the score of the whole that a document is, or is a part of.
    pub(crate) fn of(&mut self, doc_id: u64) -> Result<Vec<f64>, Error> {
        let Some(root) = self.index.root_of(doc_id)? else {
            let (at, document) = self.index.find(doc_id)?.ok_or(Error::UnknownDocId(doc_id))?;
            let mut sums = Sums::new(self.words);
            sums.add_lengths(&self.index.segments[at], &[document])?;
            self.add(at, &[document], &mut sums)?;
            return Ok(self.score(&sums));
        };
        if let Some(known) = self.known.get(&root) {
            return Ok(known.clone());
        }
        let mut sums = Sums::new(self.words);
        let lengths = self.index.whole_lengths.get(root);
        for at in 0..self.index.segments.len() {
            let segment = &self.index.segments[at];
            if let Some(ordinal) = segment.ordinal(root)? {
                let mut parts = Vec::new();
                segment.postings.each_posting(ordinal, |document, _| parts.push(document))?;
                parts.retain(|&document| segment.live_docs().has(document));
                if lengths.is_none() {
                    sums.add_lengths(segment, &parts)?;
                }
                self.add(at, &parts, &mut sums)?;
            }
        }
        match lengths {
            Some(lengths) => sums.lengths = lengths,
            None => self.index.whole_lengths.put(root, sums.lengths),
        }
        let scores = self.score(&sums);
        self.known.insert(root, scores.clone());
        Ok(scores)
    }

    /// Adds the frequencies in documents of a segment, in ascending order, to the sums.
    fn add(&mut self, at: usize, documents: &[u32], sums: &mut Sums) -> Result<(), Error> {
        let (Some(&first), Some(&last)) = (documents.first(), documents.last()) else { return Ok(()) };
        let segment = &self.index.segments[at];
        if self.views[at].is_none() {
            let view = |id| segment.ordinal(id)?.map(|ordinal| segment.postings.view(ordinal)).transpose();
            let views = self.words.iter().map(|(_, word)| word.terms.iter().map(|term| view(term.id)).collect());
            self.views[at] = Some(views.collect::<Result<_, Error>>()?);
        }
        let pairs = segment.postings.pairs.all()?;
        let views = self.views[at].iter().flatten().flatten();
        for (view, sum) in views.zip(sums.frequencies.iter_mut().flatten()) {
            let Some(view) = view else { continue };
            for window in first as usize / WINDOW..=last as usize / WINDOW {
                let base = (window * WINDOW) as u32;
                let postings = view.window(window);
                let start = postings.documents.partition_point(|&low| base + u32::from(low) < first);
                let mut rest = documents;
                for (&low, &code) in postings.documents[start..].iter().zip(&postings.codes[start..]) {
                    let document = base + u32::from(low);
                    if document > last {
                        break;
                    }
                    while rest.first().is_some_and(|&other| other < document) {
                        rest = &rest[1..];
                    }
                    if rest.first() == Some(&document) {
                        *sum += u64::from(pairs[code as usize].frequency);
                    }
                }
            }
        }
        Ok(())
    }

    /// The contribution of each word, given the sums.
    fn score(&self, sums: &Sums) -> Vec<f64> {
        let contribution = |((_, word), frequencies): (&(usize, ExpandedWord), &Vec<u64>)| {
            let amounts = word.terms.iter().zip(frequencies).map(|(term, &frequency)| {
                let (length, average) =
                    (sums.lengths[term.field] as f64, self.index.statistics.average_whole_length(term.field));
                term.amount * self.model.normalized(term.field, frequency as f64, length, average)
            });
            word.weight * self.model.saturate(amounts.sum())
        };
        self.words.iter().zip(&sums.frequencies).map(contribution).collect()
    }
}

impl Sums {
    fn new(words: &[(usize, ExpandedWord)]) -> Self {
        let frequencies = words.iter().map(|(_, word)| vec![0; word.terms.len()]).collect();
        Sums { lengths: [0; MAX_FIELDS], frequencies }
    }

    fn add_lengths(&mut self, segment: &Segment, documents: &[u32]) -> Result<(), Error> {
        for &document in documents {
            for (sum, &length) in self.lengths.iter_mut().zip(segment.postings.lengths_of(document)?) {
                *sum += u64::from(length);
            }
        }
        Ok(())
    }
}
