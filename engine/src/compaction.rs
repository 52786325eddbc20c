//! Getting rid of dead documents: a fresh index of the living ones, built beside the old one.

use std::collections::HashMap;

use crate::index::{Index, Term};
use crate::pairs::{Pairs, Posting};

/// Fewer dead documents than this are never worth a compaction.
const FEWEST: usize = 1024;

impl Index {
    /// Whether more documents are dead than alive. So an index takes at most twice the room, and each removal pays
    /// for a compaction in equal parts.
    pub fn wants_compaction(&self) -> bool {
        self.documents.dead() >= FEWEST.max(self.documents.len())
    }

    /// The same documents, statistics and scores without a trace of the dead.
    pub fn compacted(&self) -> Index {
        let mut next = 0;
        let ids: Vec<u32> = self.terms.iter().map(|term| number(&mut next, term.frequency > 0)).collect();
        let mut next = 0;
        let alive = self.documents.alive();
        let numbers = 0..self.documents.numbers() as u32;
        let documents: Vec<u32> = numbers.map(|document| number(&mut next, alive.has(document))).collect();

        let mut pairs = Pairs::default();
        let mut codes: HashMap<u32, u32> = HashMap::new();
        let mut terms = Vec::with_capacity(self.statistics.vocabulary() as usize);
        for term in self.terms.iter().filter(|term| term.frequency > 0) {
            let mut postings = Vec::with_capacity(term.frequency as usize);
            for posting in term.postings.iter().filter(|posting| alive.has(posting.document)) {
                let code = *codes
                    .entry(posting.code)
                    .or_insert_with(|| pairs.intern(self.pairs.list()[posting.code as usize]));
                postings.push(Posting { document: documents[posting.document as usize], code });
            }
            terms.push(Term { frequency: term.frequency, postings });
        }
        let living = self.vocabulary.iter().filter(|(_, &id)| self.terms[id as usize].frequency > 0);
        Index {
            vocabulary: living.map(|(name, &id)| (name.clone(), ids[id as usize])).collect(),
            terms,
            pairs,
            documents: self.documents.compacted(|term| ids[term as usize]),
            statistics: self.statistics.clone(),
            saturations: Default::default(),
        }
    }
}

/// The next number for what is kept; what is not kept has none.
fn number(next: &mut u32, kept: bool) -> u32 {
    if !kept {
        return u32::MAX;
    }
    *next += 1;
    *next - 1
}
