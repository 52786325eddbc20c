//! Which documents may be returned.

use std::borrow::Cow;

use roaring::RoaringTreemap;

use crate::bits::Bits;
use crate::error::Error;
use crate::index::Index;
use crate::segment::Segment;

/// A set of slots made ready for many searches.
#[derive(Debug, Default)]
pub struct Selection {
    /// The slot of the first bit.
    pub first: u64,
    pub bits: Bits,
}

/// The slots that a search may return.
#[derive(Clone, Copy)]
pub enum Allowed<'a> {
    All,
    Slots(&'a [u64]),
    Set(&'a RoaringTreemap),
    Selection(&'a Selection),
}

/// For each segment the documents that may be returned; all of them if there is no set.
pub fn eligible<'a>(index: &'a Index, allowed: Allowed<'_>) -> Result<Vec<Option<Cow<'a, Bits>>>, Error> {
    Ok(match allowed {
        Allowed::All => index.segments.iter().map(|s| (s.dead() > 0).then(|| Cow::Borrowed(s.alive()))).collect(),
        Allowed::Slots(slots) => {
            let mut sets: Vec<Bits> = index.segments.iter().map(|segment| Bits::none(segment.body.len())).collect();
            for &slot in slots {
                if let Some((at, document)) = index.find(slot)? {
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

/// The living documents of a segment whose slots are in a set.
fn of_set(segment: &Segment, set: &RoaringTreemap) -> Result<Bits, Error> {
    let slots = &segment.body.slots;
    let mut bits = Bits::none(slots.len());
    let (first, last) = (slots.first(), slots.last());
    let mut inside = set.iter();
    inside.advance_to(first);
    let gapless = last - first == slots.len() as u64 - 1;
    for slot in inside.take_while(|&slot| slot <= last) {
        if gapless {
            bits.set((slot - first) as u32);
        } else if let Some(document) = slots.find(slot)? {
            bits.set(document);
        }
    }
    if segment.dead() > 0 {
        bits.retain(segment.alive());
    }
    Ok(bits)
}

/// As bits a set takes at most so many words for each of its slots.
const SPARSE: u64 = 4;

impl Selection {
    /// The bits of a set, if it is not sparse.
    pub fn dense(set: &RoaringTreemap) -> Option<Self> {
        let (first, last) = set.min().zip(set.max())?;
        let len = usize::try_from(last - first).ok().filter(|&len| len < u32::MAX as usize)? + 1;
        if len as u64 / 64 > SPARSE * set.len() {
            return None;
        }
        let mut bits = Bits::none(len);
        set.iter().for_each(|slot| bits.set((slot - first) as u32));
        Some(Selection { first, bits })
    }

    /// A set of bits from slot `first` on.
    fn has(&self, slot: u64) -> bool {
        slot.checked_sub(self.first).and_then(|at| u32::try_from(at).ok()).is_some_and(|at| self.bits.has(at))
    }

    /// The living documents of a segment that are selected.
    fn within(&self, segment: &Segment) -> Result<Bits, Error> {
        let slots = &segment.body.slots;
        let (first, last) = (slots.first(), slots.last());
        let gapless = last - first == slots.len() as u64 - 1;
        let distance = usize::try_from(first.abs_diff(self.first)).ok();
        let mut bits = match distance {
            Some(skipped) if gapless && first >= self.first => self.bits.range(skipped, slots.len()),
            Some(ahead) if gapless => self.bits.moved(ahead, slots.len()),
            _ => {
                let mut bits = Bits::none(slots.len());
                for at in 0..slots.len() {
                    if self.has(slots.at(at)?) {
                        bits.set(at as u32);
                    }
                }
                bits
            }
        };
        if segment.dead() > 0 {
            bits.retain(segment.alive());
        }
        Ok(bits)
    }
}
