//! The documents that a search may return, as bit sets by segment.

use std::borrow::Cow;

use roaring::RoaringTreemap;

use crate::error::Error;
use crate::index::segment::Segment;
use crate::index::state::Index;
use crate::postings::bits::Bits;

/// A set of document ids prepared for repeated searches.
#[derive(Debug, Default)]
pub struct Selection {
    /// The document id of the first bit.
    pub first: u64,
    /// A bit per document id, from `first` on.
    pub bits: Bits,
}

/// The document ids that a search may return.
#[derive(Clone, Copy)]
pub enum Allowed<'a> {
    /// All documents.
    All,
    /// Ids in any order; unknown ones are ignored.
    DocIds(&'a [u64]),
    /// A bitmap of ids.
    Set(&'a RoaringTreemap),
    /// A prepared set.
    Selection(&'a Selection),
}

/// The eligible documents of each segment; None if all are.
pub fn eligible<'a>(index: &'a Index, allowed: Allowed<'_>) -> Result<Vec<Option<Cow<'a, Bits>>>, Error> {
    Ok(match allowed {
        Allowed::All => {
            index.segments.iter().map(|s| (s.num_deleted() > 0).then(|| Cow::Borrowed(s.live_docs()))).collect()
        }
        Allowed::DocIds(doc_ids) => {
            let mut sets: Vec<Bits> = index.segments.iter().map(|segment| Bits::none(segment.postings.len())).collect();
            for &doc_id in doc_ids {
                if let Some((at, document)) = index.find(doc_id)? {
                    sets[at].set(document);
                }
            }
            sets.into_iter().map(|bits| Some(Cow::Owned(bits))).collect()
        }
        Allowed::Set(set) => {
            let within = |segment| of_set(segment, set).map(|bits| Some(Cow::Owned(bits)));
            index.segments.iter().map(within).collect::<Result<_, Error>>()?
        }
        Allowed::Selection(selection) => {
            let within = |segment| selection.within(segment).map(|bits| Some(Cow::Owned(bits)));
            index.segments.iter().map(within).collect::<Result<_, Error>>()?
        }
    })
}

/// The live documents of a segment that are in a set.
fn of_set(segment: &Segment, set: &RoaringTreemap) -> Result<Bits, Error> {
    let doc_ids = &segment.postings.doc_ids;
    let mut bits = Bits::none(doc_ids.len());
    let (first, last) = (doc_ids.first(), doc_ids.last());
    let mut inside = set.iter();
    inside.advance_to(first);
    let gapless = last - first == doc_ids.len() as u64 - 1;
    for doc_id in inside.take_while(|&doc_id| doc_id <= last) {
        if gapless {
            bits.set((doc_id - first) as u32);
        } else if let Some(document) = doc_ids.find(doc_id)? {
            bits.set(document);
        }
    }
    if segment.num_deleted() > 0 {
        bits.retain(segment.live_docs());
    }
    Ok(bits)
}

/// A set is stored as bits if it takes at most this many words per document id.
const SPARSE: u64 = 4;

impl Selection {
    /// The bits of a set, unless it is sparse.
    pub fn dense(set: &RoaringTreemap) -> Option<Self> {
        let (first, last) = set.min().zip(set.max())?;
        let len = usize::try_from(last - first).ok().filter(|&len| len < u32::MAX as usize)? + 1;
        if len as u64 / 64 > SPARSE * set.len() {
            return None;
        }
        let mut bits = Bits::none(len);
        set.iter().for_each(|doc_id| bits.set((doc_id - first) as u32));
        Some(Selection { first, bits })
    }

    /// Returns true if the set contains a document id.
    fn has(&self, doc_id: u64) -> bool {
        doc_id.checked_sub(self.first).and_then(|at| u32::try_from(at).ok()).is_some_and(|at| self.bits.has(at))
    }

    /// The live documents of a segment that are selected.
    fn within(&self, segment: &Segment) -> Result<Bits, Error> {
        let doc_ids = &segment.postings.doc_ids;
        let (first, last) = (doc_ids.first(), doc_ids.last());
        let gapless = last - first == doc_ids.len() as u64 - 1;
        let distance = usize::try_from(first.abs_diff(self.first)).ok();
        let mut bits = match distance {
            Some(skipped) if gapless && first >= self.first => self.bits.range(skipped, doc_ids.len()),
            Some(ahead) if gapless => self.bits.moved(ahead, doc_ids.len()),
            _ => {
                let mut bits = Bits::none(doc_ids.len());
                for at in 0..doc_ids.len() {
                    if self.has(doc_ids.at(at)?) {
                        bits.set(at as u32);
                    }
                }
                bits
            }
        };
        if segment.num_deleted() > 0 {
            bits.retain(segment.live_docs());
        }
        Ok(bits)
    }
}
