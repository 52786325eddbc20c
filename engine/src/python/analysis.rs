//! Text analysis: index terms, query words, stems, languages.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::arguments::{List, Text};
use crate::terms::keys;
use crate::text::language::{detect, Language};
use crate::text::query;
use crate::text::spans::word_spans as find_spans;
use crate::text::tokenizer::{Cjk, Tokenizer};
use crate::text::words::WordTokenizer;

/// A word of a query.
#[pyclass(frozen, eq, get_all, module = "spaniel._engine")]
#[derive(PartialEq)]
pub struct QueryWord {
    term: String,
    count: u32,
    weight: f64,
    alternatives: Vec<(String, f64)>,
    start: usize,
    end: usize,
    is_capitalised: bool,
}

#[pymethods]
impl QueryWord {
    fn __repr__(&self) -> String {
        let QueryWord { term, count, weight, alternatives, .. } = self;
        format!("QueryWord({term:?}, count={count}, weight={weight}, alternatives={alternatives:?})")
    }
}

impl From<query::QueryWord> for QueryWord {
    fn from(word: query::QueryWord) -> Self {
        let query::QueryWord { term, count, weight, alternatives, start, end, is_capitalised } = word;
        QueryWord { term, count, weight, alternatives, start, end, is_capitalised }
    }
}

fn language(name: &str) -> PyResult<Language> {
    Language::by_name(name).ok_or_else(|| {
        let names: Vec<_> = Language::ALL.iter().map(|language| language.name()).collect();
        PyValueError::new_err(format!("language must be one of {}, got '{name}'.", names.join(", ")))
    })
}

/// Returns the index terms of a text.
#[pyfunction]
pub(crate) fn analyze(py: Python<'_>, text: Text, analyzer: &str) -> PyResult<Vec<String>> {
    if analyzer == "standard" {
        return Ok(py.detach(|| Tokenizer::new(Cjk::Characters).list(text.as_str())));
    }
    if analyzer != "auto" && Language::by_name(analyzer).is_none() {
        let message = format!("analyzer must be standard, auto or the name of a language, got '{analyzer}'.");
        return Err(PyValueError::new_err(message));
    }
    Ok(py.detach(|| WordTokenizer::default().list(text.as_str())))
}

/// Returns the index terms of a text with their code-point offsets in it.
#[pyfunction]
pub(crate) fn word_spans(py: Python<'_>, text: Text) -> Vec<(String, usize, usize)> {
    let spans = py.detach(|| find_spans(text.as_str()));
    spans.into_iter().map(|span| (span.term, span.start, span.end)).collect()
}

/// Returns the words of a text one after the other, for phrases: an identifier is one word.
#[pyfunction]
pub(crate) fn word_sequence(py: Python<'_>, text: Text) -> Vec<String> {
    py.detach(|| WordTokenizer::default().sequence(text.as_str()))
}

/// Returns the words of a query.
#[pyfunction]
pub(crate) fn query_words(text: Text, languages: List<Text>) -> PyResult<Vec<QueryWord>> {
    let languages = languages.0.iter().map(|name| language(name.as_str())).collect::<PyResult<Vec<_>>>()?;
    Ok(query::query_words(text.as_str(), &languages).into_iter().map(QueryWord::from).collect())
}

/// Returns the stem of an index term.
#[pyfunction]
pub(crate) fn stem(word: Text, language: &str) -> PyResult<String> {
    Ok(keys::stem(self::language(language)?, word.as_str()).into_owned())
}

/// Returns the language of a text.
#[pyfunction]
pub(crate) fn detect_language(py: Python<'_>, text: Text) -> Option<&'static str> {
    py.detach(|| detect(text.as_str())).map(Language::name)
}

/// Returns the names of all languages.
#[pyfunction]
pub(crate) fn languages() -> Vec<&'static str> {
    Language::ALL.iter().map(|language| language.name()).collect()
}
