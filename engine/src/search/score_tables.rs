//! The saturation of each code of a segment under a model, for the current statistics.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::Error;
use crate::postings::impact_codes::TfAndLength;
use crate::search::bm25::Model;

/// The saturations of one segment, by code.
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
    /// The table of the codes of `pairs`.
    pub fn new(pairs: &[TfAndLength], model: &Model, average: f64) -> Self {
        let exact: Vec<f64> = pairs.iter().map(|&pair| model.saturation(pair, average)).collect();
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

/// Cache of the tables computed last for a state of the index, for one model.
#[derive(Default)]
pub(crate) struct ScoreTableCache(Mutex<Option<(Model, Arc<[Table]>)>>);

impl ScoreTableCache {
    /// The tables under `model`, by segment. Computed outside the lock.
    pub(crate) fn get(
        &self,
        model: &Model,
        compute: impl FnOnce() -> Result<Arc<[Table]>, Error>,
    ) -> Result<Arc<[Table]>, Error> {
        if let Some((_, tables)) = self.kept().as_ref().filter(|(of, _)| of == model) {
            return Ok(Arc::clone(tables));
        }
        let tables = compute()?;
        let replaced = self.kept().replace((*model, Arc::clone(&tables)));
        drop(replaced); // outside the lock
        Ok(tables)
    }

    /// Drops the tables: the state is no longer current. Running searches keep theirs.
    pub(crate) fn forget(&self) {
        let kept = self.kept().take();
        drop(kept); // outside the lock
    }

    fn kept(&self) -> MutexGuard<'_, Option<(Model, Arc<[Table]>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
