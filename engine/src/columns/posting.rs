//! The slots of one value.

use roaring::RoaringTreemap;

/// Up to this many slots a sorted list is smaller than a bitmap, and as fast.
const FEW: usize = 32;

/// A set of slots.
#[derive(Debug)]
pub enum Posting {
    /// Sorted.
    Few(Vec<u64>),
    Many(Box<RoaringTreemap>),
}

impl Default for Posting {
    fn default() -> Self {
        Posting::Few(Vec::new())
    }
}

impl Posting {
    /// Adds a slot, if it is not there yet.
    pub fn insert(&mut self, slot: u64) {
        match self {
            Posting::Many(slots) => {
                slots.insert(slot);
            }
            Posting::Few(slots) => {
                let Err(at) = slots.binary_search(&slot) else { return };
                if slots.len() < FEW {
                    slots.insert(at, slot);
                } else {
                    let mut many: RoaringTreemap = slots.iter().copied().collect();
                    many.insert(slot);
                    *self = Posting::Many(Box::new(many));
                }
            }
        }
    }

    /// Takes a slot out, if it is there.
    pub fn remove(&mut self, slot: u64) {
        match self {
            Posting::Many(slots) => {
                slots.remove(slot);
            }
            Posting::Few(slots) => {
                if let Ok(at) = slots.binary_search(&slot) {
                    slots.remove(at);
                }
            }
        }
    }
}
