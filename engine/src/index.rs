//! The inverted index of the living documents.

use std::sync::Arc;

use crate::bm25::Model;
use crate::segment::Segment;
use crate::statistics::Statistics;
use crate::tables::{Table, Tables};
use crate::vocabulary::Vocabulary;

/// Everything a search reads. Changes come through [`crate::commit`] and [`crate::compaction`].
#[derive(Default)]
pub struct Index {
    pub vocabulary: Vocabulary,
    /// In how many living documents each term stands.
    pub frequencies: Vec<u32>,
    /// In the order of slots.
    pub segments: Vec<Segment>,
    pub statistics: Statistics,
    /// The greatest slot ever added, whether or not its document is still here.
    pub last_slot: Option<u64>,
    pub(crate) tables: Tables,
}

impl Index {
    /// The number of a term that stands in at least one living document, and in how many.
    pub fn term(&self, name: &str) -> Option<(u32, u32)> {
        let id = self.vocabulary.find(name)?;
        Some((id, self.frequencies[id as usize])).filter(|&(_, frequency)| frequency > 0)
    }

    /// Where the living document in `slot` is: its segment, and its number there.
    pub fn find(&self, slot: u64) -> Option<(usize, u32)> {
        let after = self.segments.partition_point(|segment| segment.body.slots.at(0) <= slot);
        let at = after.checked_sub(1)?;
        Some((at, self.segments[at].find(slot)?))
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
    pub fn dead(&self) -> usize {
        self.segments.iter().map(Segment::dead).sum()
    }

    /// What every code of every segment is worth under `model`, for the index as it is.
    pub fn tables(&self, model: &Model) -> Arc<[Table]> {
        self.tables.get(model, || {
            let average = self.statistics.average_length();
            self.segments.iter().map(|segment| Table::new(&segment.body.pairs, model, average)).collect()
        })
    }
}
