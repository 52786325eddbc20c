//! Exact search: looks up the query terms, and chooses the faster of the two algorithms.

use std::borrow::Cow;
use std::sync::Arc;

use crate::error::Error;
use crate::index::state::Index;
use crate::postings::bits::Bits;
use crate::search::bm25::Model;
use crate::search::eligible::{eligible, Allowed};
use crate::search::score_tables::Table;
use crate::search::top_k::TopK;
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

/// A query term that the index contains.
pub struct QueryTerm {
    /// Term id.
    pub id: u32,
    /// The weight of the term in the collection.
    pub idf: f64,
}

/// A query with everything that its search needs from the index.
pub struct Prepared<'a> {
    /// The state that is searched.
    pub index: &'a Index,
    /// The request.
    pub request: &'a Request<'a>,
    /// Distinct, in the order of summation.
    pub terms: Vec<QueryTerm>,
    /// By segment.
    pub tables: Arc<[Table]>,
    /// The documents that may be returned, by segment; None for all.
    pub eligible: Vec<Option<Cow<'a, Bits>>>,
}

/// The best documents that contain a term of `query` (distinct terms, in the order of summation).
pub fn search(index: &Index, query: &[String], request: &Request<'_>) -> Result<Vec<(u64, f64)>, Error> {
    let mut terms = Vec::new();
    for name in query {
        if let Some((id, df)) = index.term(name)? {
            terms.push(QueryTerm { id, idf: request.model.idf(&index.statistics, df) });
        }
    }
    if terms.is_empty() || request.limit == Some(0) {
        return Ok(Vec::new());
    }
    let (tables, eligible) = (index.tables(&request.model)?, eligible(index, request.allowed)?);
    let prepared = Prepared { index, request, terms, tables, eligible };
    let mut top = TopK::new(request.limit, request.min_score);
    if !maxscore::search(&prepared, &mut top)? {
        exhaustive::search(&prepared, &mut top)?;
    }
    Ok(top.into_sorted().into_iter().map(|hit| (hit.doc_id, hit.score)).collect())
}

/// The distinct terms of a query, in order of first appearance.
pub fn distinct(terms: Vec<String>) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    let first: Vec<bool> = terms.iter().map(|term| seen.insert(term.as_str())).collect();
    let mut first = first.into_iter();
    terms.into_iter().filter(|_| first.next() == Some(true)).collect()
}
