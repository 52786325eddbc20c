//! A segment: an immutable body, the numbers its terms have in the index, and which of its documents are alive.

use std::sync::Arc;

use crate::error::Error;
use crate::files::array::{search_by, Array};
use crate::files::label::FileLabel;
use crate::postings::bits::Bits;
use crate::postings::segment_postings::SegmentPostings;

/// A table pays if at least one of so many of its places is taken.
const MAX_TABLE_RATIO: usize = 8;

/// How the body's number of a term is found from the index's.
#[derive(Debug)]
pub(crate) enum TermOrdinals {
    /// At its place in a table; `u32::MAX` if the body lacks the term.
    Table(Array<u32>),
    /// Among the body's terms by ascending number in the index; empty if that is their order anyway.
    Order(Array<u32>),
}

impl TermOrdinals {
    fn new(term_ids: &[u32]) -> Self {
        let most = term_ids.iter().max().map_or(0, |&most| most as usize + 1);
        if most <= term_ids.len().saturating_mul(MAX_TABLE_RATIO) {
            let mut table = vec![u32::MAX; most];
            term_ids.iter().zip(0..).for_each(|(&term_id, ordinal)| table[term_id as usize] = ordinal);
            return TermOrdinals::Table(table.into());
        }
        let mut order = Vec::new();
        if !term_ids.is_sorted() {
            order.extend(0..term_ids.len() as u32);
            order.sort_unstable_by_key(|&ordinal| term_ids[ordinal as usize]);
        }
        TermOrdinals::Order(order.into())
    }
}

/// What never changes in a segment, and is one file.
#[derive(Debug)]
pub struct Part {
    pub postings: Arc<SegmentPostings>,
    /// The index's number of each term of the body.
    pub(crate) term_ids: Array<u32>,
    pub(crate) ordinals: TermOrdinals,
    pub label: FileLabel,
}

/// Documents that stand together in the order of slots.
#[derive(Clone, Debug)]
pub struct Segment {
    pub part: Arc<Part>,
    /// Shared with the states before, until a document dies.
    live: Arc<Bits>,
    deleted: usize,
    /// Whether somebody is making a larger segment of it.
    pub merging: bool,
}

impl std::ops::Deref for Segment {
    type Target = Part;

    fn deref(&self) -> &Part {
        &self.part
    }
}

impl Part {
    /// A body whose terms have these numbers in the index.
    pub fn new(postings: Arc<SegmentPostings>, term_ids: Vec<u32>) -> Self {
        Part {
            postings,
            ordinals: TermOrdinals::new(&term_ids),
            term_ids: term_ids.into(),
            label: FileLabel::default(),
        }
    }

    /// The body's number of a term.
    pub fn ordinal(&self, term_id: u32) -> Result<Option<u32>, Error> {
        Ok(match &self.ordinals {
            TermOrdinals::Table(table) if term_id as usize >= table.len() => None,
            TermOrdinals::Table(table) => Some(table.at(term_id as usize)?).filter(|&ordinal| ordinal != u32::MAX),
            TermOrdinals::Order(order) if order.is_empty() => self.term_ids.search(&term_id)?.map(|at| at as u32),
            TermOrdinals::Order(order) => {
                let compare = |place| Ok(self.term_ids.at(order.at(place)? as usize)?.cmp(&term_id));
                search_by(order.len(), compare)?.map(|place| order.at(place)).transpose()?
            }
        })
    }

    /// All terms as (the index's, the body's number).
    pub fn terms(&self) -> Result<impl Iterator<Item = (u32, u32)> + '_, Error> {
        Ok(self.term_ids.all()?.iter().copied().zip(0..))
    }

    /// Calls `each` with the index's numbers of the distinct terms of a document.
    pub fn each_term_of(&self, document: u32, mut each: impl FnMut(u32)) -> Result<(), Error> {
        for term in self.postings.forward.terms(document)? {
            each(self.term_ids.at(term as usize)?);
        }
        Ok(())
    }
}

impl Segment {
    /// A body, all alive, whose terms have these numbers in the index.
    pub fn new(postings: Arc<SegmentPostings>, term_ids: Vec<u32>) -> Self {
        Segment::with_all_live(Arc::new(Part::new(postings, term_ids)))
    }

    /// A part whose documents are all alive.
    pub fn with_all_live(part: Arc<Part>) -> Self {
        let live = Arc::new(Bits::all(part.postings.len()));
        Segment { part, live, deleted: 0, merging: false }
    }

    /// The same with a set of living documents.
    pub fn with_live(part: Arc<Part>, live: Bits) -> Self {
        let deleted = part.postings.len() - live.count();
        Segment { part, live: Arc::new(live), deleted, merging: false }
    }

    /// Whether this and another are one segment at different times.
    pub fn is_same(&self, other: &Segment) -> bool {
        Arc::ptr_eq(&self.part, &other.part) || self.label.is_same(&other.label)
    }

    /// The living document in `doc_id`.
    pub fn find(&self, doc_id: u64) -> Result<Option<u32>, Error> {
        Ok(self.postings.doc_ids.find(doc_id)?.filter(|&document| self.live.has(document)))
    }

    /// The set of living documents.
    pub fn live_docs(&self) -> &Bits {
        &self.live
    }

    /// Documents dead but still here.
    pub fn num_deleted(&self) -> usize {
        self.deleted
    }

    /// Documents alive.
    pub fn num_live(&self) -> usize {
        self.postings.len() - self.deleted
    }

    /// Marks a living document dead.
    pub fn mark_deleted(&mut self, document: u32) {
        Arc::make_mut(&mut self.live).clear(document);
        self.deleted += 1;
    }

    /// The same with other numbers for the terms of the index, in the same order; `u32::MAX` for those that are in none.
    pub fn renumber(self, numbers: &[u32]) -> Result<Self, Error> {
        let number = |&term_id: &u32| Some(numbers[term_id as usize]).filter(|&number| number != u32::MAX);
        let term_ids: Option<Vec<u32>> = self.term_ids.all()?.iter().map(number).collect();
        let term_ids = term_ids.ok_or_else(|| self.term_ids.wrong())?;
        let part = Arc::new(Part::new(Arc::clone(&self.postings), term_ids));
        Ok(Segment { part, ..self })
    }
}
