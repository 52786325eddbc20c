//! Compaction: a new index of the live documents when most documents or terms are deleted. It runs
//! beside readers, and changes no result.

use crate::error::Error;
use crate::index::merge::{fitting, merge_segments};
use crate::index::state::Index;
use crate::terms::dictionary::TermDictionary;

/// The minimum number of deleted documents for a compaction.
const MIN_DEAD_DOCS: usize = if cfg!(fuzzing) { 1 << 4 } else { 1 << 10 };

/// The minimum number of unused terms for a compaction.
const MIN_DEAD_TERMS: usize = if cfg!(fuzzing) { 1 << 5 } else { 1 << 14 };

impl Index {
    /// Returns true if deleted documents outnumber live ones, or unused terms used ones (merges
    /// leave them). An index thus takes at most twice its minimal size, at constant amortized cost
    /// per deletion.
    pub fn wants_compaction(&self) -> bool {
        let counts = self.statistics.terms();
        let terms = (counts.words + counts.others + counts.roots) as usize;
        let dead_terms = self.vocabulary.len().saturating_sub(terms);
        self.num_deleted() >= MIN_DEAD_DOCS.max(self.len()) || dead_terms >= MIN_DEAD_TERMS.max(terms).max(self.len())
    }

    /// The same documents, statistics and scores without deleted documents and unused terms.
    pub fn compact(&self) -> Result<Index, Error> {
        let mut index = Index {
            segments: Vec::new(),
            vocabulary: TermDictionary::default(),
            frequencies: self.frequencies.iter().copied().filter(|&frequency| frequency > 0).collect(),
            statistics: self.statistics.clone(),
            last_doc_id: self.last_doc_id,
            layout: self.layout,
            ..Index::default()
        };
        let mut numbers: Vec<u32> = Vec::with_capacity(self.frequencies.len());
        self.vocabulary.each(|name| {
            let kept = self.frequencies[numbers.len()] > 0;
            numbers.push(if kept { index.vocabulary.add(name) } else { u32::MAX });
        })?;
        let mut rest = &self.segments[..];
        while !rest.is_empty() {
            let (group, others) = rest.split_at(fitting(rest));
            if group.iter().any(|segment| segment.num_live() > 0) {
                index.segments.push(merge_segments(group)?.renumber(&numbers)?);
            }
            rest = others;
        }
        Ok(index)
    }
}
