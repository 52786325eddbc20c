//! A write in two steps: a plan, worked out while readers go on, and its commit, which only moves and appends.

use foldhash::HashMap;

use crate::batch::Batch;
use crate::documents::Rows;
use crate::error::Error;
use crate::index::{Index, Saturations, Term};
use crate::pairs::{Pair, Posting};

/// A checked write, ready for the index it was planned on.
#[derive(Default)]
pub struct Plan {
    removed: Vec<u32>,
    rows: Rows,
    new_terms: Vec<Box<str>>,
    new_pairs: Vec<Pair>,
    postings: Vec<Change>,
    /// By how many documents each term gains or loses.
    changes: HashMap<u32, i64>,
    documents: i64,
    tokens: i64,
}

/// How the postings of a term change.
struct Change {
    term: u32,
    postings: Vec<Posting>,
    /// Whether `postings` is the whole new list, because the old one has no room for the addition.
    whole: bool,
}

impl Index {
    /// Checks a write and works out all of it that can be worked out without changing the index.
    pub fn plan(&self, removed: &[u64], added: Option<&Batch>) -> Result<Plan, Error> {
        let mut plan = Plan::default();
        self.plan_removals(removed, &mut plan)?;
        if let Some(batch) = added.filter(|batch| !batch.is_empty()) {
            self.plan_additions(batch, &mut plan)?;
        }
        Ok(plan)
    }

    fn plan_removals(&self, removed: &[u64], plan: &mut Plan) -> Result<(), Error> {
        for &slot in removed {
            plan.removed.push(self.documents.find(slot).ok_or(Error::UnknownSlot(slot))?);
        }
        plan.removed.sort_unstable();
        plan.removed.dedup();
        for &document in &plan.removed {
            plan.documents -= 1;
            plan.tokens -= i64::from(self.documents.length(document));
            self.documents.terms(document).for_each(|term| *plan.changes.entry(term).or_default() -= 1);
        }
        Ok(())
    }

    fn plan_additions(&self, batch: &Batch, plan: &mut Plan) -> Result<(), Error> {
        if let Some(after) = self.documents.last_slot().filter(|&last| batch.slots[0] <= last) {
            return Err(Error::SlotOrder { slot: batch.slots[0], after });
        }
        let first = u32::try_from(self.documents.numbers()).map_err(|_| Error::Full)?;
        first.checked_add(batch.len() as u32).ok_or(Error::Full)?;

        let mut new_id = self.terms.len() as u32;
        let mut ids = Vec::with_capacity(batch.terms.len());
        for name in &batch.terms {
            ids.push(self.vocabulary.get(name).copied().unwrap_or_else(|| {
                plan.new_terms.push(name.clone());
                new_id += 1;
                new_id - 1
            }));
        }
        let mut new_code = self.pairs.list().len() as u32;
        let mut codes = Vec::with_capacity(batch.pairs.len());
        for &pair in &batch.pairs {
            codes.push(self.pairs.code(pair).unwrap_or_else(|| {
                plan.new_pairs.push(pair);
                new_code += 1;
                new_code - 1
            }));
        }
        for (term, &id) in ids.iter().enumerate() {
            let added = batch.postings_of(term);
            let moved = added.iter().map(|p| Posting { document: first + p.document, code: codes[p.code as usize] });
            let mut change = Change { term: id, postings: Vec::new(), whole: true };
            match self.terms.get(id as usize).map(|term| &term.postings) {
                Some(old) if old.capacity() - old.len() < added.len() => {
                    change.postings.reserve(added.len().max(old.len()) + old.len());
                    change.postings.extend_from_slice(old);
                }
                Some(_) => change.whole = false,
                None => change.postings.reserve_exact(added.len()),
            }
            change.postings.extend(moved);
            *plan.changes.entry(id).or_default() += added.len() as i64;
            plan.postings.push(change);
        }
        for (document, (&slot, &length)) in batch.slots.iter().zip(&batch.lengths).enumerate() {
            plan.documents += 1;
            plan.tokens += i64::from(length);
            plan.rows.push(slot, length, batch.terms_of(document).iter().map(|&term| ids[term as usize]));
        }
        Ok(())
    }

    /// Carries out a plan made on the index as it is. What is left of the plan is to be dropped after the lock is free.
    pub fn commit(&mut self, plan: &mut Plan) {
        plan.removed.iter().for_each(|&document| self.documents.bury(document));
        self.documents.append(std::mem::take(&mut plan.rows));
        for &pair in &plan.new_pairs {
            self.pairs.intern(pair);
        }
        self.vocabulary.reserve(plan.new_terms.len());
        for name in plan.new_terms.drain(..) {
            self.vocabulary.insert(name, self.terms.len() as u32);
            self.terms.push(Term::default());
        }
        for change in &mut plan.postings {
            let postings = &mut self.terms[change.term as usize].postings;
            if change.whole {
                std::mem::swap(postings, &mut change.postings);
            } else {
                postings.extend_from_slice(&change.postings);
            }
        }
        let mut moves: HashMap<u32, i64> = HashMap::default();
        for (&id, &change) in &plan.changes {
            let frequency = &mut self.terms[id as usize].frequency;
            *moves.entry(*frequency).or_default() -= 1;
            *frequency = frequency.wrapping_add_signed(change as i32);
            *moves.entry(*frequency).or_default() += 1;
        }
        moves.remove(&0); // terms in no document are outside the vocabulary
        self.statistics.change(plan.documents, plan.tokens, moves);
        self.saturations = Saturations::default();
    }
}
