//! The keyword index as a Python class. Methods that wait for a lock or compute release the GIL
//! first.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::arguments::{self, Filter, List, Query, Slots, Text, WordQuery, Words};
use super::columns::SlotSet;
use super::records::{Batch, TermScore, WordScore};
use super::snapshot::Snapshot;
use crate::index::batch::Inverter;
use crate::index::layout::{Layout, MAX_FIELDS};
use crate::index::shared_index::SharedIndex;
use crate::index::state::Index;
use crate::search::conditions::find_documents;
use crate::search::explanation::{explain, explain_words};
use crate::search::request::{distinct, search, Request};
use crate::search::vocabulary::Respelling;
use crate::search::word_search::{self, WordRequest};
use crate::search::words::{Expansion, QueryWord};
use crate::text::analyzer::{Analyzer, Tokens};
use crate::text::names::NameFinder;

/// The terms of a query word with their amounts, its count, its weight, and if it is inflected.
type PlainWord = (Vec<(String, f64)>, f64, f64, bool);

/// The first code point of an unknown word in a query, one past its last, and its respellings as
/// (word, edits, documents).
type PlainUnknownWord = (usize, usize, Vec<(String, usize, u32)>);

/// A BM25 index for concurrent readers and one writer.
#[pyclass(frozen, module = "spaniel._engine")]
pub struct KeywordIndex {
    tokens: Tokens,
    shared: SharedIndex,
}

impl KeywordIndex {
    /// The distinct terms of a query.
    fn distinct_terms(&self, query: &Query) -> Vec<String> {
        distinct(match query {
            Query::Text(text) => Analyzer::from(self.tokens).list(text.as_str()),
            Query::Terms(terms) => terms.iter().map(|term| term.as_str().to_owned()).collect(),
        })
    }
}

#[pymethods]
impl KeywordIndex {
    #[new]
    #[pyo3(signature = (tokens = "standard", fields = None))]
    fn new(tokens: &str, fields: Option<usize>) -> PyResult<Self> {
        let layout = match fields {
            None => Layout::default(),
            Some(fields) if (1..=MAX_FIELDS).contains(&fields) => Layout::with_labels(fields),
            Some(fields) => {
                let message = format!("an index has 1 to {MAX_FIELDS} fields, not {fields}");
                return Err(PyValueError::new_err(message));
            }
        };
        let index = Index { layout, ..Index::default() };
        Ok(KeywordIndex { tokens: arguments::tokens(tokens)?, shared: Arc::new(index).into() })
    }

    /// Returns documents prepared for `apply`. The index is not touched.
    #[pyo3(signature = (slots, texts, *, others = None, names = None, roots = None, languages = None))]
    #[allow(clippy::too_many_arguments)] // keyword arguments on the Python side
    fn prepare(
        &self,
        py: Python<'_>,
        slots: Slots,
        texts: List<Words>,
        others: Option<List<List<Words>>>,
        names: Option<List<List<Text>>>,
        roots: Option<List<Option<Text>>>,
        languages: Option<List<Option<Text>>>,
    ) -> PyResult<Batch> {
        let count = slots.0.len();
        let List(others) = others.unwrap_or(List(Vec::new()));
        same_length(count, texts.0.len(), "texts")?;
        for texts in &others {
            same_length(count, texts.0.len(), "texts of a field")?;
        }
        let List(names) = names.unwrap_or(List(Vec::new()));
        for names in &names {
            same_length(count, names.0.len(), "names")?;
        }
        for labels in [&roots, &languages].into_iter().flatten() {
            same_length(count, labels.0.len(), "labels")?;
        }
        let layout = self.shared.read().layout;
        if others.len().max(names.len()) + 1 > layout.fields
            || (!layout.marked && (roots.is_some() || languages.is_some()))
        {
            let message = format!("the index has {} fields, and no more texts can be added", layout.fields);
            return Err(PyValueError::new_err(message));
        }
        let label = |labels: &Option<List<Option<Text>>>, at: usize| {
            labels.as_ref().and_then(|labels| labels.0[at].as_ref().map(|label| label.as_str().to_owned()))
        };
        let batch = py.detach(|| {
            let (mut inverter, mut tokenizer) = (Inverter::new(layout), Analyzer::from(self.tokens));
            let mut finders: Vec<NameFinder> = names.iter().map(|_| NameFinder::default()).collect();
            for (at, &slot) in slots.0.iter().enumerate() {
                for (field, texts) in std::iter::once(&texts).chain(&others).enumerate() {
                    match &texts.0[at] {
                        Words::Text(text) => tokenizer.each(text.as_str(), |token| inverter.token_in(field, token)),
                        Words::Tokens(tokens) => {
                            tokens.iter().for_each(|token| inverter.token_in(field, token.as_str()));
                        }
                    }
                }
                for (field, (texts, finder)) in names.iter().zip(&mut finders).enumerate() {
                    let found = finder.find(texts.0[at].as_str());
                    found.iter().for_each(|name| inverter.name_in(field + 1, name));
                }
                if let Some(root) = label(&roots, at) {
                    inverter.label_root(&root);
                }
                if let Some(language) = label(&languages, at) {
                    inverter.label_language(&language);
                }
                inverter.document(slot)?;
            }
            Ok::<_, crate::error::Error>(inverter.finish())
        });
        Ok(Batch(batch?))
    }

    /// Removes and adds documents, atomically for readers.
    #[pyo3(signature = (removed, added = None, *, tidy = true))]
    fn apply(&self, py: Python<'_>, removed: Slots, added: Option<&Bound<'_, Batch>>, tidy: bool) -> PyResult<()> {
        let added = added.map(|batch| &batch.get().0);
        Ok(py.detach(|| {
            self.shared.apply(&removed.0, added)?;
            if tidy {
                self.shared.tidy(usize::MAX)?;
            }
            Ok::<_, crate::error::Error>(())
        })?)
    }

    /// Runs due merges; returns true if a merge of more than `most` documents was left out.
    #[pyo3(signature = (most = usize::MAX))]
    fn tidy(&self, py: Python<'_>, most: usize) -> PyResult<bool> {
        Ok(py.detach(|| self.shared.tidy(most))?)
    }

    /// Merges the last segments, of `least` to `most` documents, none of which is much larger than
    /// those after it, into one; returns true if there were some.
    fn join(&self, py: Python<'_>, least: usize, most: usize) -> PyResult<bool> {
        Ok(py.detach(|| self.shared.join(least, most))?)
    }

    /// Returns the best documents that contain a term of the query, as (slot, score).
    #[pyo3(signature = (query, *, variant, parameters = None, top_k, allowed = None, min_score = None))]
    #[allow(clippy::too_many_arguments)] // keyword arguments on the Python side
    fn search(
        &self,
        py: Python<'_>,
        query: Query,
        variant: &str,
        parameters: Option<&Bound<'_, PyDict>>,
        top_k: Option<i64>,
        allowed: Option<Filter>,
        min_score: Option<f64>,
    ) -> PyResult<Vec<(u64, f64)>> {
        let limit = arguments::limit(top_k)?;
        let model = arguments::model(variant, parameters)?;
        let hits = py.detach(|| {
            let allowed = arguments::allowed(allowed.as_ref());
            let request = Request { model, limit, allowed, min_score };
            let terms = self.distinct_terms(&query);
            search(&self.shared.read(), &terms, &request)
        });
        Ok(hits?)
    }

    /// Returns, for each slot, the contribution of each query term to its score.
    #[pyo3(signature = (query, slots, *, variant, parameters = None))]
    fn explain(
        &self,
        py: Python<'_>,
        query: Query,
        slots: Slots,
        variant: &str,
        parameters: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Vec<Vec<TermScore>>> {
        let model = arguments::model(variant, parameters)?;
        let explained = py.detach(|| {
            let terms = self.distinct_terms(&query);
            explain(&self.shared.read(), &terms, &slots.0, &model)
        });
        Ok(explained?.into_iter().map(|terms| terms.into_iter().map(TermScore).collect()).collect())
    }

    /// Returns the best documents that contain a word of the query, as (slot, score).
    #[pyo3(signature = (words, *, parameters, languages, top_k, allowed = None, min_score = None, repeat_share = 1.0))]
    #[allow(clippy::too_many_arguments)] // keyword arguments on the Python side
    fn search_words(
        &self,
        py: Python<'_>,
        words: WordQuery,
        parameters: &Bound<'_, PyDict>,
        languages: Option<List<Text>>,
        top_k: Option<i64>,
        allowed: Option<Filter>,
        min_score: Option<f64>,
        repeat_share: f64,
    ) -> PyResult<Vec<(u64, f64)>> {
        let limit = arguments::limit(top_k)?;
        let (model, expansion) = arguments::field_model(parameters, languages)?;
        let hits = py.detach(|| {
            let allowed = arguments::allowed(allowed.as_ref());
            let (index, mut request) =
                (self.shared.read(), WordRequest { model, expansion, limit, allowed, min_score, repeat_share });
            let query = words.resolve(&index, &mut request.expansion)?;
            word_search::search(&index, &query, &request)
        });
        Ok(hits?)
    }

    /// Returns, for each slot, the contribution of each word to its score.
    #[pyo3(signature = (words, slots, *, parameters, languages))]
    fn explain_words(
        &self,
        py: Python<'_>,
        words: WordQuery,
        slots: Slots,
        parameters: &Bound<'_, PyDict>,
        languages: Option<List<Text>>,
    ) -> PyResult<Vec<Vec<WordScore>>> {
        let (model, mut expansion) = arguments::field_model(parameters, languages)?;
        let explained = py.detach(|| {
            let index = self.shared.read();
            let query = words.resolve(&index, &mut expansion)?;
            explain_words(&index, &query, &slots.0, &model, &expansion)
        });
        Ok(explained?.into_iter().map(|words| words.into_iter().map(WordScore).collect()).collect())
    }

    /// Returns the words of a query, without stop words, as (terms with amounts, count, weight,
    /// inflected).
    fn query_words(&self, py: Python<'_>, query: Text, languages: Option<List<Text>>) -> PyResult<Vec<PlainWord>> {
        let languages = arguments::languages(languages)?;
        let words = py.detach(|| {
            let languages = match languages {
                Some(languages) => languages,
                None => self.shared.read().languages()?,
            };
            self.shared.read().query_words(query.as_str(), &languages)
        });
        let plain = |QueryWord { terms, count, weight, inflected }| (terms, count, weight, inflected);
        Ok(words?.into_iter().map(plain).collect())
    }

    /// Returns the slots of the documents that contain at least `least` of some words.
    #[pyo3(signature = (words, *, languages, least, field = None, near = false))]
    fn find_documents(
        &self,
        py: Python<'_>,
        words: WordQuery,
        languages: Option<List<Text>>,
        least: usize,
        field: Option<usize>,
        near: bool,
    ) -> PyResult<SlotSet> {
        let near = if near { 1.0 } else { 0.0 };
        let languages = arguments::languages(languages)?;
        let mut expansion = Expansion { languages, forms: 1.0, near, names: 1.0 };
        let found = py.detach(|| {
            let index = self.shared.read();
            let query = words.resolve(&index, &mut expansion)?;
            find_documents(&index, &query, &expansion, field, least)
        });
        Ok(SlotSet::of(found?))
    }

    /// Returns the names of the languages that label a document.
    fn languages(&self, py: Python<'_>) -> PyResult<Vec<&'static str>> {
        let found = py.detach(|| self.shared.read().languages())?;
        Ok(found.into_iter().map(crate::text::language::Language::name).collect())
    }

    /// Returns the words that begin with a prefix as (word, documents), the most frequent first.
    #[pyo3(signature = (prefix, limit = None))]
    fn words_with_prefix(&self, py: Python<'_>, prefix: Text, limit: Option<usize>) -> PyResult<Vec<(String, u32)>> {
        Ok(py.detach(|| self.shared.read().words_with_prefix(prefix.as_str(), limit))?)
    }

    /// Returns the words of a query that the index does not contain in any form as (start, end,
    /// respellings), each respelling as (word, edits, documents).
    fn unknown_words(
        &self,
        py: Python<'_>,
        query: Text,
        languages: Option<List<Text>>,
    ) -> PyResult<Vec<PlainUnknownWord>> {
        let languages = arguments::languages(languages)?;
        let words = py.detach(|| {
            let index = self.shared.read();
            let languages = languages.map_or_else(|| index.languages(), Ok)?;
            index.unknown_words(query.as_str(), &languages)
        });
        let plain = |found: Respelling| (found.word, found.edits, found.documents);
        Ok(words?
            .into_iter()
            .map(|word| (word.start, word.end, word.respellings.into_iter().map(plain).collect()))
            .collect())
    }

    /// Returns the distinct terms of a document with their frequencies, sorted; marks of fields
    /// included.
    fn terms(&self, py: Python<'_>, slot: u64) -> PyResult<Vec<(String, u32)>> {
        Ok(py.detach(|| self.shared.read().terms_of(slot))?)
    }

    /// Returns an index with the current state, whose memory is shared.
    fn fork(&self) -> KeywordIndex {
        KeywordIndex { tokens: self.tokens, shared: self.shared.read().into() }
    }

    /// Takes the state of the index that this one is a fork of. The old state is freed without the
    /// GIL.
    fn follow(&self, py: Python<'_>, other: &Bound<'_, KeywordIndex>) {
        let other = &other.get().shared;
        py.detach(|| self.shared.follow(other));
    }

    /// Returns collection statistics.
    fn statistics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let statistics = py.detach(|| self.shared.read().statistics.clone());
        let counts = PyDict::new(py);
        counts.set_item("documents", statistics.documents)?;
        counts.set_item("tokens", statistics.tokens[0])?;
        counts.set_item("vocabulary", statistics.vocabulary())?;
        Ok(counts)
    }

    /// Opens the index of a serialized state whose files are in a folder.
    #[staticmethod]
    fn open(py: Python<'_>, folder: PathBuf, state: &[u8]) -> PyResult<KeywordIndex> {
        let (index, tokens) = py.detach(|| crate::persistence::snapshot::open(&folder, state))?;
        Ok(KeywordIndex { tokens, shared: Arc::new(index).into() })
    }

    /// Returns a snapshot of the current state, with the stems of words in some languages.
    #[pyo3(signature = (languages = None))]
    fn snapshot(&self, py: Python<'_>, languages: Option<List<Text>>) -> PyResult<Snapshot> {
        let languages = arguments::languages(languages)?;
        let languages = languages.unwrap_or_default();
        let snapshot = py.detach(|| self.shared.snapshot(&languages))?;
        Ok(Snapshot { snapshot, tokens: self.tokens })
    }

    /// Replaces parts in memory by the files of a snapshot.
    fn adopt(&self, py: Python<'_>, folder: PathBuf, snapshot: &Bound<'_, Snapshot>) -> PyResult<()> {
        let snapshot = &snapshot.get().snapshot;
        Ok(py.detach(|| snapshot.written(&folder).map(|adoption| self.shared.adopt(&adoption)))?)
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        py.detach(|| self.shared.read().len())
    }

    fn __contains__(&self, py: Python<'_>, slot: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(slot) = slot.extract::<u64>() else { return Ok(false) };
        Ok(py.detach(|| self.shared.read().find(slot).map(|found| found.is_some()))?)
    }
}

/// Checks that there is one item of `noun` per slot.
fn same_length(slots: usize, others: usize, noun: &str) -> PyResult<()> {
    if slots == others {
        return Ok(());
    }
    Err(PyValueError::new_err(format!("{slots} slots but {others} {noun}: give one for each slot")))
}
