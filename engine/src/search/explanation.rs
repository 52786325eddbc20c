//! Explanation of a score by its terms.

use crate::error::Error;
use crate::index::segment::Segment;
use crate::index::state::Index;
use crate::search::bm25::Model;

/// The contribution of one query term to the score of one document.
#[derive(Clone, Debug, PartialEq)]
pub struct TermScore {
    /// The term, as the index stores it.
    pub term: String,
    /// The term frequency in the document.
    pub tf: u32,
    /// The document frequency of the term.
    pub df: u32,
    /// The weight of the term in the collection.
    pub idf: f64,
    /// The document length relative to the mean, weighted by the parameter b.
    pub length_norm: f64,
    /// The contribution to the score.
    pub score: f64,
}

/// For each document id, the terms of `query` that the document contains. Their contributions add
/// up to the score of the search.
pub fn explain(index: &Index, query: &[String], doc_ids: &[u64], model: &Model) -> Result<Vec<Vec<TermScore>>, Error> {
    doc_ids
        .iter()
        .map(|&doc_id| {
            let (segment, document) = index.find(doc_id)?.ok_or(Error::UnknownDocId(doc_id))?;
            let segment = &index.segments[segment];
            query.iter().filter_map(|name| term_score(index, segment, name, document, model).transpose()).collect()
        })
        .collect()
}

/// The contribution of the term `name` to a document, if the document contains it.
fn term_score(
    index: &Index,
    segment: &Segment,
    name: &str,
    document: u32,
    model: &Model,
) -> Result<Option<TermScore>, Error> {
    let Some((term, df)) = index.term(name)? else { return Ok(None) };
    let Some(ordinal) = segment.ordinal(term)? else { return Ok(None) };
    let Some(pair) = segment.postings.pair(ordinal, document)? else { return Ok(None) };
    let average = index.statistics.average_length();
    let idf = model.idf(&index.statistics, df);
    Ok(Some(TermScore {
        term: name.to_owned(),
        tf: pair.frequency,
        df,
        idf,
        length_norm: model.norm(pair.length, average),
        score: idf * model.saturation(pair, average),
    }))
}
