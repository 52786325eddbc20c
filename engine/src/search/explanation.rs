//! Explanation of a score by its terms.

use crate::error::Error;
use crate::index::segment::Segment;
use crate::index::state::Index;
use crate::search::bm25::Model;
use crate::search::field_model::FieldModel;
use crate::search::wholes::WholeScores;
use crate::search::word_search::expand;
use crate::search::words::{Expansion, FoundTerm, QueryWord};

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
    let average = index.statistics.average_length(0);
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

/// The contribution of one query word to the score of one document.
#[derive(Clone, Debug, PartialEq)]
pub struct WordScore {
    /// The place of the word in the query.
    pub word: usize,
    /// The number of documents that contain a form of the word.
    pub df: u32,
    /// The contribution to the score, with that of the whole document.
    pub score: f64,
    /// The share of the whole document in it.
    pub whole: f64,
    /// The terms of the word that the document contains, each with its frequency.
    pub terms: Vec<(FoundTerm, u32)>,
}

/// For each document id, the words that the document, or the whole that it is a part of, contains.
/// Their contributions add up to the score of the search.
pub fn explain_words(
    index: &Index,
    query: &[QueryWord],
    doc_ids: &[u64],
    model: &FieldModel,
    expansion: &Expansion,
) -> Result<Vec<Vec<WordScore>>, Error> {
    let words = expand(index, query, model, expansion)?;
    let mut wholes = WholeScores::new(index, *model, &words);
    let mut explained = Vec::with_capacity(doc_ids.len());
    for &doc_id in doc_ids {
        let (at, document) = index.find(doc_id)?.ok_or(Error::UnknownDocId(doc_id))?;
        let segment = &index.segments[at];
        let mut scores = Vec::new();
        for ((word, expanded), whole) in words.iter().zip(wholes.of(doc_id)?) {
            let (mut amount, mut terms) = (0.0, Vec::new());
            for term in &expanded.terms {
                let Some(ordinal) = segment.ordinal(term.id)? else { continue };
                if let Some(pair) = segment.postings.pair(ordinal, document)? {
                    amount += term.amount * model.amount(term.field, pair, index.statistics.average_length(term.field));
                    terms.push((term.clone(), pair.frequency));
                }
            }
            let whole = model.whole * whole;
            let score = expanded.weight * model.saturate(amount) + whole;
            if score > 0.0 {
                scores.push(WordScore { word: *word, df: expanded.df, score, whole, terms });
            }
        }
        explained.push(scores);
    }
    Ok(explained)
}
