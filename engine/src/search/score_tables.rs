//! The contribution of each code of a segment under a formula, for the current statistics.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::Error;
use crate::index::statistics::Statistics;
use crate::postings::impact_codes::TfAndLength;
use crate::search::bm25::Model;
use crate::search::field_model::FieldModel;

/// A formula of scores.
#[derive(Clone, Copy, PartialEq)]
pub enum Formula {
    /// A variant of BM25: a word is one term of one field.
    Terms(Model),
    /// A word is a weighted set of terms in several fields.
    Words(FieldModel),
}

/// One number for each code.
#[derive(Debug)]
pub struct Table {
    pub exact: Vec<f64>,
    pub rough: Vec<f32>,
    /// Running maximum of `rough`: the bound of a window with this maximum code.
    pub bounds: Vec<f32>,
    pub least: f64,
    pub most: f64,
}

impl Table {
    /// The table of these numbers.
    pub fn new(exact: Vec<f64>) -> Self {
        let rough: Vec<f32> = exact.iter().map(|&x| x as f32).collect();
        let mut bound = f32::NEG_INFINITY;
        let bounds = rough.iter().map(|&x| {
            bound = bound.max(x);
            bound
        });
        Table {
            bounds: bounds.collect(),
            least: exact.iter().copied().fold(f64::INFINITY, f64::min),
            most: exact.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            exact,
            rough,
        }
    }
}

/// The tables of a field in a segment.
#[derive(Debug)]
pub struct FieldTables {
    /// Saturations of a single term.
    pub saturated: Table,
    /// Amounts, to be added up over the terms of a word; empty if a word is one term.
    pub amounts: Table,
}

/// The tables of a segment, by field.
#[derive(Debug)]
pub struct SegmentTables(pub Vec<FieldTables>);

impl SegmentTables {
    /// The tables of the codes of `pairs`, for `fields` fields.
    pub fn new(pairs: &[TfAndLength], formula: &Formula, statistics: &Statistics, fields: usize) -> Self {
        SegmentTables(match formula {
            Formula::Terms(model) => {
                let average = statistics.average_length(0);
                let saturations = pairs.iter().map(|&pair| model.saturation(pair, average)).collect();
                vec![FieldTables { saturated: Table::new(saturations), amounts: Table::new(Vec::new()) }]
            }
            Formula::Words(model) => (0..fields)
                .map(|field| {
                    let average = statistics.average_length(field);
                    let amounts: Vec<f64> = pairs.iter().map(|&pair| model.amount(field, pair, average)).collect();
                    let saturations = amounts.iter().map(|&amount| model.saturate(amount)).collect();
                    FieldTables { saturated: Table::new(saturations), amounts: Table::new(amounts) }
                })
                .collect(),
        })
    }
}

/// Cache of the tables computed last for a state of the index, for one formula.
#[derive(Default)]
pub(crate) struct ScoreTableCache(Mutex<Option<(Formula, Arc<[SegmentTables]>)>>);

impl ScoreTableCache {
    /// The tables under `formula`, by segment. Computed outside the lock.
    pub(crate) fn get(
        &self,
        formula: &Formula,
        compute: impl FnOnce() -> Result<Arc<[SegmentTables]>, Error>,
    ) -> Result<Arc<[SegmentTables]>, Error> {
        if let Some((_, tables)) = self.kept().as_ref().filter(|(of, _)| of == formula) {
            return Ok(Arc::clone(tables));
        }
        let tables = compute()?;
        let replaced = self.kept().replace((*formula, Arc::clone(&tables)));
        drop(replaced); // outside the lock
        Ok(tables)
    }

    /// Drops the tables: the state is no longer current. Running searches keep theirs.
    pub(crate) fn forget(&self) {
        let kept = self.kept().take();
        drop(kept); // outside the lock
    }

    fn kept(&self) -> MutexGuard<'_, Option<(Formula, Arc<[SegmentTables]>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
