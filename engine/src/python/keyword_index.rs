//! The keyword index as a Python class. Methods that wait for a lock or compute release the GIL
//! first.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::arguments::{self, Filter, List, Query, Slots, Text};
use super::records::{Batch, TermScore};
use super::snapshot::Snapshot;
use crate::index::batch::Inverter;
use crate::index::shared_index::SharedIndex;
use crate::search::eligible::Allowed;
use crate::search::explanation::explain;
use crate::search::request::{distinct, search, Request};
use crate::text::tokenizer::{Cjk, Tokenizer};

/// A BM25 index for concurrent readers and one writer.
#[pyclass(frozen, module = "spaniel._engine")]
pub struct KeywordIndex {
    cjk: Cjk,
    shared: SharedIndex,
}

impl KeywordIndex {
    /// The distinct terms of a query.
    fn terms(&self, query: &Query) -> Vec<String> {
        distinct(match query {
            Query::Text(text) => Tokenizer::new(self.cjk).list(text.as_str()),
            Query::Terms(terms) => terms.iter().map(|term| term.as_str().to_owned()).collect(),
        })
    }
}

#[pymethods]
impl KeywordIndex {
    #[new]
    #[pyo3(signature = (cjk = "characters"))]
    fn new(cjk: &str) -> PyResult<Self> {
        Ok(KeywordIndex { cjk: arguments::cjk(cjk)?, shared: SharedIndex::default() })
    }

    /// Returns documents prepared for `apply`. The index is not touched.
    fn prepare(&self, py: Python<'_>, slots: Slots, texts: List<Text>) -> PyResult<Batch> {
        same_length(slots.0.len(), texts.0.len(), "texts")?;
        let batch = py.detach(|| {
            let (mut inverter, mut tokenizer) = (Inverter::default(), Tokenizer::new(self.cjk));
            for (&slot, text) in slots.0.iter().zip(&texts.0) {
                tokenizer.each(text.as_str(), |token| inverter.token(token));
                inverter.document(slot)?;
            }
            Ok::<_, crate::error::Error>(inverter.finish())
        });
        Ok(Batch(batch?))
    }

    /// Returns documents prepared for `apply`, from tokens that are used as they are.
    #[allow(clippy::unused_self)] // the counterpart of `prepare`
    fn prepare_tokens(&self, py: Python<'_>, slots: Slots, tokens: List<List<Text>>) -> PyResult<Batch> {
        same_length(slots.0.len(), tokens.0.len(), "lists of tokens")?;
        let batch = py.detach(|| {
            let mut inverter = Inverter::default();
            for (&slot, List(tokens)) in slots.0.iter().zip(&tokens.0) {
                tokens.iter().for_each(|token| inverter.token(token.as_str()));
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
        let limit = top_k.map(usize::try_from).transpose();
        let limit = limit.map_err(|_| {
            PyValueError::new_err(format!("top_k must be 0 or more, not {}", top_k.unwrap_or_default()))
        })?;
        let model = arguments::model(variant, parameters)?;
        let hits = py.detach(|| {
            let allowed = match &allowed {
                None => Allowed::All,
                Some(Filter::Slots(slots)) => Allowed::DocIds(&slots.0),
                Some(Filter::Set(set)) => set.get().allowed(),
                Some(Filter::Selection(selection)) => Allowed::Selection(&selection.get().0),
            };
            let request = Request { model, limit, allowed, min_score };
            let terms = self.terms(&query);
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
            let terms = self.terms(&query);
            explain(&self.shared.read(), &terms, &slots.0, &model)
        });
        Ok(explained?.into_iter().map(|terms| terms.into_iter().map(TermScore).collect()).collect())
    }

    /// Returns an index with the current state, whose memory is shared.
    fn fork(&self) -> KeywordIndex {
        KeywordIndex { cjk: self.cjk, shared: self.shared.read().into() }
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
        counts.set_item("tokens", statistics.tokens)?;
        counts.set_item("vocabulary", statistics.vocabulary())?;
        Ok(counts)
    }

    /// Opens the index of a serialized state whose files are in a folder.
    #[staticmethod]
    fn open(py: Python<'_>, folder: PathBuf, state: &[u8]) -> PyResult<KeywordIndex> {
        let (index, cjk) = py.detach(|| crate::persistence::snapshot::open(&folder, state))?;
        Ok(KeywordIndex { cjk, shared: Arc::new(index).into() })
    }

    /// Returns a snapshot of the current state.
    fn snapshot(&self, py: Python<'_>) -> PyResult<Snapshot> {
        let snapshot = py.detach(|| self.shared.snapshot())?;
        Ok(Snapshot { snapshot, cjk: self.cjk })
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
