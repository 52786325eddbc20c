//! Documents inverted aside, before they touch an index: the slow part of a write, done without a lock.

use foldhash::HashMap;

use crate::error::Error;
use crate::pairs::{Pair, Pairs, Posting};

/// A small index of its own. Terms, documents and codes are numbered from 0 within the batch.
#[derive(Debug, Default)]
pub struct Batch {
    pub slots: Vec<u64>,
    /// Tokens of each document.
    pub lengths: Vec<u32>,
    /// Distinct terms of each document: those of document d end at `document_ends[d]`.
    pub document_terms: Vec<u32>,
    pub document_ends: Vec<usize>,
    pub terms: Vec<Box<str>>,
    /// Postings by term, documents ascending: those of term t end at `posting_ends[t]`.
    pub postings: Vec<Posting>,
    pub posting_ends: Vec<usize>,
    pub pairs: Vec<Pair>,
}

impl Batch {
    /// The number of documents.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there are no documents.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The postings of one term.
    pub fn postings_of(&self, term: usize) -> &[Posting] {
        &self.postings[start(&self.posting_ends, term)..self.posting_ends[term]]
    }

    /// The distinct terms of one document.
    pub fn terms_of(&self, document: usize) -> &[u32] {
        &self.document_terms[start(&self.document_ends, document)..self.document_ends[document]]
    }
}

/// Where list `at` begins, given where each list ends.
fn start(ends: &[usize], at: usize) -> usize {
    if at == 0 {
        0
    } else {
        ends[at - 1]
    }
}

/// A known term, and where the open document counts it (if it has met it).
struct Entry {
    term: u32,
    document: u32,
    position: u32,
}

/// Builds a batch, token by token.
#[derive(Default)]
pub struct Inverter {
    batch: Batch,
    pairs: Pairs,
    vocabulary: HashMap<Box<str>, Entry>,
    /// The open document: its distinct terms in order of first appearance, with their frequencies.
    open: Vec<(u32, u32)>,
    length: u32,
    /// The code of each entry of `batch.document_terms`.
    codes: Vec<u32>,
}

impl Inverter {
    /// Adds a token to the open document.
    pub fn token(&mut self, token: &str) {
        let document = self.batch.slots.len() as u32;
        self.length += 1;
        if let Some(entry) = self.vocabulary.get_mut(token) {
            if entry.document == document {
                self.open[entry.position as usize].1 += 1;
                return;
            }
            entry.document = document;
            entry.position = self.open.len() as u32;
            self.open.push((entry.term, 1));
        } else {
            let term = self.batch.terms.len() as u32;
            self.batch.terms.push(token.into());
            let position = self.open.len() as u32;
            self.vocabulary.insert(token.into(), Entry { term, document, position });
            self.open.push((term, 1));
        }
    }

    /// Closes the open document under `slot`, which must be greater than the slots before it.
    pub fn document(&mut self, slot: u64) -> Result<(), Error> {
        if let Some(&after) = self.batch.slots.last().filter(|&&last| slot <= last) {
            return Err(Error::SlotOrder { slot, after });
        }
        if self.batch.slots.len() == u32::MAX as usize {
            return Err(Error::Full);
        }
        for (term, frequency) in self.open.drain(..) {
            self.codes.push(self.pairs.intern(Pair { frequency, length: self.length }));
            self.batch.document_terms.push(term);
        }
        self.batch.document_ends.push(self.batch.document_terms.len());
        self.batch.lengths.push(self.length);
        self.batch.slots.push(slot);
        self.length = 0;
        Ok(())
    }

    /// The finished batch.
    pub fn finish(self) -> Batch {
        let mut batch = self.batch;
        let mut next = vec![0; batch.terms.len() + 1];
        for &term in &batch.document_terms {
            next[term as usize + 1] += 1;
        }
        for term in 1..next.len() {
            next[term] += next[term - 1];
        }
        let mut postings = vec![Posting { document: 0, code: 0 }; batch.document_terms.len()];
        let mut at = 0;
        for (document, &end) in batch.document_ends.iter().enumerate() {
            while at < end {
                let place = &mut next[batch.document_terms[at] as usize];
                postings[*place] = Posting { document: document as u32, code: self.codes[at] };
                *place += 1;
                at += 1;
            }
        }
        next.pop(); // each list's start has moved on to its end
        batch.posting_ends = next;
        batch.postings = postings;
        batch.pairs = self.pairs.list().to_vec();
        batch
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_inverts_its_documents() {
        let mut inverter = Inverter::default();
        for (slot, text) in [(3, "a b a"), (4, ""), (9, "b")] {
            text.split_whitespace().for_each(|token| inverter.token(token));
            inverter.document(slot).unwrap();
        }
        assert_eq!(inverter.document(9), Err(Error::SlotOrder { slot: 9, after: 9 }));
        let batch = inverter.finish();
        assert_eq!(batch.lengths, [3, 0, 1]);
        assert_eq!(batch.terms_of(0), [0, 1]);
        assert_eq!(batch.postings_of(1).iter().map(|p| p.document).collect::<Vec<_>>(), [0, 2]);
        assert_eq!(batch.pairs[batch.postings_of(0)[0].code as usize], Pair { frequency: 2, length: 3 });
    }
}
