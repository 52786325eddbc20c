//! The inverted index of the living documents.

use std::sync::{Arc, Mutex, PoisonError};

use foldhash::HashMap;

use crate::bm25::Model;
use crate::documents::Documents;
use crate::pairs::{Pairs, Posting};
use crate::statistics::Statistics;

/// A term: in how many living documents it stands, and its postings, documents ascending, dead ones included.
#[derive(Debug, Default)]
pub struct Term {
    pub frequency: u32,
    pub postings: Vec<Posting>,
}

/// Everything a search reads. Changes come through [`crate::commit`] and [`crate::compaction`].
#[derive(Default)]
pub struct Index {
    pub vocabulary: HashMap<Box<str>, u32>,
    pub terms: Vec<Term>,
    pub pairs: Pairs,
    pub documents: Documents,
    pub statistics: Statistics,
    pub(crate) saturations: Saturations,
}

impl Index {
    /// A term that stands in at least one living document.
    pub fn term(&self, name: &str) -> Option<&Term> {
        let &id = self.vocabulary.get(name)?;
        Some(&self.terms[id as usize]).filter(|term| term.frequency > 0)
    }

    /// The saturation of every code under `model`, for the index as it is.
    pub fn saturations(&self, model: &Model) -> Arc<[f64]> {
        self.saturations.get(model, || {
            let average = self.statistics.average_length();
            self.pairs.list().iter().map(|&pair| model.saturation(pair, average)).collect()
        })
    }
}

/// The table last computed, kept until the index changes or another model is asked for.
#[derive(Default)]
pub(crate) struct Saturations(Mutex<Option<(Model, Arc<[f64]>)>>);

impl Saturations {
    fn get(&self, model: &Model, compute: impl FnOnce() -> Arc<[f64]>) -> Arc<[f64]> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, table)) = kept.as_ref().filter(|(of, _)| of == model) {
            return Arc::clone(table);
        }
        let table = compute();
        *kept = Some((*model, Arc::clone(&table)));
        table
    }
}
