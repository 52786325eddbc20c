//! Documents inverted aside, before they touch an index: the slow part of a write, done without a lock.

use std::sync::Arc;

use crate::assembly::Assembly;
use crate::body::{Body, MOST_POSTINGS};
use crate::error::Error;
use crate::forward;
use crate::pairs::{Pair, Pairs, MOST_CODES};
use crate::short::Short;
use crate::vocabulary::Vocabulary;

/// Documents in sealed bodies: one of them, or more if they would need too many codes.
#[derive(Debug, Default)]
pub struct Batch {
    pub vocabulary: Vocabulary,
    pub parts: Vec<Part>,
}

/// A body and the numbers that its terms have in the batch.
#[derive(Debug)]
pub struct Part {
    pub body: Arc<Body>,
    pub terms: Vec<u32>,
}

impl Batch {
    /// The number of documents.
    pub fn len(&self) -> usize {
        self.parts.iter().map(|part| part.body.len()).sum()
    }

    /// Whether there are no documents.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The first slot.
    pub fn first_slot(&self) -> Option<u64> {
        self.parts.first().map(|part| part.body.slots.first())
    }

    /// The last slot.
    pub fn last_slot(&self) -> Option<u64> {
        self.parts.last().map(|part| part.body.slots.last())
    }
}

/// The codes of frequencies below this are looked up once a document.
const USUAL: usize = 8;

/// The place of a posting is asked for when so many others come before it.
const AHEAD: usize = 16;

/// Where the last document that holds a term counts it.
#[derive(Clone, Copy)]
struct Counter {
    document: u32,
    position: u32,
}

/// Builds a batch, token by token.
#[derive(Default)]
pub struct Inverter {
    vocabulary: Vocabulary,
    short: Short,
    /// By term. Documents are numbered from 1 here, so that 0 is none.
    counters: Vec<Counter>,
    document: u32,
    last_slot: Option<u64>,
    parts: Vec<Part>,
    draft: Draft,
    /// The open document: its distinct terms in order of first appearance, with their frequencies.
    open: Vec<(u32, u32)>,
    length: u32,
}

/// Documents of a part that is not sealed.
#[derive(Default)]
struct Draft {
    slots: Vec<u64>,
    lengths: Vec<u32>,
    pairs: Pairs,
    /// Terms and codes of each document: those of document d end at `ends[d]`.
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

    /// Closes the open document under `slot`, which must be greater than the slots before it.
    pub fn document(&mut self, slot: u64) -> Result<(), Error> {
        if let Some(after) = self.last_slot.filter(|&last| slot <= last) {
            return Err(Error::SlotOrder { slot, after });
        }
        if self.document == u32::MAX - 1 {
            return Err(Error::Full);
        }
        if !self.draft.has_room(&self.open, self.length) {
            self.seal();
        }
        let (draft, length) = (&mut self.draft, self.length);
        let mut usual = [None; USUAL];
        for (term, frequency) in self.open.drain(..) {
            draft.terms.push(term);
            let mut code = || draft.pairs.intern(Pair { frequency, length }).expect("there is room");
            draft.codes.push(match usual.get_mut(frequency as usize) {
                Some(known) => *known.get_or_insert_with(code),
                None => code(),
            });
        }
        draft.ends.push(draft.terms.len());
        draft.lengths.push(length);
        draft.slots.push(slot);
        self.last_slot = Some(slot);
        self.document += 1;
        self.length = 0;
        Ok(())
    }

    fn seal(&mut self) {
        let draft = std::mem::take(&mut self.draft);
        if !draft.slots.is_empty() {
            self.parts.push(draft.sealed(self.vocabulary.len()));
        }
    }

    /// The finished batch.
    pub fn finish(mut self) -> Batch {
        self.seal();
        Batch { vocabulary: self.vocabulary, parts: self.parts }
    }
}

impl Draft {
    /// Whether a document of these terms fits in, too.
    fn has_room(&self, open: &[(u32, u32)], length: u32) -> bool {
        if self.terms.len() + open.len() > MOST_POSTINGS {
            return false;
        }
        let known = self.pairs.list().len();
        if known + open.len() <= MOST_CODES {
            return true;
        }
        let mut frequencies: Vec<u32> = open.iter().map(|&(_, frequency)| frequency).collect();
        frequencies.sort_unstable();
        frequencies.dedup();
        frequencies.retain(|&frequency| !self.pairs.knows(Pair { frequency, length }));
        known + frequencies.len() <= MOST_CODES
    }

    /// The documents inverted, given how many terms the batch knows.
    fn sealed(mut self, vocabulary: usize) -> Part {
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
        let mut assembly = Assembly::new(&counts, self.slots.len());
        let (mut forward, mut list, mut at) = (forward::Draft::default(), Vec::new(), 0);
        self.terms.iter_mut().for_each(|term| *term = numbers[*term as usize]);
        for (document, &end) in self.ends.iter().enumerate() {
            for (place, &code) in (at..end).zip(&self.codes[at..end]) {
                if let Some(&next) = self.terms.get(place + AHEAD) {
                    assembly.prefetch(next);
                }
                assembly.push(self.terms[place], document as u32, codes[code as usize]);
            }
            list.clear();
            list.extend_from_slice(&self.terms[at..end]);
            forward.push(&mut list);
            at = end;
        }
        let (slots, lengths) = (self.slots.into(), self.lengths.into());
        let lists = assembly.finish(pairs.len());
        let body = Body { slots, lengths, forward: forward.finish(), pairs: pairs.into(), ..lists };
        Part { body: Arc::new(body), terms }
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
        let body = &batch.parts[0].body;
        assert_eq!(body.lengths.all().unwrap(), [3, 0, 1]);
        assert_eq!(body.forward.terms(0).unwrap().collect::<Vec<_>>(), [0, 1]);
        assert_eq!((body.frequency(0), body.frequency(1)), (Ok(1), Ok(2)));
        assert_eq!(body.pair(0, 0), Ok(Some(Pair { frequency: 2, length: 3 })));
        assert_eq!((body.pair(0, 2), body.pair(1, 2)), (Ok(None), Ok(Some(Pair { frequency: 1, length: 1 }))));
    }

    #[test]
    fn more_codes_than_fit_make_several_bodies() {
        let mut inverter = Inverter::default();
        for slot in 0..70_000_u64 {
            inverter.token("a");
            inverter.length = slot as u32 + 1; // as if there were so many
            inverter.document(slot).unwrap();
        }
        let batch = inverter.finish();
        assert_eq!(
            batch.parts.iter().map(|part| part.body.len()).collect::<Vec<_>>(),
            [MOST_CODES, 70_000 - MOST_CODES]
        );
        let pair = batch.parts[1].body.pair(0, 0);
        assert_eq!(pair, Ok(Some(Pair { frequency: 1, length: MOST_CODES as u32 + 1 })));
    }
}
