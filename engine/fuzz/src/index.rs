//! An index with a past: writes, merges and searches in any order, and a plain index beside it that
//! must agree.

use std::collections::BTreeSet;

use _engine::error::Error;
use _engine::index::batch::{Batch, Inverter};
use _engine::index::shared_index::SharedIndex;
use _engine::index::state::Index;
use _engine::postings::bits::Bits;
use _engine::search::bm25::{Model, Parameters, VARIANTS};
use _engine::search::eligible::{Allowed, Selection};
use _engine::search::explanation::explain;
use _engine::search::request::{distinct, search, Request};
use _engine::text::tokenizer::{Cjk, Tokenizer};
use arbitrary::{Result, Unstructured};

use super::numbers::{doc_id, float};
use super::plain::{length, Plain, Terms};

/// Longer programs, or larger indexes, find little that shorter ones don't.
const MAX_STEPS: usize = 48;
/// All counts are compared once per this many steps: that takes most of the time.
const CHECKED: usize = 8;
const MAX_DOCUMENTS: usize = 500;
/// Words that are not made of a number.
const WORDS: [&str; 8] = ["the", "Straße", "STRASSE", "e\u{301}t\u{e9}", "日本語", "ΣΑΣ", "", "\u{10FFFF}a\u{0}b"];

/// The index, and its expected content.
#[derive(Default)]
struct Both {
    shared: SharedIndex,
    plain: Plain,
    /// The greatest slot ever added.
    last: Option<u64>,
}

/// Reads a program and carries it out.
pub fn run(data: &[u8]) {
    let (bytes, mut both) = (&mut Unstructured::new(data), Both::default());
    for step in 1..=MAX_STEPS {
        if bytes.is_empty() || both.step(bytes).is_err() {
            break;
        }
        if step % CHECKED == 0 {
            both.check();
        }
    }
    both.check();
    both.shared.tidy(usize::MAX).unwrap();
    both.check();
    both.check_against_one_without_past();
}

impl Both {
    fn step(&mut self, bytes: &mut Unstructured<'_>) -> Result<()> {
        match bytes.arbitrary::<u8>()? % 16 {
            0..=2 => self.write(bytes, false, true),
            3 => self.write_many(bytes),
            4 | 5 => self.write(bytes, true, false),
            6 | 7 => self.write(bytes, true, true),
            8 => {
                self.shared.tidy(usize::MAX).unwrap();
                Ok(())
            }
            9 => {
                let compacted = self.shared.read().compact().unwrap();
                assert_eq!(compacted.num_deleted(), 0);
                self.search(bytes, &compacted)
            }
            10 => self.explain(bytes),
            _ => {
                let index = self.shared.read();
                self.search(bytes, &index)
            }
        }
    }

    // --- writes ----------------------------------------------------------------------------------
    // --------------------

    /// Removes some documents and adds others; whether that is refused is known beforehand.
    fn write(&mut self, bytes: &mut Unstructured<'_>, removing: bool, adding: bool) -> Result<()> {
        let removed = if removing { self.some_slots(bytes)? } else { Vec::new() };
        let (mut added, mut inverter, mut after) = (Vec::new(), Inverter::default(), None);
        for _ in 0..if adding { bytes.arbitrary::<u8>()? % 6 } else { 0 } {
            let doc_id = doc_id(bytes, after.or(self.last).unwrap_or(0))?;
            let terms = document(bytes, &mut inverter)?;
            match inverter.document(doc_id) {
                Ok(()) => {
                    assert!(after.is_none_or(|after| doc_id > after));
                    after = Some(doc_id);
                    added.push((doc_id, terms));
                }
                Err(error) => {
                    assert_eq!(Some(error), after.map(|after| Error::DocIdOrder { doc_id, after }));
                    break;
                }
            }
        }
        self.apply(&removed, &inverter.finish(), added);
        Ok(())
    }

    /// Adds many short documents.
    fn write_many(&mut self, bytes: &mut Unstructured<'_>) -> Result<()> {
        let (many, step, stride) = (bytes.arbitrary::<u8>()?, bytes.arbitrary::<u16>()?, bytes.arbitrary::<u8>()?);
        let room = MAX_DOCUMENTS.saturating_sub(self.plain.documents.len());
        let first = self.last.map_or(0, |last| last.saturating_add(1 + u64::from(stride / 64)));
        let (mut added, mut inverter, mut state) = (Vec::new(), Inverter::default(), u32::from(step));
        for at in 0..usize::from(many).min(room) as u64 {
            let Some(doc_id) = first.checked_add(at * u64::from(stride % 4 + 1)) else { break };
            let mut terms = Terms::new();
            for _ in 0..state / 7 % u32::from(stride / 4 + 1) {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                count(&mut terms, &mut inverter, &format!("w{}", (state >> 24) * (state >> 20 & 15) / 64));
            }
            state = state.wrapping_add(u32::from(step));
            if inverter.document(doc_id).is_err() {
                break;
            }
            added.push((doc_id, terms));
        }
        self.apply(&[], &inverter.finish(), added);
        Ok(())
    }

    fn apply(&mut self, removed: &[u64], batch: &Batch, added: Vec<(u64, Terms)>) {
        assert_eq!(batch.len(), added.len());
        let unknown = removed.iter().find(|doc_id| !self.plain.documents.contains_key(doc_id)).copied();
        let early = added.first().map(|&(doc_id, _)| doc_id).zip(self.last).filter(|(doc_id, last)| doc_id <= last);
        let expected = match (unknown, early) {
            (Some(doc_id), _) => Err(Error::UnknownDocId(doc_id)),
            (_, Some((doc_id, after))) => Err(Error::DocIdOrder { doc_id, after }),
            _ => Ok(()),
        };
        let refused = expected.is_err();
        assert_eq!(self.shared.apply(removed, Some(batch)), expected);
        if refused {
            return;
        }
        removed.iter().for_each(|doc_id| {
            self.plain.documents.remove(doc_id);
        });
        self.last = added.last().map(|&(doc_id, _)| doc_id).or(self.last);
        self.plain.documents.extend(added);
    }

    /// Slots of documents, and now and then of none.
    fn some_slots(&self, bytes: &mut Unstructured<'_>) -> Result<Vec<u64>> {
        let known: Vec<u64> = self.plain.documents.keys().copied().collect();
        let (from, many, step) = (bytes.arbitrary::<u16>()?, bytes.arbitrary::<u8>()?, bytes.arbitrary::<u8>()?);
        let (skip, stride) = (usize::from(from) % known.len().max(1), usize::from(step % 16) + 1);
        let mut doc_ids: Vec<u64> = known.into_iter().skip(skip).step_by(stride).take(usize::from(many) * 4).collect();
        match step {
            240.. => doc_ids.push(doc_id(bytes, self.last.unwrap_or(0))?),
            224..240 => doc_ids.extend_from_within(..1.min(doc_ids.len())), // twice the same
            _ if doc_ids.is_empty() => {}
            _ => {
                let middle = usize::from(step) % doc_ids.len();
                doc_ids.rotate_left(middle);
            }
        }
        Ok(doc_ids)
    }

    // --- reads -----------------------------------------------------------------------------------
    // --------------------

    fn search(&self, bytes: &mut Unstructured<'_>, index: &Index) -> Result<()> {
        let (query, model) = (query(bytes)?, model(bytes)?);
        let mut expected = self.plain.search(&query, &model);
        let (doc_ids, selection);
        let allowed = match bytes.arbitrary::<u8>()? % 4 {
            0 | 1 => Allowed::All,
            2 => {
                doc_ids = self.some_slots(bytes)?;
                let chosen: BTreeSet<u64> = doc_ids.iter().copied().collect();
                expected.retain(|(doc_id, _)| chosen.contains(doc_id));
                Allowed::DocIds(&doc_ids)
            }
            _ => {
                let first = doc_id(bytes, self.plain.documents.keys().next().copied().unwrap_or(0))?;
                let len = usize::from(bytes.arbitrary::<u8>()?).min(bytes.len());
                let image = bytes.bytes(len)?;
                selection = Selection { first, bits: Bits::from_bytes(image) };
                expected.retain(|(doc_id, _)| {
                    let at = doc_id.checked_sub(first).filter(|&at| at / 8 < image.len() as u64);
                    at.is_some_and(|at| image[at as usize / 8] >> (at % 8) & 1 == 1)
                });
                Allowed::Selection(&selection)
            }
        };
        let place = bytes.arbitrary::<u8>()?;
        let min_score = match place {
            0..=127 => None,
            128..=229 => expected.get(usize::from(place) * 3 % expected.len().max(1)).map(|&(_, score)| score),
            _ => Some(float(bytes)?),
        };
        let limit = match bytes.arbitrary::<u8>()? {
            limit @ 0..=199 => Some(usize::from(limit) % 50),
            200..=219 => Some(usize::from(bytes.arbitrary::<u16>()?)),
            220..=229 => Some(usize::MAX),
            _ => None,
        };
        expected.retain(|&(_, score)| min_score.is_none_or(|least| score >= least));
        expected.truncate(limit.unwrap_or(usize::MAX));
        let found = search(index, &query, &Request { model, limit, allowed, min_score }).unwrap();
        assert_eq!(exact(&found), exact(&expected), "{query:?}, {:?}", model.parameters);
        Ok(())
    }

    fn explain(&self, bytes: &mut Unstructured<'_>) -> Result<()> {
        let (query, model, doc_ids) = (query(bytes)?, model(bytes)?, self.some_slots(bytes)?);
        let found = explain(&self.shared.read(), &query, &doc_ids, &model);
        if let Some(&unknown) = doc_ids.iter().find(|doc_id| !self.plain.documents.contains_key(doc_id)) {
            assert_eq!(found, Err(Error::UnknownDocId(unknown)));
            return Ok(());
        }
        let (scores, frequencies) = (self.plain.search(&query, &model), self.plain.frequencies());
        for (doc_id, terms) in doc_ids.iter().zip(found.unwrap()) {
            let document = &self.plain.documents[doc_id];
            let held: Vec<&String> = query.iter().filter(|term| document.contains_key(*term)).collect();
            assert!(terms.iter().map(|term| &term.term).eq(held));
            assert!(terms.iter().all(|each| each.tf == document[&each.term]));
            assert!(terms.iter().all(|each| each.df == frequencies[each.term.as_str()]));
            let sum = terms.iter().fold(0.0, |sum, term| sum + term.score);
            let score = scores.iter().find(|(other, _)| other == doc_id).map_or(0.0, |&(_, score)| score);
            assert_eq!(sum.to_bits(), score.to_bits());
        }
        Ok(())
    }

    /// Compares the counts, and the data of single documents and terms.
    fn check(&self) {
        let index = self.shared.read();
        let frequencies = self.plain.frequencies();
        assert_eq!(index.len(), self.plain.documents.len());
        assert_eq!(index.statistics.documents, self.plain.documents.len() as u64);
        assert_eq!(index.statistics.tokens[0], self.plain.tokens());
        assert_eq!(index.statistics.vocabulary(), frequencies.len() as u64);
        assert_eq!(index.last_doc_id, self.last);
        assert!(frequencies.iter().all(|(term, &df)| index.term(term).unwrap().is_some_and(|(_, found)| found == df)));
        for (doc_id, terms) in &self.plain.documents {
            let (segment, document) = index.find(*doc_id).unwrap().expect("it is there");
            assert_eq!(index.segments[segment].postings.lengths.at(document as usize), Ok(length(terms)));
            let next = doc_id.wrapping_add(1);
            assert_eq!(index.find(next).unwrap().is_some(), self.plain.documents.contains_key(&next));
        }
    }

    /// An index of the living documents, written in one go, gives the same answers.
    fn check_against_one_without_past(&self) {
        let (fresh, mut inverter) = (SharedIndex::default(), Inverter::default());
        for (&doc_id, terms) in &self.plain.documents {
            for (term, &frequency) in terms {
                (0..frequency).for_each(|_| inverter.token(term));
            }
            inverter.document(doc_id).unwrap();
        }
        fresh.apply(&[], Some(&inverter.finish())).unwrap();
        let query: Vec<String> = self.plain.vocabulary().into_iter().step_by(3).take(9).map(str::to_owned).collect();
        for model in VARIANTS.iter().filter_map(|variant| Model::by_name(variant.name)) {
            let request = Request { model, limit: Some(7), allowed: Allowed::All, min_score: None };
            let answers = [&self.shared, &fresh].map(|index| search(&index.read(), &query, &request).unwrap());
            assert_eq!(exact(&answers[0]), exact(&answers[1]));
        }
    }
}

/// Hits to the last bit.
fn exact(hits: &[(u64, f64)]) -> Vec<(u64, u64)> {
    hits.iter().map(|&(doc_id, score)| (doc_id, score.to_bits())).collect()
}

/// Adds a document to the inverter, and returns its terms.
fn document(bytes: &mut Unstructured<'_>, inverter: &mut Inverter) -> Result<Terms> {
    let (mut terms, words) = (Terms::new(), bytes.arbitrary::<u8>()? % 16);
    for _ in 0..words {
        let (word, often) = (word(bytes)?, bytes.arbitrary::<u8>()?);
        for _ in 0..if often < 192 { 1 } else { often - 191 } {
            count(&mut terms, inverter, &word);
        }
    }
    Ok(terms)
}

fn count(terms: &mut Terms, inverter: &mut Inverter, word: &str) {
    inverter.token(word);
    *terms.entry(word.to_owned()).or_default() += 1;
}

/// A word as a tokenizer would give it, or as nothing would.
fn word(bytes: &mut Unstructured<'_>) -> Result<String> {
    let number = bytes.arbitrary::<u8>()?;
    Ok(match number {
        0..=219 => format!("w{number}"),
        220..=239 => WORDS[usize::from(number) % WORDS.len()].to_owned(),
        _ => {
            let tokens = Tokenizer::new(Cjk::Bigrams).list(&WORDS.join(" "));
            tokens[usize::from(number) % tokens.len()].clone()
        }
    })
}

fn query(bytes: &mut Unstructured<'_>) -> Result<Vec<String>> {
    let many = match bytes.arbitrary::<u8>()? {
        many @ 0..=239 => many % 7,
        _ => 90, // more than are searched by bounds
    };
    Ok(distinct((0..many).map(|_| word(bytes)).collect::<Result<_>>()?))
}

fn model(bytes: &mut Unstructured<'_>) -> Result<Model> {
    let mut model = Model::by_name(bytes.choose(&VARIANTS)?.name).expect("a row of the table");
    let changed = bytes.arbitrary::<u8>()?;
    for (at, name) in Parameters::NAMES.into_iter().enumerate() {
        if changed >> at & 0b1_0001 == 0b1_0001 {
            *model.parameters.by_name(name).expect("a parameter") = float(bytes)?;
        }
    }
    Ok(model)
}
