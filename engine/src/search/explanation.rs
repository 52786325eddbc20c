//! Why a document has its score.

use crate::error::Error;
use crate::index::segment::Segment;
use crate::index::state::Index;
use crate::search::bm25::Model;

/// What one query term gives to one document.
#[derive(Clone, Debug, PartialEq)]
pub struct TermScore {
    pub term: String,
    /// How often the document holds the term.
    pub tf: u32,
    /// In how many documents the term stands.
    pub df: u32,
    pub idf: f64,
    /// The document's length against the mean, as the parameter b weighs it.
    pub length_norm: f64,
    /// What is added to the document's score.
    pub score: f64,
}

/// For each slot, the terms of `query` that its document holds. Their scores add up to the search's.
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

/// What the term `name` gives to a document, if the document holds it.
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
