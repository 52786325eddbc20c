//! Inverts documents before they reach an index: the slow part of a write, without a lock.

use std::sync::Arc;

use crate::error::Error;
use crate::index::layout::{language_name, root_name, Layout, MAX_FIELDS};
use crate::postings::builder::PostingsBuilder;
use crate::postings::forward;
use crate::postings::impact_codes::{ImpactCodes, TfAndLength, MAX_CODES};
use crate::postings::segment_postings::{SegmentPostings, MAX_POSTINGS, NO_ROOT};
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
    /// The fields of the documents.
    pub layout: Layout,
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

/// The field of labels: their length is always 1.
const LABEL: usize = MAX_FIELDS;

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
    layout: Layout,
    /// The open document: its distinct terms in order of first appearance.
    open: Vec<OpenTerm>,
    /// The number of tokens of each field of the open document.
    lengths: [u32; MAX_FIELDS],
    /// The label of the open document's root.
    root: Option<u32>,
}

/// A term of the open document.
#[derive(Clone, Copy)]
struct OpenTerm {
    term: u32,
    frequency: u32,
    field: u32,
}

/// Documents of the unsealed part.
#[derive(Default)]
struct PartBuilder {
    doc_ids: Vec<u64>,
    /// By document and field.
    lengths: Vec<u32>,
    /// The label of each document's root, or `NO_ROOT`.
    roots: Vec<u32>,
    pairs: ImpactCodes,
    /// Terms and codes of all documents: those of document d end at `ends[d]`.
    terms: Vec<u32>,
    codes: Vec<u16>,
    ends: Vec<usize>,
}

impl Inverter {
    /// An inverter of documents with these fields.
    pub fn new(layout: Layout) -> Self {
        Inverter { layout, ..Inverter::default() }
    }

    /// Adds a token to the first field of the open document.
    #[inline]
    pub fn token(&mut self, token: &str) {
        let term = if self.layout.is_marked(token) {
            self.vocabulary.intern(&self.layout.name(0, token))
        } else {
            self.short.term(token, |token| self.vocabulary.intern(token))
        };
        self.lengths[0] = self.lengths[0].saturating_add(1);
        self.count(term, 0);
    }

    /// Adds a token to a field of the open document.
    pub fn token_in(&mut self, field: usize, token: &str) {
        if field == 0 {
            return self.token(token);
        }
        let term = self.vocabulary.intern(&self.layout.name(field, token));
        self.lengths[field] = self.lengths[field].saturating_add(1);
        self.count(term, field);
    }

    /// Adds a name to a field of the open document, without a change of its length.
    pub fn name_in(&mut self, field: usize, name: &str) {
        let term = self.vocabulary.intern(&self.layout.name(field, name));
        self.count(term, field);
    }

    /// Labels the open document as a part of a root.
    pub fn label_root(&mut self, root: &str) {
        let term = self.vocabulary.intern(&root_name(root));
        self.root = Some(term);
        self.count(term, LABEL);
    }

    /// Labels the open document with a language.
    pub fn label_language(&mut self, language: &str) {
        let term = self.vocabulary.intern(&language_name(language));
        self.count(term, LABEL);
    }

    #[inline]
    fn count(&mut self, term: u32, field: usize) {
        let here = Counter { document: self.document + 1, position: self.open.len() as u32 };
        match self.counters.get_mut(term as usize) {
            Some(counter) if counter.document == here.document => {
                self.open[counter.position as usize].frequency += 1;
                return;
            }
            Some(counter) => *counter = here,
            None => self.counters.push(here),
        }
        self.open.push(OpenTerm { term, frequency: 1, field: field as u32 });
    }

    /// Closes the open document under `doc_id`, which must be greater than all before it.
    pub fn document(&mut self, doc_id: u64) -> Result<(), Error> {
        if let Some(after) = self.last_doc_id.filter(|&last| doc_id <= last) {
            return Err(Error::DocIdOrder { doc_id, after });
        }
        if self.document == u32::MAX - 1 {
            return Err(Error::Full);
        }
        if !self.draft.has_room(&self.open, &self.lengths) {
            self.seal();
        }
        let (draft, lengths) = (&mut self.draft, &self.lengths);
        let mut usual = [None; SMALL_TF];
        for open in self.open.drain(..) {
            draft.terms.push(open.term);
            let pair = open.pair(lengths);
            let mut code = || draft.pairs.intern(pair).expect("there is room");
            draft.codes.push(match usual.get_mut(open.frequency as usize).filter(|_| open.field == 0) {
                Some(known) => *known.get_or_insert_with(code),
                None => code(),
            });
        }
        draft.ends.push(draft.terms.len());
        draft.lengths.extend_from_slice(&lengths[..self.layout.fields]);
        draft.roots.push(self.root.take().unwrap_or(NO_ROOT));
        draft.doc_ids.push(doc_id);
        self.last_doc_id = Some(doc_id);
        self.document += 1;
        self.lengths = [0; MAX_FIELDS];
        Ok(())
    }

    fn seal(&mut self) {
        let draft = std::mem::take(&mut self.draft);
        if !draft.doc_ids.is_empty() {
            self.parts.push(draft.seal(self.vocabulary.len(), self.layout.fields));
        }
    }

    /// The finished batch.
    pub fn finish(mut self) -> Batch {
        self.seal();
        Batch { vocabulary: self.vocabulary, parts: self.parts, layout: self.layout }
    }
}

impl OpenTerm {
    /// Its frequency and the length of its field.
    #[inline]
    fn pair(self, lengths: &[u32; MAX_FIELDS]) -> TfAndLength {
        TfAndLength { frequency: self.frequency, length: lengths.get(self.field as usize).copied().unwrap_or(1) }
    }
}

impl PartBuilder {
    /// Returns true if a document with these terms fits into the part.
    fn has_room(&self, open: &[OpenTerm], lengths: &[u32; MAX_FIELDS]) -> bool {
        if self.terms.len() + open.len() > MAX_POSTINGS {
            return false;
        }
        let known = self.pairs.list().len();
        if known + open.len() <= MAX_CODES {
            return true;
        }
        let mut pairs: Vec<TfAndLength> = open.iter().map(|open| open.pair(lengths)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs.retain(|&pair| !self.pairs.knows(pair));
        known + pairs.len() <= MAX_CODES
    }

    /// Inverts the documents, given the number of terms of the batch and of text fields.
    fn seal(mut self, vocabulary: usize, fields: usize) -> Part {
        let mut counts = vec![0; vocabulary];
        self.terms.iter().for_each(|&term| counts[term as usize] += 1);
        let mut numbers = vec![u32::MAX; vocabulary];
        let mut terms: Vec<u32> = (0..vocabulary as u32).filter(|&term| counts[term as usize] > 0).collect();
        terms.shrink_to_fit();
        for (number, &term) in terms.iter().enumerate() {
            numbers[term as usize] = number as u32;
        }
        counts.retain(|&count| count > 0);

        let tokens: u64 = self.lengths.iter().step_by(fields).map(|&length| u64::from(length)).sum();
        let (pairs, codes) = self.pairs.by_impact(tokens as f64 / self.doc_ids.len() as f64);
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
        let roots = if self.roots.iter().all(|&root| root == NO_ROOT) { Vec::new() } else { self.roots };
        let number = |root: u32| numbers.get(root as usize).copied().unwrap_or(NO_ROOT);
        let roots: Vec<u32> = roots.into_iter().map(number).collect();
        let (doc_ids, lengths, roots) = (self.doc_ids.into(), self.lengths.into(), roots.into());
        let (forward, lists, pairs) = (forward.finish(), assembly.finish(pairs.len()), pairs.into());
        let postings = SegmentPostings { doc_ids, lengths, roots, forward, pairs, ..lists };
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
            inverter.lengths[0] = doc_id as u32 + 1; // as if the document had this many tokens
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
