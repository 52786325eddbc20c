//! A write in two steps: a plan, and a commit that produces the next state of the index.

use std::sync::Arc;

use foldhash::HashMap;

use crate::error::Error;
use crate::index::batch::Batch;
use crate::index::segment::Segment;
use crate::index::state::Index;
use crate::index::statistics::CountChanges;
use crate::postings::segment_postings::NO_ROOT;

/// A validated write, for the state it was planned on.
#[derive(Default)]
pub struct Plan {
    /// Segment and document number of each document to remove.
    removed: Vec<(usize, u32)>,
    added: Vec<Segment>,
    /// Batch terms that are new to the index, in the order of their new ids.
    new_terms: Vec<u32>,
    last_doc_id: Option<u64>,
    /// Change of the document frequency of each term.
    changes: HashMap<u32, i64>,
    counts: CountChanges,
}

impl Index {
    /// Validates a write and computes everything that needs no change of the index.
    pub fn plan(&self, removed: &[u64], added: Option<&Batch>) -> Result<Plan, Error> {
        let mut plan = Plan::default();
        self.plan_removals(removed, &mut plan)?;
        if let Some(batch) = added.filter(|batch| !batch.is_empty()) {
            self.plan_additions(batch, &mut plan)?;
        }
        Ok(plan)
    }

    fn plan_removals(&self, removed: &[u64], plan: &mut Plan) -> Result<(), Error> {
        for &doc_id in removed {
            plan.removed.push(self.find(doc_id)?.ok_or(Error::UnknownDocId(doc_id))?);
        }
        plan.removed.sort_unstable();
        plan.removed.dedup();
        for &(at, document) in &plan.removed {
            let segment = &self.segments[at];
            plan.counts.documents -= 1;
            plan.counts.parts -= i64::from(segment.postings.root(document)?.is_some());
            for (tokens, &length) in plan.counts.tokens.iter_mut().zip(segment.postings.lengths_of(document)?) {
                *tokens -= i64::from(length);
            }
            segment.each_term_of(document, |term| *plan.changes.entry(term).or_default() -= 1)?;
        }
        Ok(())
    }

    fn plan_additions(&self, batch: &Batch, plan: &mut Plan) -> Result<(), Error> {
        if batch.layout != self.layout {
            return Err(Error::OtherFields);
        }
        let doc_id = batch.first_doc_id().unwrap_or(0);
        if let Some(after) = self.last_doc_id.filter(|&last| doc_id <= last) {
            return Err(Error::DocIdOrder { doc_id, after });
        }
        let known: usize = self.segments.iter().map(|segment| segment.postings.len()).sum();
        if known + batch.len() > u32::MAX as usize {
            return Err(Error::Full);
        }
        let mut new_id = self.vocabulary.len() as u32;
        let mut ids = Vec::with_capacity(batch.vocabulary.len());
        for (term, name) in batch.vocabulary.names().enumerate() {
            ids.push(self.vocabulary.find(name)?.unwrap_or_else(|| {
                plan.new_terms.push(term as u32);
                new_id += 1;
                new_id - 1
            }));
        }
        for part in &batch.parts {
            plan.counts.documents += part.postings.len() as i64;
            plan.counts.parts += part.postings.roots.all()?.iter().filter(|&&root| root != NO_ROOT).count() as i64;
            for (at, &length) in part.postings.lengths.all()?.iter().enumerate() {
                plan.counts.tokens[at % self.layout.fields] += i64::from(length);
            }
            for (ordinal, &term) in part.terms.iter().enumerate() {
                *plan.changes.entry(ids[term as usize]).or_default() +=
                    i64::from(part.postings.frequency(ordinal as u32)?);
            }
            let term_ids = part.terms.iter().map(|&term| ids[term as usize]).collect();
            plan.added.push(Segment::new(Arc::clone(&part.postings), term_ids));
        }
        plan.last_doc_id = batch.last_doc_id();
        Ok(())
    }

    /// The state after a plan that was made on this one with `added`.
    pub fn commit(&self, plan: Plan, added: Option<&Batch>) -> Result<Index, Error> {
        let mut next = self.copy();
        plan.removed.iter().for_each(|&(at, document)| next.segments[at].mark_deleted(document));
        next.segments.extend(plan.added);
        next.last_doc_id = plan.last_doc_id.or(self.last_doc_id);
        if let Some(batch) = added {
            next.vocabulary.reserve(plan.new_terms.len());
            plan.new_terms.iter().for_each(|&term| _ = next.vocabulary.add(batch.vocabulary.name(term)));
            next.frequencies.extend(plan.new_terms.iter().map(|_| 0));
        }
        next.keys = self.keys.next(self.vocabulary.len(), next.vocabulary.len());
        let (mut moves, mut terms): (HashMap<u32, i64>, _) = (HashMap::default(), self.statistics.terms());
        for (id, change) in plan.changes {
            let frequency = next.frequencies.get_mut(id as usize).expect("a term of the index");
            let (before, after) = (*frequency, frequency.wrapping_add_signed(change as i32));
            *frequency = after;
            *moves.entry(before).or_default() -= 1;
            *moves.entry(after).or_default() += 1;
            let change = i64::from(after > 0) - i64::from(before > 0);
            if change != 0 {
                terms.change(next.kind(id)?, change);
            }
        }
        moves.remove(&0); // terms without documents are outside the vocabulary
        next.statistics.change(&plan.counts, terms, moves);
        Ok(next)
    }
}
