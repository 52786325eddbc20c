//! Exact search: looks up the query words, and chooses the faster of the two algorithms.

use std::borrow::Cow;
use std::sync::Arc;

use crate::error::Error;
use crate::index::segment::Segment;
use crate::index::state::Index;
use crate::postings::bits::Bits;
use crate::postings::segment_postings::View;
use crate::search::bm25::Model;
use crate::search::eligible::{eligible, Allowed};
use crate::search::score_tables::{Formula, SegmentTables, Table};
use crate::search::top_k::{Hit, TopK};
use crate::search::{exhaustive, maxscore};

/// A search request, apart from the query terms.
pub struct Request<'a> {
    /// The BM25 variant and its parameters.
    pub model: Model,
    /// The maximum number of hits; None for all.
    pub limit: Option<usize>,
    /// The documents that may be returned. Statistics do not depend on it.
    pub allowed: Allowed<'a>,
    /// The minimum score of a hit.
    pub min_score: Option<f64>,
}

/// A query word: a set of terms.
pub(crate) struct Word {
    /// The factor of the saturation in the score.
    pub(crate) weight: f64,
    /// In the order of summation.
    pub(crate) terms: Vec<WordTerm>,
}

/// A term of a query word.
pub(crate) struct WordTerm {
    /// Term id.
    pub(crate) id: u32,
    /// The field of the term.
    pub(crate) field: usize,
    /// The amount that an occurrence counts, from 0 to 1.
    pub(crate) amount: f64,
}

/// A query with everything that its search needs from the index.
pub(crate) struct Prepared<'a> {
    /// The state that is searched.
    pub(crate) index: &'a Index,
    pub(crate) formula: Formula,
    /// The maximum number of hits; None for all.
    pub(crate) limit: Option<usize>,
    /// The minimum score of a hit.
    pub(crate) min_score: Option<f64>,
    /// In the order of summation.
    pub(crate) words: Vec<Word>,
    /// By segment.
    pub(crate) tables: Arc<[SegmentTables]>,
    /// The documents that may be returned, by segment; None for all.
    pub(crate) eligible: Vec<Option<Cow<'a, Bits>>>,
}

/// A query word in a segment, with at least one posting list.
pub(crate) struct WordLists<'a> {
    pub(crate) weight: f64,
    /// Saturation of the amounts that are added up over the lists; None if there is one list, with
    /// saturations.
    pub(crate) k1: Option<f64>,
    pub(crate) lists: Vec<TermList<'a>>,
}

/// The postings of a term of a query word.
pub(crate) struct TermList<'a> {
    pub(crate) view: View<'a>,
    pub(crate) amount: f64,
    pub(crate) table: &'a Table,
}

/// The best documents that contain a term of `query` (distinct terms, in the order of summation).
pub fn search(index: &Index, query: &[String], request: &Request<'_>) -> Result<Vec<(u64, f64)>, Error> {
    let mut words = Vec::new();
    for name in query {
        if let Some((id, df)) = index.term(name)? {
            let weight = request.model.idf(&index.statistics, df);
            words.push(Word { weight, terms: vec![WordTerm { id, field: 0, amount: 1.0 }] });
        }
    }
    let formula = Formula::Terms(request.model);
    let hits = search_words(index, formula, words, request.limit, request.min_score, request.allowed)?;
    Ok(hits.into_iter().map(|hit| (hit.doc_id, hit.score)).collect())
}

/// The best documents that contain a term of a word, by the sum over the words.
pub(crate) fn search_words(
    index: &Index,
    formula: Formula,
    words: Vec<Word>,
    limit: Option<usize>,
    min_score: Option<f64>,
    allowed: Allowed<'_>,
) -> Result<Vec<Hit>, Error> {
    if words.is_empty() || limit == Some(0) {
        return Ok(Vec::new());
    }
    let (tables, eligible) = (index.tables(&formula)?, eligible(index, allowed)?);
    let prepared = Prepared { index, formula, limit, min_score, words, tables, eligible };
    let mut top = TopK::new(limit, min_score);
    if !maxscore::search(&prepared, &mut top)? {
        exhaustive::search(&prepared, &mut top)?;
    }
    Ok(top.into_sorted())
}

impl Prepared<'_> {
    /// The posting lists of the words in a segment; words without any are left out.
    pub(crate) fn lists(&self, at: usize) -> Result<Vec<WordLists<'_>>, Error> {
        let (segment, SegmentTables(tables)) = (&self.index.segments[at], &self.tables[at]);
        let mut found = Vec::with_capacity(self.words.len());
        for word in &self.words {
            let terms: Vec<(u32, &WordTerm)> = word.terms_in(segment)?;
            let k1 = match (self.formula, &terms[..]) {
                (_, []) => continue,
                (Formula::Words(_), [(_, only)]) if only.amount == 1.0 => None,
                (Formula::Words(model), _) => Some(model.k1),
                (Formula::Terms(_), _) => None,
            };
            let list = |(ordinal, term): (u32, &WordTerm)| {
                let tables = &tables[term.field];
                let table = if k1.is_some() { &tables.amounts } else { &tables.saturated };
                Ok(TermList { view: segment.postings.view(ordinal)?, amount: term.amount, table })
            };
            let lists = terms.into_iter().map(list).collect::<Result<_, Error>>()?;
            found.push(WordLists { weight: word.weight, k1, lists });
        }
        Ok(found)
    }
}

impl Word {
    /// The terms that occur in a segment, each with its ordinal there.
    fn terms_in(&self, segment: &Segment) -> Result<Vec<(u32, &WordTerm)>, Error> {
        let mut found = Vec::with_capacity(self.terms.len());
        for term in &self.terms {
            if let Some(ordinal) = segment.ordinal(term.id)? {
                found.push((ordinal, term));
            }
        }
        Ok(found)
    }
}

impl WordLists<'_> {
    /// The contribution of the word to the score of a document, by the code of each list in it.
    #[inline]
    pub(crate) fn contribution(&self, code: impl Fn(&View<'_>) -> Option<u16>) -> f64 {
        let value =
            |list: &TermList<'_>| code(&list.view).map_or(0.0, |code| list.amount * list.table.exact[code as usize]);
        let sum = self.lists.iter().fold(0.0, |sum, list| sum + value(list));
        self.weight * self.k1.map_or(sum, |k1| sum / (k1 + sum))
    }
}

/// The distinct terms of a query, in order of first appearance.
pub fn distinct(terms: Vec<String>) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    let first: Vec<bool> = terms.iter().map(|term| seen.insert(term.as_str())).collect();
    let mut first = first.into_iter();
    terms.into_iter().filter(|_| first.next() == Some(true)).collect()
}
