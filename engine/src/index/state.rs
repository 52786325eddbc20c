//! A state of the inverted index.

use std::sync::Arc;

use crate::error::Error;
use crate::index::persistent::PersistentVec;
use crate::index::segment::Segment;
use crate::index::statistics::Statistics;
use crate::search::bm25::Model;
use crate::search::score_tables::{ScoreTableCache, Table};
use crate::terms::dictionary::TermDictionary;

/// An immutable state of everything a search reads. [`crate::index::commit`],
/// [`crate::index::merge`] and [`crate::index::compaction`] produce the next one.
#[derive(Default)]
pub struct Index {
    /// The term dictionary.
    pub vocabulary: TermDictionary,
    /// The document frequency of each term, live documents only.
    pub frequencies: PersistentVec<u32>,
    /// In order of document ids.
    pub segments: Vec<Segment>,
    /// Collection statistics of the live documents.
    pub statistics: Statistics,
    /// The greatest document id ever added, whether or not that document is still live.
    pub last_doc_id: Option<u64>,
    pub(crate) tables: ScoreTableCache,
}

impl Index {
    /// A copy that shares all memory with this one, to be changed into the next state.
    pub fn copy(&self) -> Index {
        Index {
            vocabulary: self.vocabulary.clone(),
            frequencies: self.frequencies.clone(),
            segments: self.segments.clone(),
            statistics: self.statistics.clone(),
            last_doc_id: self.last_doc_id,
            tables: ScoreTableCache::default(),
        }
    }

    /// The id and document frequency of a term that occurs in a live document.
    pub fn term(&self, name: &str) -> Result<Option<(u32, u32)>, Error> {
        let found = self.vocabulary.find(name)?.map(|id| (id, self.frequencies[id as usize]));
        Ok(found.filter(|&(_, frequency)| frequency > 0))
    }

    /// Segment and document number of a live document.
    pub fn find(&self, doc_id: u64) -> Result<Option<(usize, u32)>, Error> {
        let after = self.segments.partition_point(|segment| segment.postings.doc_ids.first() <= doc_id);
        let Some(at) = after.checked_sub(1) else { return Ok(None) };
        Ok(self.segments[at].find(doc_id)?.map(|document| (at, document)))
    }

    /// The number of live documents.
    pub fn len(&self) -> usize {
        self.statistics.documents as usize
    }

    /// Returns true if there is no live document.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of deleted documents that are still stored.
    pub fn num_deleted(&self) -> usize {
        self.segments.iter().map(Segment::num_deleted).sum()
    }

    /// The saturation of every code of every segment under `model`, for the current statistics.
    pub fn tables(&self, model: &Model) -> Result<Arc<[Table]>, Error> {
        self.tables.get(model, || {
            let average = self.statistics.average_length();
            let table = |segment: &Segment| Ok(Table::new(segment.postings.pairs.all()?, model, average));
            self.segments.iter().map(table).collect()
        })
    }
}
