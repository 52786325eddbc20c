//! Conversion of Python arguments, and functions without state.

use pyo3::buffer::{Element, PyBuffer};
use pyo3::exceptions::{
    PyBufferError, PyKeyError, PyMemoryError, PyOSError, PyRuntimeError, PyTypeError, PyValueError,
};
use pyo3::ffi::PySequence_Check;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyBytes, PyDict, PyString};

use super::columns::SlotSet;
use super::records::Selection;
use crate::error::Error;
use crate::index::state::Index;
use crate::search::bm25::{Model, Parameters, VARIANTS};
use crate::search::eligible::Allowed;
use crate::search::field_model::FieldModel;
use crate::search::words::{Expansion, QueryWord};
use crate::text::analyzer::Tokens;
use crate::text::language::Language;
use crate::text::spans;
use crate::text::tokenizer::{Cjk, Tokenizer};

pyo3::import_exception!(spaniel.errors, DamagedIndexError);
pyo3::import_exception!(spaniel.errors, IndexVersionError);

impl From<Error> for PyErr {
    fn from(error: Error) -> PyErr {
        let message = error.to_string();
        match error {
            Error::UnknownDocId(_) => PyKeyError::new_err(message),
            Error::DocIdOrder { .. } | Error::Full | Error::OtherFields => PyValueError::new_err(message),
            Error::Incomplete | Error::Outdated => PyRuntimeError::new_err(message),
            Error::Damaged(_) => DamagedIndexError::new_err(message),
            Error::Version(_) => IndexVersionError::new_err(message),
            Error::Unreadable { errno, fault } => PyOSError::new_err((errno, fault.problem, fault.file)),
        }
    }
}

/// A `str`, borrowed if possible. A lone surrogate, which Rust can't represent, becomes U+FFFD: one
/// code point, and not part of a word either.
pub(crate) enum Text {
    Borrowed(PyBackedStr),
    Mended(String),
}

impl Text {
    /// The text.
    pub(crate) fn as_str(&self) -> &str {
        match self {
            Text::Borrowed(text) => text,
            Text::Mended(text) => text,
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for Text {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let text = object.cast::<PyString>()?.to_owned();
        match PyBackedStr::try_from(text.clone()) {
            Ok(borrowed) => Ok(Text::Borrowed(borrowed)),
            Err(_) => without_surrogates(&text).map(Text::Mended),
        }
    }
}

/// `text` with surrogates replaced by U+FFFD. Both take three bytes, of which only a surrogate's
/// begin ED A0..BF.
fn without_surrogates(text: &Bound<'_, PyString>) -> PyResult<String> {
    let encoded = text.call_method1("encode", ("utf-8", "surrogatepass"))?;
    let mut bytes = encoded.cast::<PyBytes>()?.as_bytes().to_vec();
    for at in 0..bytes.len().saturating_sub(2) {
        if bytes[at] == 0xED && bytes[at + 1] >= 0xA0 {
            bytes[at..at + 3].copy_from_slice("\u{FFFD}".as_bytes());
        }
    }
    Ok(String::from_utf8(bytes)?)
}

/// The items of a sequence.
pub(crate) struct List<T>(pub Vec<T>);

impl<'py, T: FromPyObjectOwned<'py>> FromPyObject<'_, 'py> for List<T> {
    type Error = PyErr;

    /// Like `Vec`, but the length a sequence reports is not trusted: it can be any number.
    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        // SAFETY: the object is alive, and the GIL is held.
        let is_sequence = unsafe { PySequence_Check(object.as_ptr()) } == 1;
        if !is_sequence || object.is_instance_of::<PyString>() {
            let kind = object.get_type();
            return Err(PyTypeError::new_err(format!("a sequence such as a list is needed, not {kind}")));
        }
        let len = object.len()?;
        let mut items = room(len)?;
        for item in object.try_iter()? {
            if items.len() == len {
                return Err(PyValueError::new_err(format!("the sequence has more items than its length of {len}")));
            }
            items.push(item?.extract().map_err(Into::into)?);
        }
        Ok(List(items))
    }
}

/// An empty list with capacity for `len` items.
fn room<T>(len: usize) -> PyResult<Vec<T>> {
    let mut items = Vec::new();
    let message = |_| PyMemoryError::new_err(format!("{len} items are more than fit into memory: pass fewer at once"));
    items.try_reserve_exact(len).map_err(message)?;
    Ok(items)
}

/// A buffer of numbers in the byte order of this machine.
pub(crate) fn native<T: Element>(object: &Bound<'_, PyAny>) -> PyResult<PyBuffer<T>> {
    let buffer = PyBuffer::get(object)?;
    let foreign: &[u8] = if cfg!(target_endian = "little") { b">!" } else { b"<" };
    if buffer.format().to_bytes().first().is_some_and(|order| foreign.contains(order)) {
        return Err(PyBufferError::new_err(
            "the numbers are in the byte order of another kind of machine: convert them",
        ));
    }
    Ok(buffer)
}

/// Numbers: a buffer of them, or else any sequence of integers.
pub(crate) fn numbers<'py, T: Element + FromPyObjectOwned<'py>>(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Vec<T>> {
    let Ok(buffer) = native(&object) else { return object.extract().map(|List(numbers)| numbers) };
    room::<T>(buffer.item_count())?; // a few bytes can be repeated to any length
    buffer.to_vec(object.py())
}

/// A query: text to tokenize, or terms used as they are.
pub(crate) enum Query {
    Text(Text),
    Terms(Vec<Text>),
}

impl<'py> FromPyObject<'_, 'py> for Query {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if object.is_instance_of::<PyString>() {
            return object.extract().map(Query::Text);
        }
        object.extract().map(|List(terms)| Query::Terms(terms)).map_err(|error| {
            let kind = object.get_type();
            PyTypeError::new_err(format!("a query is a str or a list of str, not {kind}: {error}"))
        })
    }
}

/// The words of a text: text to tokenize, or tokens used as they are.
pub(crate) enum Words {
    Text(Text),
    Tokens(Vec<Text>),
}

impl<'py> FromPyObject<'_, 'py> for Words {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if object.is_instance_of::<PyString>() {
            return object.extract().map(Words::Text);
        }
        object.extract().map(|List(tokens)| Words::Tokens(tokens))
    }
}

/// A query word as (terms with their amounts, count, weight, true if it is inflected).
pub(crate) struct Word(pub QueryWord);

impl<'py> FromPyObject<'_, 'py> for Word {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let (List(terms), count, weight, inflected): (List<(Text, f64)>, f64, f64, bool) = object.extract()?;
        let amount =
            |(term, amount): (Text, f64)| Ok((term.as_str().to_owned(), limited("amount", amount, 0.0..=1.0)?));
        let terms = terms.into_iter().map(amount).collect::<PyResult<_>>()?;
        let count = limited("count", count, 0.0..=MOST)?;
        Ok(Word(QueryWord { terms, count, weight: limited("weight", weight, 0.0..=MOST)?, inflected }))
    }
}

/// A query of words: text, or words.
pub(crate) enum WordQuery {
    Text(Text),
    Words(Vec<QueryWord>),
}

impl<'py> FromPyObject<'_, 'py> for WordQuery {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if object.is_instance_of::<PyString>() {
            return object.extract().map(WordQuery::Text);
        }
        let List(words): List<Word> = object.extract()?;
        Ok(WordQuery::Words(words.into_iter().map(|word| word.0).collect()))
    }
}

impl WordQuery {
    /// The words, and the languages of their stems if those of the documents are wanted.
    pub(crate) fn resolve(self, index: &Index, expansion: &mut Expansion) -> Result<Vec<QueryWord>, Error> {
        match self {
            WordQuery::Words(words) => Ok(words),
            WordQuery::Text(text) => {
                let languages = match expansion.languages.take() {
                    Some(languages) => languages,
                    None => index.languages()?,
                };
                let words = index.query_words(text.as_str(), &languages)?;
                expansion.languages = Some(languages);
                Ok(words)
            }
        }
    }
}

/// Document ids (slots), 64 bits each.
pub(crate) struct Slots(pub Vec<u64>);

impl<'py> FromPyObject<'_, 'py> for Slots {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        numbers(object).map(Slots)
    }
}

/// The documents that a search may return.
pub(crate) enum Filter {
    Slots(Slots),
    Set(Py<SlotSet>),
    Selection(Py<Selection>),
}

impl<'py> FromPyObject<'_, 'py> for Filter {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(selection) = object.cast::<Selection>() {
            return Ok(Filter::Selection(selection.to_owned().unbind()));
        }
        match object.cast::<SlotSet>() {
            Ok(set) => Ok(Filter::Set(set.to_owned().unbind())),
            Err(_) => object.extract().map(Filter::Slots),
        }
    }
}

/// The documents that a filter allows.
pub(crate) fn allowed(filter: Option<&Filter>) -> Allowed<'_> {
    match filter {
        None => Allowed::All,
        Some(Filter::Slots(slots)) => Allowed::DocIds(&slots.0),
        Some(Filter::Set(set)) => set.get().allowed(),
        Some(Filter::Selection(selection)) => Allowed::Selection(&selection.get().0),
    }
}

/// The number of hits that `top_k` limits.
pub(crate) fn limit(top_k: Option<i64>) -> PyResult<Option<usize>> {
    top_k
        .map(usize::try_from)
        .transpose()
        .map_err(|_| PyValueError::new_err(format!("top_k must be 0 or more, not {}", top_k.unwrap_or_default())))
}

/// The greatest parameter of a formula: products of several are finite.
const MOST: f64 = 1e6;

/// A number between two limits.
fn limited(name: &str, number: f64, limits: std::ops::RangeInclusive<f64>) -> PyResult<f64> {
    if limits.contains(&number) {
        return Ok(number);
    }
    let (least, most) = limits.into_inner();
    Err(PyValueError::new_err(format!("{name} must be from {least} to {most}, not {number}")))
}

/// The formula and the expansion of words with these parameters; the default of each that is not
/// given.
pub(crate) fn field_model(
    parameters: &Bound<'_, PyDict>,
    languages: Option<List<Text>>,
) -> PyResult<(FieldModel, Expansion)> {
    let mut model = FieldModel::default();
    let (mut forms, mut near, mut names) = (0.4, 0.5, 4.0);
    for (name, value) in parameters {
        match name.extract::<&str>()? {
            "k1" => model.k1 = limited("k1", value.extract()?, 1e-3..=MOST)?,
            "k3" => model.k3 = limited("k3", value.extract()?, 0.0..=MOST)?,
            "whole" => model.whole = limited("whole", value.extract()?, 0.0..=MOST)?,
            "forms" => forms = limited("forms", value.extract()?, 0.0..=1.0)?,
            "near" => near = limited("near", value.extract()?, 0.0..=1.0)?,
            "names" => names = limited("names", value.extract()?, 0.0..=MOST)?,
            "weights" => {
                for (place, weight) in model.weights.iter_mut().zip(value.extract::<List<f64>>()?.0) {
                    *place = limited("weight", weight, 0.0..=MOST)?;
                }
            }
            "b" => {
                for (place, b) in model.b.iter_mut().zip(value.extract::<List<f64>>()?.0) {
                    *place = limited("b", b, 0.0..=1.0)?;
                }
            }
            other => return Err(PyValueError::new_err(format!("unknown parameter '{other}'"))),
        }
    }
    Ok((model, Expansion { languages: self::languages(languages)?, forms, near, names }))
}

/// The languages of these names.
pub(crate) fn languages(names: Option<List<Text>>) -> PyResult<Option<Vec<Language>>> {
    let by_name = |name: Text| {
        let unknown = || PyValueError::new_err(format!("unknown language '{}'", name.as_str()));
        Language::by_name(name.as_str()).ok_or_else(unknown)
    };
    names.map(|List(names)| names.into_iter().map(by_name).collect()).transpose()
}

/// The tokens called `name`.
pub(crate) fn tokens(name: &str) -> PyResult<Tokens> {
    Tokens::by_name(name).ok_or_else(|| {
        let names: Vec<_> = Tokens::NAMES.iter().map(|(name, _)| format!("'{name}'")).collect();
        PyValueError::new_err(format!("tokens are {}, not '{name}'", names.join(" or ")))
    })
}

/// The CJK mode called `name`.
pub(crate) fn cjk(name: &str) -> PyResult<Cjk> {
    let found = Cjk::NAMES.iter().find(|(known, _)| *known == name);
    found.map(|&(_, mode)| mode).ok_or_else(|| {
        let names: Vec<_> = Cjk::NAMES.iter().map(|(name, _)| format!("'{name}'")).collect();
        PyValueError::new_err(format!("cjk is {}, not '{name}'", names.join(" or ")))
    })
}

/// The variant called `name` with those `parameters` that it has; others are ignored.
pub(crate) fn model(name: &str, parameters: Option<&Bound<'_, PyDict>>) -> PyResult<Model> {
    let mut model = Model::by_name(name).ok_or_else(|| {
        let names: Vec<_> = VARIANTS.iter().map(|variant| variant.name).collect();
        PyValueError::new_err(format!("unknown BM25 variant '{name}': choose one of {}", names.join(", ")))
    })?;
    for name in Parameters::NAMES {
        let given = parameters.map(|given| given.get_item(name)).transpose()?.flatten();
        if let (Some(given), Some(parameter)) = (given, model.parameters.by_name(name)) {
            *parameter = given.extract()?;
        }
    }
    Ok(model)
}

/// Returns the tokens of a text.
#[pyfunction]
#[pyo3(signature = (text, cjk = "characters"))]
pub(crate) fn tokenize(py: Python<'_>, text: Text, cjk: &str) -> PyResult<Vec<String>> {
    let mut tokenizer = Tokenizer::new(self::cjk(cjk)?);
    Ok(py.detach(|| tokenizer.list(text.as_str())))
}

/// Returns the tokens of a text with their code-point offsets in it.
#[pyfunction]
#[pyo3(signature = (text, cjk = "characters"))]
pub(crate) fn token_spans(py: Python<'_>, text: Text, cjk: &str) -> PyResult<Vec<(String, usize, usize)>> {
    let cjk = self::cjk(cjk)?;
    let spans = py.detach(|| spans::spans(text.as_str(), cjk));
    Ok(spans.into_iter().map(|span| (span.token, span.start, span.end)).collect())
}
