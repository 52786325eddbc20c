//! Search by the fields and forms of words (see [`crate::search::field_model`]).

use foldhash::HashMap;

use crate::error::Error;
use crate::index::state::Index;
use crate::search::eligible::Allowed;
use crate::search::field_model::FieldModel;
use crate::search::request::{search_words, Word, WordTerm};
use crate::search::score_tables::Formula;
use crate::search::top_k::Hit;
use crate::search::wholes::WholeScores;
use crate::search::words::{Expansion, FoundTerm, QueryWord, Relation};

/// The number of best documents for which the whole document is scored too; more if more are
/// wanted.
pub const POOL: usize = 200;

/// A search request, apart from the query.
pub struct WordRequest<'a> {
    /// The formula of the score.
    pub model: FieldModel,
    /// The expansion of the words.
    pub expansion: Expansion,
    /// The maximum number of hits; None for all.
    pub limit: Option<usize>,
    /// The documents that may be returned. Statistics do not depend on it.
    pub allowed: Allowed<'a>,
    /// The minimum score of a hit.
    pub min_score: Option<f64>,
    /// For its place, the share of its score that a part keeps for each better part of its whole.
    pub repeat_share: f64,
}

/// A query word with its terms in an index.
pub struct ExpandedWord {
    /// The terms, those with the greatest amount first.
    pub terms: Vec<FoundTerm>,
    /// The number of documents that contain one of its forms.
    pub df: u32,
    /// The factor of the saturation in the score.
    pub weight: f64,
}

/// The words of a query that the index contains, each with its place in the query.
pub fn expand(
    index: &Index,
    query: &[QueryWord],
    model: &FieldModel,
    expansion: &Expansion,
) -> Result<Vec<(usize, ExpandedWord)>, Error> {
    let languages = match &expansion.languages {
        Some(languages) => languages.clone(),
        None => index.languages()?,
    };
    let mut words = Vec::new();
    for (at, word) in query.iter().enumerate() {
        let mut terms = index.expand(word, &languages, expansion)?;
        terms.retain(|term| model.weights[term.field] > 0.0 && term.amount > 0.0);
        let is_form = |term: &&FoundTerm| matches!(term.relation, Relation::Exact | Relation::Form);
        let mut forms: Vec<u32> = terms.iter().filter(is_form).map(|term| term.id).collect();
        if forms.is_empty() {
            forms = terms.iter().map(|term| term.id).collect();
        }
        if !forms.is_empty() {
            let df = index.count_documents(&forms)?;
            let weight = word.weight * model.weight(&index.statistics, df, word.count);
            words.push((at, ExpandedWord { terms, df, weight }));
        }
    }
    Ok(words)
}

/// The best documents that contain a term of a query word.
pub fn search(index: &Index, query: &[QueryWord], request: &WordRequest<'_>) -> Result<Vec<(u64, f64)>, Error> {
    let expanded = expand(index, query, &request.model, &request.expansion)?;
    let words: Vec<Word> = expanded.iter().map(|(_, word)| word.to_search()).collect();
    let formula = Formula::Words(request.model);
    let share = request.model.whole;
    if index.statistics.parts == 0 || share == 0.0 {
        // every document is whole, so its own score and that of the whole are equal
        let min_score = request.min_score.map(|score| score / (1.0 + share));
        let hits = search_words(index, formula, words, request.limit, min_score, request.allowed)?;
        return Ok(hits.into_iter().map(|hit| (hit.doc_id, hit.score * (1.0 + share))).collect());
    }
    let pool = request.limit.map(|limit| limit.max(POOL));
    let mut hits = search_words(index, formula, words, pool, None, request.allowed)?;
    let mut wholes = WholeScores::new(index, request.model, &expanded);
    for hit in &mut hits {
        hit.score += share * wholes.of(hit.doc_id)?.iter().sum::<f64>();
    }
    hits.retain(|hit| request.min_score.is_none_or(|least| hit.score >= least));
    hits.sort_unstable_by(Hit::order);
    if request.repeat_share < 1.0 {
        hits = spread(index, hits, request.repeat_share)?;
    }
    hits.truncate(request.limit.unwrap_or(usize::MAX));
    Ok(hits.into_iter().map(|hit| (hit.doc_id, hit.score)).collect())
}

/// The hits, best first, after each lost a share of its score for each better part of its whole.
fn spread(index: &Index, hits: Vec<Hit>, share: f64) -> Result<Vec<Hit>, Error> {
    let mut better: HashMap<u32, i32> = HashMap::default();
    let mut places = Vec::with_capacity(hits.len());
    for hit in hits {
        let count = index.root_of(hit.doc_id)?.map(|root| better.entry(root).or_default());
        let repeats = count.map_or(0, |count| std::mem::replace(count, *count + 1));
        places.push((hit.score * share.powi(repeats), hit));
    }
    places.sort_by(|(one, _), (other, _)| other.total_cmp(one)); // stable: ties stay in order
    Ok(places.into_iter().map(|(_, hit)| hit).collect())
}

impl ExpandedWord {
    fn to_search(&self) -> Word {
        let term = |term: &FoundTerm| WordTerm { id: term.id, field: term.field, amount: term.amount };
        Word { weight: self.weight, terms: self.terms.iter().map(term).collect() }
    }
}
