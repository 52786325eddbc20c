//! What each code of a segment is worth under a model, for the statistics as they are.

use std::sync::{Arc, Mutex, PoisonError};

use crate::bm25::Model;
use crate::error::Error;
use crate::pairs::Pair;

/// The saturations of one segment, by code.
#[derive(Debug)]
pub struct Table {
    pub exact: Vec<f64>,
    pub rough: Vec<f32>,
    /// The greatest of `rough` up to each code: a bound for a window whose greatest code it is.
    pub bounds: Vec<f32>,
    pub least: f64,
    pub most: f64,
}

impl Table {
    /// The table of codes that stand for `pairs`.
    pub fn new(pairs: &[Pair], model: &Model, average: f64) -> Self {
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

/// The tables last computed, kept until the index changes or another model is asked for.
#[derive(Default)]
pub struct Tables(Mutex<Option<(Model, Arc<[Table]>)>>);

impl Tables {
    /// The tables under `model`, one for each segment.
    pub fn get(
        &self,
        model: &Model,
        compute: impl FnOnce() -> Result<Arc<[Table]>, Error>,
    ) -> Result<Arc<[Table]>, Error> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, tables)) = kept.as_ref().filter(|(of, _)| of == model) {
            return Ok(Arc::clone(tables));
        }
        let tables = compute()?;
        *kept = Some((*model, Arc::clone(&tables)));
        Ok(tables)
    }
}
