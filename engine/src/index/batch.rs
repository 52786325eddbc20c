//! Inverts documents before they reach an index: the slow part of a write, without a lock.

use std::sync::Arc;

use crate::error::Error;
use crate::postings::builder::PostingsBuilder;
use crate::postings::forward;
use crate::postings::impact_codes::{ImpactCodes, TfAndLength, MAX_CODES};
use crate::postings::segment_postings::{SegmentPostings, MAX_POSTINGS};
use crate::terms::short_tokens::ShortTokens;
use crate::terms::vocabulary::Vocabulary;

/// Inverted documents in sealed parts: usually one, more if they need more codes than a segment
/// has.
#[derive(Debug, Default)]
pub struct Batch {
    /// The distinct terms of the batch.
    pub vocabulary: Vocabulary,
    /// Sealed parts, in the order of document ids.
    pub parts: Vec<Part>,
}

/// Postings and the batch term id of each term.
#[derive(Debug)]
pub struct Part {
    /// The inverted documents.
    pub postings: Arc<SegmentPostings>,
    /// Batch term id by ordinal.
    pub terms: Vec<u32>,
}

impl Batch {
    /// The number of documents.
    pub fn len(&self) -> usize {
        self.parts.iter().map(|part| part.postings.len()).sum()
    }

    /// Returns true if there are no documents.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The first document id.
    pub fn first_doc_id(&self) -> Option<u64> {
        self.parts.first().map(|part| part.postings.doc_ids.first())
    }

    /// The last document id.
    pub fn last_doc_id(&self) -> Option<u64> {
        self.parts.last().map(|part| part.postings.doc_ids.last())
    }
}

/// Codes of frequencies below this are looked up once per document.
const SMALL_TF: usize = 8;

/// The destination of a posting is prefetched this many postings ahead.
const PREFETCH_DISTANCE: usize = 16;

/// Position of a term in the last document that contains it.
#[derive(Clone, Copy)]
struct Counter {
    document: u32,
    position: u32,
}

/// Builds a batch, token by token.
#[derive(Default)]
pub struct Inverter {
    vocabulary: Vocabulary,
    short: ShortTokens,
    /// By term. Documents are numbered from 1 here; 0 is none.
    counters: Vec<Counter>,
    document: u32,
    last_doc_id: Option<u64>,
    parts: Vec<Part>,
    draft: PartBuilder,
    /// The open document: its distinct terms in order of first appearance, with their frequencies.
    open: Vec<(u32, u32)>,
    length: u32,
}

/// Documents of the unsealed part.
#[derive(Default)]
struct PartBuilder {
    doc_ids: Vec<u64>,
    lengths: Vec<u32>,
    pairs: ImpactCodes,
    /// Terms and codes of all documents: those of document d end at `ends[d]`.
    terms: Vec<u32>,
    codes: Vec<u16>,
    ends: Vec<usize>,
}

impl Inverter {
    /// Adds a token to the open document.
    pub fn token(&mut self, token: &str) {
        let term = self.short.term(token, |token| self.vocabulary.intern(token));
        self.length = self.length.saturating_add(1);
        let here = Counter { document: self.document + 1, position: self.open.len() as u32 };
        match self.counters.get_mut(term as usize) {
            Some(counter) if counter.document == here.document => {
                self.open[counter.position as usize].1 += 1;
                return;
            }
            Some(counter) => *counter = here,
            None => self.counters.push(here),
        }
        self.open.push((term, 1));
    }

    /// Closes the open document under `doc_id`, which must be greater than all before it.
    pub fn document(&mut self, doc_id: u64) -> Result<(), Error> {
        if let Some(after) = self.last_doc_id.filter(|&last| doc_id <= last) {
            return Err(Error::DocIdOrder { doc_id, after });
        }
        if self.document == u32::MAX - 1 {
            return Err(Error::Full);
        }
        if !self.draft.has_room(&self.open, self.length) {
            self.seal();
        }
        let (draft, length) = (&mut self.draft, self.length);
        let mut usual = [None; SMALL_TF];
        for (term, frequency) in self.open.drain(..) {
            draft.terms.push(term);
            let mut code = || draft.pairs.intern(TfAndLength { frequency, length }).expect("there is room");
            draft.codes.push(match usual.get_mut(frequency as usize) {
                Some(known) => *known.get_or_insert_with(code),
                None => code(),
            });
        }
        draft.ends.push(draft.terms.len());
        draft.lengths.push(length);
        draft.doc_ids.push(doc_id);
        self.last_doc_id = Some(doc_id);
        self.document += 1;
        self.length = 0;
        Ok(())
    }

    fn seal(&mut self) {
        let draft = std::mem::take(&mut self.draft);
        if !draft.doc_ids.is_empty() {
            self.parts.push(draft.seal(self.vocabulary.len()));
        }
    }

    /// The finished batch.
    pub fn finish(mut self) -> Batch {
        self.seal();
        Batch { vocabulary: self.vocabulary, parts: self.parts }
    }
}

impl PartBuilder {
    /// Returns true if a document with these terms fits into the part.
    fn has_room(&self, open: &[(u32, u32)], length: u32) -> bool {
        if self.terms.len() + open.len() > MAX_POSTINGS {
            return false;
        }
        let known = self.pairs.list().len();
        if known + open.len() <= MAX_CODES {
            return true;
        }
        let mut frequencies: Vec<u32> = open.iter().map(|&(_, frequency)| frequency).collect();
        frequencies.sort_unstable();
        frequencies.dedup();
        frequencies.retain(|&frequency| !self.pairs.knows(TfAndLength { frequency, length }));
        known + frequencies.len() <= MAX_CODES
    }

    /// Inverts the documents, given the number of terms of the batch.
    fn seal(mut self, vocabulary: usize) -> Part {
        let mut counts = vec![0; vocabulary];
        self.terms.iter().for_each(|&term| counts[term as usize] += 1);
        let mut numbers = vec![u32::MAX; vocabulary];
        let mut terms: Vec<u32> = (0..vocabulary as u32).filter(|&term| counts[term as usize] > 0).collect();
        terms.shrink_to_fit();
        for (number, &term) in terms.iter().enumerate() {
            numbers[term as usize] = number as u32;
        }
        counts.retain(|&count| count > 0);

        let tokens: u64 = self.lengths.iter().map(|&length| u64::from(length)).sum();
        let (pairs, codes) = self.pairs.by_impact(tokens as f64 / self.lengths.len() as f64);
        let mut assembly = PostingsBuilder::new(&counts, self.doc_ids.len());
        let (mut forward, mut list, mut at) = (forward::ForwardBuilder::default(), Vec::new(), 0);
        self.terms.iter_mut().for_each(|term| *term = numbers[*term as usize]);
        for (document, &end) in self.ends.iter().enumerate() {
            for (place, &code) in (at..end).zip(&self.codes[at..end]) {
                if let Some(&next) = self.terms.get(place + PREFETCH_DISTANCE) {
                    assembly.prefetch(next);
                }
                assembly.push(self.terms[place], document as u32, codes[code as usize]);
            }
            list.clear();
            list.extend_from_slice(&self.terms[at..end]);
            forward.push(&mut list);
            at = end;
        }
        let (doc_ids, lengths) = (self.doc_ids.into(), self.lengths.into());
        let lists = assembly.finish(pairs.len());
        let postings = SegmentPostings { doc_ids, lengths, forward: forward.finish(), pairs: pairs.into(), ..lists };
        Part { postings: Arc::new(postings), terms }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_inverts_its_documents() {
        let mut inverter = Inverter::default();
        for (doc_id, text) in [(3, "a b a"), (4, ""), (9, "b")] {
            text.split_whitespace().for_each(|token| inverter.token(token));
            inverter.document(doc_id).unwrap();
        }
        assert_eq!(inverter.document(9), Err(Error::DocIdOrder { doc_id: 9, after: 9 }));
        let batch = inverter.finish();
        let postings = &batch.parts[0].postings;
        assert_eq!(postings.lengths.all().unwrap(), [3, 0, 1]);
        assert_eq!(postings.forward.terms(0).unwrap().collect::<Vec<_>>(), [0, 1]);
        assert_eq!((postings.frequency(0), postings.frequency(1)), (Ok(1), Ok(2)));
        assert_eq!(postings.pair(0, 0), Ok(Some(TfAndLength { frequency: 2, length: 3 })));
        assert_eq!(
            (postings.pair(0, 2), postings.pair(1, 2)),
            (Ok(None), Ok(Some(TfAndLength { frequency: 1, length: 1 })))
        );
    }

    #[test]
    fn more_codes_than_fit_make_several_bodies() {
        let mut inverter = Inverter::default();
        for doc_id in 0..70_000_u64 {
            inverter.token("a");
            inverter.length = doc_id as u32 + 1; // as if the document had this many tokens
            inverter.document(doc_id).unwrap();
        }
        let batch = inverter.finish();
        assert_eq!(
            batch.parts.iter().map(|part| part.postings.len()).collect::<Vec<_>>(),
            [MAX_CODES, 70_000 - MAX_CODES]
        );
        let pair = batch.parts[1].postings.pair(0, 0);
        assert_eq!(pair, Ok(Some(TfAndLength { frequency: 1, length: MAX_CODES as u32 + 1 })));
    }
}
