//! The words of a query as weighted sets of the terms that an index holds.

use std::sync::{Mutex, PoisonError};

use foldhash::HashMap;

use crate::error::Error;
use crate::index::layout::{language_name, TermKind};
use crate::index::state::Index;
use crate::postings::bits::Bits;
use crate::terms::keys::{self, grams, hash, KeyKind};
use crate::text::language::Language;
use crate::text::{names, query};

/// The Dice coefficient of the n-grams of words that resemble each other.
const MIN_DICE: f64 = 0.4;
/// The maximum number of words that resemble a word.
const MAX_NEAR: usize = 32;

/// The maximum number of words that an unknown word is a typing mistake of.
const MAX_MISTAKEN: usize = 3;

/// A word of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryWord {
    /// The forms that the query names, each with the amount that an occurrence counts.
    pub terms: Vec<(String, f64)>,
    /// The number of times that the query contains the word.
    pub count: f64,
    /// Its share of a whole word.
    pub weight: f64,
    /// True if other forms of its stem count too.
    pub inflected: bool,
}

/// The reason why a term belongs to a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// The query names it.
    Exact,
    /// It has the same stem.
    Form,
    /// It resembles the word.
    Near,
    /// It is a name with the word, which the query contains whole.
    Name,
}

impl From<query::QueryWord> for QueryWord {
    fn from(word: query::QueryWord) -> Self {
        let query::QueryWord { term, count, weight, alternatives, .. } = word;
        let terms = std::iter::once((term, 1.0)).chain(alternatives).collect();
        QueryWord { terms, count: f64::from(count), weight, inflected: true }
    }
}

impl Relation {
    /// The name of the relation.
    pub fn name(self) -> &'static str {
        match self {
            Relation::Exact => "exact",
            Relation::Form => "form",
            Relation::Near => "near",
            Relation::Name => "name",
        }
    }
}

/// A term of a query word, as it is in the index.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundTerm {
    /// Term id.
    pub id: u32,
    /// The word, without the mark of the field.
    pub word: String,
    /// The field of the term.
    pub field: usize,
    /// The amount that an occurrence counts.
    pub amount: f64,
    /// The reason why it belongs to the word.
    pub relation: Relation,
}

/// Parameters of the expansion of words.
#[derive(Clone, Debug, PartialEq)]
pub struct Expansion {
    /// Languages of the stems; None for those of the documents.
    pub languages: Option<Vec<Language>>,
    /// The amount of another form of the stem.
    pub forms: f64,
    /// The amount of a word that resembles the word wholly: in proportion to the resemblance.
    pub near: f64,
    /// The amount of a name with the word.
    pub names: f64,
}

impl Index {
    /// The languages that label a live document, and English if there is a document without.
    pub fn languages(&self) -> Result<Vec<Language>, Error> {
        let (mut found, mut labelled) = (Vec::new(), 0);
        for language in Language::ALL {
            if let Some((_, count)) = self.term(&language_name(language.name()))? {
                found.push(language);
                labelled += u64::from(count);
            }
        }
        if labelled < self.statistics.documents && !found.contains(&Language::English) {
            found.push(Language::English);
        }
        Ok(found)
    }

    /// The distinct terms of a document with their frequencies, sorted; marks of fields included.
    pub fn terms_of(&self, doc_id: u64) -> Result<Vec<(String, u32)>, Error> {
        let (at, document) = self.find(doc_id)?.ok_or(Error::UnknownDocId(doc_id))?;
        let segment = &self.segments[at];
        let mut terms = Vec::new();
        for ordinal in segment.postings.forward.terms(document)? {
            let frequency = segment.postings.pair(ordinal, document)?.map_or(0, |pair| pair.frequency);
            let id = segment.term_ids.at(ordinal as usize)?;
            terms.push((self.vocabulary.name(id, str::to_owned)?, frequency));
        }
        terms.sort_unstable();
        Ok(terms)
    }

    /// The words of a query. Their terms include the names of documents that the query contains
    /// whole.
    pub fn query_words(&self, text: &str, languages: &[Language]) -> Result<Vec<QueryWord>, Error> {
        let mut words: Vec<QueryWord> = query::query_words(text, languages).into_iter().map(QueryWord::from).collect();
        if self.layout.fields > 1 {
            names::each_in(text, |name, parts| {
                if self.fields_of(name)?.is_empty() {
                    return Ok(());
                }
                for QueryWord { terms, .. } in &mut words {
                    if parts.contains(&terms[0].0) && terms.iter().all(|(term, _)| term != name) {
                        terms.push((name.to_owned(), 1.0));
                    }
                }
                Ok::<_, Error>(())
            })?;
        }
        Ok(words)
    }

    /// The fields that contain a word or a name, with its term there.
    fn fields_of(&self, word: &str) -> Result<Vec<(usize, u32)>, Error> {
        let mut found = Vec::new();
        for field in usize::from(names::is_name(word))..self.layout.fields {
            if let Some((id, _)) = self.term(&self.layout.name(field, word))? {
                found.push((field, id));
            }
        }
        Ok(found)
    }

    /// The terms of a word in this index, those with the greatest amount first.
    pub fn expand(
        &self,
        word: &QueryWord,
        languages: &[Language],
        expansion: &Expansion,
    ) -> Result<Vec<FoundTerm>, Error> {
        let forms = expansion.forms;
        let mut found: Vec<FoundTerm> = Vec::new();
        for (name, amount) in &word.terms {
            let how = if names::is_name(name) {
                (amount * expansion.names, Relation::Name)
            } else {
                (*amount, Relation::Exact)
            };
            for (field, id) in self.fields_of(name)? {
                add(&mut found, id, name, field, how);
            }
        }
        if word.inflected && forms > 0.0 {
            for (name, amount) in word.terms.iter().filter(|(name, _)| !names::is_name(name)) {
                for &language in languages {
                    self.add_forms(name, language, amount * forms, &mut found)?;
                }
            }
        }
        // in other languages, words that resemble a known word help too little for their time
        let wants_near = found.is_empty() || languages.iter().any(|language| language.has_compounds());
        let first = word.terms.first().filter(|_| word.inflected && expansion.near > 0.0 && wants_near);
        if let Some((name, amount)) = first {
            let mut similar = self.resembling(name)?;
            if found.is_empty() {
                similar.extend(self.mistaken(name)?);
            }
            for (near, dice) in similar {
                for (field, id) in self.fields_of(&near)? {
                    add(&mut found, id, &near, field, (amount * expansion.near * dice, Relation::Near));
                }
            }
        }
        found.sort_by(|a, b| b.amount.total_cmp(&a.amount).then_with(|| (&a.word, a.field).cmp(&(&b.word, b.field))));
        Ok(found)
    }

    /// The words that resemble a word, with the Dice coefficients of their character n-grams, the
    /// greatest first.
    pub fn resembling(&self, word: &str) -> Result<Vec<(String, f64)>, Error> {
        let wanted = grams(word);
        // the coefficient is at most 2 c / (w + c), for c common ones of w
        let least = MIN_DICE * wanted.len() as f64 / (2.0 - MIN_DICE);
        let sharing = self.keys.sharing((&self.vocabulary, self.layout), KeyKind::Grams, &wanted, least)?;
        let mut best: Vec<(f64, u32)> = Vec::new();
        for (id, common, all) in sharing {
            let dice = 2.0 * f64::from(common) / (wanted.len() + usize::from(all)) as f64;
            if (MIN_DICE..1.0).contains(&dice) && self.frequencies[id as usize] > 0 {
                best.push((dice, id));
            }
        }
        if best.len() > MAX_NEAR {
            best.select_nth_unstable_by(MAX_NEAR, |a, b| b.0.total_cmp(&a.0));
            let last = best[MAX_NEAR].0; // ties are decided by their names, below
            best.retain(|&(dice, _)| dice >= last);
        }
        let name = |(dice, id)| Ok((self.vocabulary.name(id, |name| self.layout.word(name).to_owned())?, dice));
        let mut found = best.into_iter().map(name).collect::<Result<Vec<_>, Error>>()?;
        found.retain(|(name, _)| name != word);
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        found.truncate(MAX_NEAR);
        Ok(found)
    }

    /// The words that an unknown word is a typing mistake of, with the share of its letters that
    /// they have.
    fn mistaken(&self, word: &str) -> Result<Vec<(String, f64)>, Error> {
        let length = word.chars().count() as f64;
        let nearest = self.respellings(word)?.into_iter().filter(|found| found.edits == 1);
        Ok(nearest.take(MAX_MISTAKEN).map(|found| (found.word, 1.0 - 1.0 / length)).collect())
    }

    fn add_forms(&self, name: &str, language: Language, amount: f64, found: &mut Vec<FoundTerm>) -> Result<(), Error> {
        let stem = keys::stem(language, name);
        self.keys.each((&self.vocabulary, self.layout), KeyKind::Stem(language), &[hash(&stem)], |id| {
            if self.frequencies[id as usize] == 0 || found.iter().any(|term| term.id == id && term.amount >= amount) {
                return Ok(());
            }
            self.vocabulary.name(id, |name| {
                let word = self.layout.word(name);
                if let TermKind::Word(field) = self.layout.kind(name) {
                    if keys::stem(language, word) == stem {
                        add(found, id, word, field, (amount, Relation::Form));
                    }
                }
            })
        })
    }

    /// The number of live documents that contain one of these terms.
    pub fn count_documents(&self, terms: &[u32]) -> Result<u32, Error> {
        if let &[only] = terms {
            return Ok(self.frequencies[only as usize]);
        }
        let mut key = terms.to_vec();
        key.sort_unstable();
        if let Some(count) = self.counts.get(&key) {
            return Ok(count);
        }
        let mut count = 0;
        for segment in &self.segments {
            let mut bits = Bits::none(segment.postings.len());
            for &term in terms {
                if let Some(ordinal) = segment.ordinal(term)? {
                    segment.postings.each_posting(ordinal, |document, _| bits.set(document))?;
                }
            }
            if segment.num_deleted() > 0 {
                bits.retain(segment.live_docs());
            }
            count += bits.count() as u32;
        }
        self.counts.put(key, count);
        Ok(count)
    }
}

/// Adds a term to those found, unless it is there with at least this amount.
fn add(found: &mut Vec<FoundTerm>, id: u32, word: &str, field: usize, (amount, relation): (f64, Relation)) {
    match found.iter_mut().find(|term| term.id == id) {
        Some(term) if term.amount >= amount => {}
        Some(term) => (term.amount, term.relation) = (amount, relation),
        None => found.push(FoundTerm { id, word: word.to_owned(), field, amount, relation }),
    }
}

/// The maximum number of counts that are kept.
const MAX_COUNTS: usize = 1 << 14;

/// The numbers of documents that contain one of several terms, for one state of an index.
#[derive(Default)]
pub(crate) struct DocumentCounts(Mutex<HashMap<Vec<u32>, u32>>);

impl DocumentCounts {
    fn get(&self, terms: &[u32]) -> Option<u32> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(terms).copied()
    }

    fn put(&self, terms: Vec<u32>, count: u32) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.len() >= MAX_COUNTS {
            counts.clear();
        }
        counts.insert(terms, count);
    }
}
