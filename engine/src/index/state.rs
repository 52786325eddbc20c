//! The inverted index of the living documents.

use std::sync::Arc;

use crate::error::Error;
use crate::index::persistent::PersistentVec;
use crate::index::segment::Segment;
use crate::index::statistics::Statistics;
use crate::search::bm25::Model;
use crate::search::score_tables::{ScoreTableCache, Table};
use crate::terms::dictionary::TermDictionary;

/// One state of everything a search reads. Changes make the next state: see [`crate::index::commit`], [`crate::index::merge`] and
/// [`crate::index::compaction`].
#[derive(Default)]
pub struct Index {
    pub vocabulary: TermDictionary,
    /// In how many living documents each term stands.
    pub frequencies: PersistentVec<u32>,
    /// In the order of slots.
    pub segments: Vec<Segment>,
    pub statistics: Statistics,
    /// The greatest slot ever added, whether or not its document is still here.
    pub last_doc_id: Option<u64>,
    pub(crate) tables: ScoreTableCache,
}

impl Index {
    /// A state that shares all memory with this one, to be changed into the next.
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

    /// The number of a term that stands in at least one living document, and in how many.
    pub fn term(&self, name: &str) -> Result<Option<(u32, u32)>, Error> {
        let found = self.vocabulary.find(name)?.map(|id| (id, self.frequencies[id as usize]));
        Ok(found.filter(|&(_, frequency)| frequency > 0))
    }

    /// Where the living document in `doc_id` is: its segment, and its number there.
    pub fn find(&self, doc_id: u64) -> Result<Option<(usize, u32)>, Error> {
        let after = self.segments.partition_point(|segment| segment.postings.doc_ids.first() <= doc_id);
        let Some(at) = after.checked_sub(1) else { return Ok(None) };
        Ok(self.segments[at].find(doc_id)?.map(|document| (at, document)))
    }

    /// Documents alive.
    pub fn len(&self) -> usize {
        self.statistics.documents as usize
    }

    /// Whether no document is alive.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Documents dead but still kept.
    pub fn num_deleted(&self) -> usize {
        self.segments.iter().map(Segment::num_deleted).sum()
    }

    /// What every code of every segment is worth under `model`, for the index as it is.
    pub fn tables(&self, model: &Model) -> Result<Arc<[Table]>, Error> {
        self.tables.get(model, || {
            let average = self.statistics.average_length();
            let table = |segment: &Segment| Ok(Table::new(segment.postings.pairs.all()?, model, average));
            self.segments.iter().map(table).collect()
        })
    }
}
