//! Keeping an index tidy: segments merged into fewer, and a fresh index of the living documents when most are dead.
//! Each is worked out beside the readers, and changes no result.

use crate::error::Error;
use crate::index::Index;
use crate::lexicon::Lexicon;
use crate::merge::{fitting, merged};
use crate::tables::Tables;

/// Fewer dead documents than this are never worth a compaction.
const FEWEST: usize = if cfg!(fuzzing) { 1 << 4 } else { 1 << 10 };

/// Nor are fewer dead terms.
const FEWEST_TERMS: usize = if cfg!(fuzzing) { 1 << 5 } else { 1 << 14 };

impl Index {
    /// Whether more documents are dead than alive, or more terms, which merges leave. So an index takes at most twice the
    /// room, and each removal pays for a compaction in equal parts.
    pub fn wants_compaction(&self) -> bool {
        let terms = self.statistics.vocabulary() as usize;
        let dead_terms = self.vocabulary.len().saturating_sub(terms);
        self.dead() >= FEWEST.max(self.len()) || dead_terms >= FEWEST_TERMS.max(terms).max(self.len())
    }

    /// The same documents, statistics and scores without a trace of the dead.
    pub fn compacted(&self) -> Result<Index, Error> {
        let mut index = Index {
            segments: Vec::new(),
            vocabulary: Lexicon::default(),
            frequencies: self.frequencies.iter().copied().filter(|&frequency| frequency > 0).collect(),
            statistics: self.statistics.clone(),
            last_slot: self.last_slot,
            tables: Tables::default(),
        };
        let mut numbers: Vec<u32> = Vec::with_capacity(self.frequencies.len());
        self.vocabulary.each(|name| {
            let kept = self.frequencies[numbers.len()] > 0;
            numbers.push(if kept { index.vocabulary.add(name) } else { u32::MAX });
        })?;
        let mut rest = &self.segments[..];
        while !rest.is_empty() {
            let (group, others) = rest.split_at(fitting(rest));
            if group.iter().any(|segment| segment.living() > 0) {
                index.segments.push(merged(group)?.renumbered(&numbers)?);
            }
            rest = others;
        }
        Ok(index)
    }
}
