//! Which rows a search may return.

use std::borrow::Cow;

use roaring::RoaringTreemap;

use super::chunk::Chunk;

/// The slots that may be returned.
#[derive(Clone, Copy)]
pub enum Allowed<'a> {
    All,
    /// Rising.
    Slots(&'a [u64]),
    Set(&'a RoaringTreemap),
}

/// The rows of a chunk that may be returned, rising; None: all of them.
pub type Chosen<'a> = Option<Cow<'a, [u32]>>;

/// The rows of each chunk that live and may be returned.
pub fn chosen<'a>(chunks: &'a [Chunk], allowed: Allowed<'_>) -> Vec<Chosen<'a>> {
    match allowed {
        Allowed::All => chunks.iter().map(|chunk| chunk.living().map(Cow::Borrowed)).collect(),
        Allowed::Slots(slots) => among(chunks, slots.iter().copied()),
        Allowed::Set(set) => among(chunks, set.iter()),
    }
}

fn among<'a>(chunks: &'a [Chunk], slots: impl Iterator<Item = u64>) -> Vec<Chosen<'a>> {
    let mut slots = slots.peekable();
    let rows = chunks.iter().map(|chunk| {
        let own = &chunk.body.slots;
        let (first, last) = (own[0], own[own.len() - 1]);
        let gapless = last - first == own.len() as u64 - 1;
        let (mut rows, mut from) = (Vec::new(), 0);
        while let Some(slot) = slots.next_if(|&slot| slot <= last) {
            let row = if gapless {
                slot.checked_sub(first).map(|row| row as usize)
            } else {
                from += position(&own[from..], slot);
                (own[from] == slot).then_some(from)
            };
            rows.extend(row.map(|row| row as u32).filter(|&row| chunk.lives(row)));
        }
        rows
    });
    rows.map(|rows| Some(Cow::Owned(rows))).collect()
}

/// The place of the first slot that is not less, found in steps that double, as it is often near.
fn position(slots: &[u64], slot: u64) -> usize {
    let mut end = 1;
    while end < slots.len() && slots[end] < slot {
        end *= 2;
    }
    let start = end / 2;
    start + slots[start..slots.len().min(end + 1)].partition_point(|&each| each < slot)
}

/// How many rows are chosen.
pub fn count(chunks: &[Chunk], chosen: &[Chosen<'_>]) -> usize {
    chunks.iter().zip(chosen).map(|(chunk, rows)| rows.as_ref().map_or(chunk.len(), |rows| rows.len())).sum()
}

/// The first slot that is chosen.
pub fn first(chunks: &[Chunk], chosen: &[Chosen<'_>]) -> Option<u64> {
    chunks.iter().zip(chosen).find_map(|(chunk, rows)| {
        let row = rows.as_ref().map_or(Some(0), |rows| rows.first().copied())?;
        chunk.body.slots.get(row as usize).copied()
    })
}

#[cfg(test)]
mod tests {
    use super::position;

    #[test]
    fn a_slot_is_found_by_doubling_steps() {
        let slots: Vec<u64> = (0..100).map(|i| i * i).collect();
        for slot in 0..=9801 {
            assert_eq!(position(&slots, slot), slots.partition_point(|&each| each < slot));
        }
    }
}
