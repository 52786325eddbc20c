//! A state of the inverted index.

use std::sync::Arc;

use crate::error::Error;
use crate::index::layout::{Layout, TermKind};
use crate::index::persistent::PersistentVec;
use crate::index::segment::Segment;
use crate::index::statistics::Statistics;
use crate::search::score_tables::{Formula, ScoreTableCache, SegmentTables};
use crate::search::wholes::WholeLengths;
use crate::search::words::DocumentCounts;
use crate::terms::dictionary::TermDictionary;
use crate::terms::key_index::KeyIndex;

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
    /// The fields of the documents.
    pub layout: Layout,
    pub(crate) tables: ScoreTableCache,
    pub(crate) keys: KeyIndex,
    pub(crate) counts: DocumentCounts,
    pub(crate) whole_lengths: WholeLengths,
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
            layout: self.layout,
            tables: ScoreTableCache::default(),
            keys: self.keys.share(),
            counts: DocumentCounts::default(),
            whole_lengths: WholeLengths::default(),
        }
    }

    /// The id and document frequency of a term that occurs in a live document.
    pub fn term(&self, name: &str) -> Result<Option<(u32, u32)>, Error> {
        let found = self.vocabulary.find(name)?.map(|id| (id, self.frequencies[id as usize]));
        Ok(found.filter(|&(_, frequency)| frequency > 0))
    }

    /// The kind of a term.
    pub fn kind(&self, term: u32) -> Result<TermKind, Error> {
        if !self.layout.marked {
            return Ok(TermKind::Word(0));
        }
        self.vocabulary.name(term, |name| self.layout.kind(name))
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

    /// The tables of every segment under `formula`, for the current statistics.
    pub fn tables(&self, formula: &Formula) -> Result<Arc<[SegmentTables]>, Error> {
        self.tables.get(formula, || {
            let tables = |segment: &Segment| {
                let pairs = segment.postings.pairs.all()?;
                Ok(SegmentTables::new(pairs, formula, &self.statistics, self.layout.fields))
            };
            self.segments.iter().map(tables).collect()
        })
    }
}
