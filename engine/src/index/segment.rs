//! A segment: immutable postings, the term id of each of its terms, and the set of live documents.

use std::sync::Arc;

use crate::error::Error;
use crate::files::array::{search_by, Array};
use crate::files::label::FileLabel;
use crate::postings::bits::Bits;
use crate::postings::segment_postings::SegmentPostings;

/// A table is used if at least one in this many of its entries is taken.
const MAX_TABLE_RATIO: usize = 8;

/// Sorted term ids are searched if they are so few that they stay in a cache of the processor.
const MAX_SEARCHED: usize = 1 << 16;

/// Map from term ids to the ordinals of the segment.
#[derive(Debug)]
pub(crate) enum TermOrdinals {
    /// Ordinal by term id; `u32::MAX` if the segment lacks the term.
    Table(Array<u32>),
    /// Ordinals by ascending term id; empty if they are in that order already.
    Order(Array<u32>),
}

impl TermOrdinals {
    fn new(term_ids: &[u32]) -> Self {
        if term_ids.len() <= MAX_SEARCHED && term_ids.is_sorted() {
            return TermOrdinals::Order(Array::default());
        }
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

/// The immutable part of a segment, which is one file.
#[derive(Debug)]
pub struct Part {
    pub postings: Arc<SegmentPostings>,
    /// Term id by ordinal.
    pub(crate) term_ids: Array<u32>,
    pub(crate) ordinals: TermOrdinals,
    pub label: FileLabel,
}

/// Documents with consecutive ids.
#[derive(Clone, Debug)]
pub struct Segment {
    pub part: Arc<Part>,
    /// Shared with earlier states until a document is deleted.
    live: Arc<Bits>,
    deleted: usize,
    /// True while the segment is the source of a merge.
    pub merging: bool,
}

impl std::ops::Deref for Segment {
    type Target = Part;

    fn deref(&self) -> &Part {
        &self.part
    }
}

impl Part {
    /// Postings whose terms have these ids.
    pub fn new(postings: Arc<SegmentPostings>, term_ids: Vec<u32>) -> Self {
        Part {
            postings,
            ordinals: TermOrdinals::new(&term_ids),
            term_ids: term_ids.into(),
            label: FileLabel::default(),
        }
    }

    /// The ordinal of a term.
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

    /// All terms as (term id, ordinal).
    pub fn terms(&self) -> Result<impl Iterator<Item = (u32, u32)> + '_, Error> {
        Ok(self.term_ids.all()?.iter().copied().zip(0..))
    }

    /// Calls `each` with the ids of the distinct terms of a document.
    pub fn each_term_of(&self, document: u32, mut each: impl FnMut(u32)) -> Result<(), Error> {
        for term in self.postings.forward.terms(document)? {
            each(self.term_ids.at(term as usize)?);
        }
        Ok(())
    }
}

impl Segment {
    /// A segment of live documents whose terms have these ids.
    pub fn new(postings: Arc<SegmentPostings>, term_ids: Vec<u32>) -> Self {
        Segment::with_all_live(Arc::new(Part::new(postings, term_ids)))
    }

    /// A segment whose documents are all live.
    pub fn with_all_live(part: Arc<Part>) -> Self {
        let live = Arc::new(Bits::all(part.postings.len()));
        Segment { part, live, deleted: 0, merging: false }
    }

    /// A segment with a set of live documents.
    pub fn with_live(part: Arc<Part>, live: Bits) -> Self {
        let deleted = part.postings.len() - live.count();
        Segment { part, live: Arc::new(live), deleted, merging: false }
    }

    /// Returns true if both are the same segment in different states.
    pub fn is_same(&self, other: &Segment) -> bool {
        Arc::ptr_eq(&self.part, &other.part) || self.label.is_same(&other.label)
    }

    /// The live document with this id.
    pub fn find(&self, doc_id: u64) -> Result<Option<u32>, Error> {
        Ok(self.postings.doc_ids.find(doc_id)?.filter(|&document| self.live.has(document)))
    }

    /// The set of live documents.
    pub fn live_docs(&self) -> &Bits {
        &self.live
    }

    /// The number of deleted documents that are still stored.
    pub fn num_deleted(&self) -> usize {
        self.deleted
    }

    /// The number of live documents.
    pub fn num_live(&self) -> usize {
        self.postings.len() - self.deleted
    }

    /// Marks a live document as deleted.
    pub fn mark_deleted(&mut self, document: u32) {
        Arc::make_mut(&mut self.live).clear(document);
        self.deleted += 1;
    }

    /// The same segment with new term ids in the same order; `u32::MAX` marks a removed term.
    pub fn renumber(self, numbers: &[u32]) -> Result<Self, Error> {
        let number = |&term_id: &u32| Some(numbers[term_id as usize]).filter(|&number| number != u32::MAX);
        let term_ids: Option<Vec<u32>> = self.term_ids.all()?.iter().map(number).collect();
        let term_ids = term_ids.ok_or_else(|| self.term_ids.wrong())?;
        let part = Arc::new(Part::new(Arc::clone(&self.postings), term_ids));
        Ok(Segment { part, ..self })
    }
}
