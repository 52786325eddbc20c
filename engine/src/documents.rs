//! The documents of an index, by number: slot, length, whether alive, and which terms they hold.

use crate::bits::Bits;

/// Columns over the document numbers. Numbers follow the slots, so slot order is number order.
#[derive(Clone, Debug, Default)]
pub struct Documents {
    slots: Vec<u64>,
    lengths: Vec<u32>,
    alive: Bits,
    dead: usize,
    /// Distinct terms of each document as variable-length integers: what a removal needs to correct the statistics.
    terms: Vec<u8>,
    term_ends: Vec<u64>,
    /// The greatest slot ever added, whether or not its document is still here.
    last_slot: Option<u64>,
}

/// Documents to append.
#[derive(Debug, Default)]
pub struct Rows {
    pub slots: Vec<u64>,
    pub lengths: Vec<u32>,
    terms: Vec<u8>,
    term_ends: Vec<u64>,
}

impl Rows {
    /// Adds a document.
    pub fn push(&mut self, slot: u64, length: u32, terms: impl Iterator<Item = u32>) {
        self.slots.push(slot);
        self.lengths.push(length);
        terms.for_each(|term| write(term, &mut self.terms));
        self.term_ends.push(self.terms.len() as u64);
    }
}

impl Documents {
    /// Numbers given out, those of dead documents included.
    pub fn numbers(&self) -> usize {
        self.slots.len()
    }

    /// Documents alive.
    pub fn len(&self) -> usize {
        self.slots.len() - self.dead
    }

    /// Whether no document is alive.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Documents dead but still numbered.
    pub fn dead(&self) -> usize {
        self.dead
    }

    /// The greatest slot ever added.
    pub fn last_slot(&self) -> Option<u64> {
        self.last_slot
    }

    /// The slot of a document.
    pub fn slot(&self, document: u32) -> u64 {
        self.slots[document as usize]
    }

    /// The tokens of a document.
    pub fn length(&self, document: u32) -> u32 {
        self.lengths[document as usize]
    }

    /// The set of living documents.
    pub fn alive(&self) -> &Bits {
        &self.alive
    }

    /// The living document in `slot`.
    pub fn find(&self, slot: u64) -> Option<u32> {
        // slots are distinct and ascending, so a slot stands no farther from the front than from the first slot
        let distance = usize::try_from(slot.checked_sub(*self.slots.first()?)?).unwrap_or(usize::MAX);
        let most = distance.min(self.slots.len() - 1);
        let at = if self.slots[most] == slot { most } else { self.slots[..most].binary_search(&slot).ok()? };
        Some(at as u32).filter(|&document| self.alive.has(document))
    }

    /// The distinct terms of a document.
    pub fn terms(&self, document: u32) -> impl Iterator<Item = u32> + '_ {
        let at = document as usize;
        let start = if at == 0 { 0 } else { self.term_ends[at - 1] };
        let mut bytes = self.terms[start as usize..self.term_ends[at] as usize].iter();
        std::iter::from_fn(move || read(&mut bytes))
    }

    /// Appends documents, all alive.
    pub fn append(&mut self, rows: Rows) {
        let (first, bytes) = (self.slots.len(), self.terms.len() as u64);
        self.last_slot = rows.slots.last().copied().or(self.last_slot);
        self.slots.extend(rows.slots);
        self.lengths.extend(rows.lengths);
        self.terms.extend(rows.terms);
        self.term_ends.extend(rows.term_ends.into_iter().map(|end| bytes + end));
        (first..self.slots.len()).for_each(|document| self.alive.set(document as u32));
    }

    /// Marks a living document dead.
    pub fn bury(&mut self, document: u32) {
        self.alive.clear(document);
        self.dead += 1;
    }

    /// The living documents, renumbered without gaps; their terms renumbered by `term`.
    pub fn compacted(&self, term: impl Fn(u32) -> u32) -> Documents {
        let mut rows = Rows::default();
        for document in (0..self.slots.len() as u32).filter(|&document| self.alive.has(document)) {
            rows.push(self.slot(document), self.length(document), self.terms(document).map(&term));
        }
        let mut compacted = Documents::default();
        compacted.append(rows);
        compacted.last_slot = self.last_slot;
        compacted
    }
}

/// Appends `number` in groups of seven bits, the lowest first; the high bit says that more follow.
fn write(mut number: u32, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// The next number of `bytes`.
fn read(bytes: &mut std::slice::Iter<'_, u8>) -> Option<u32> {
    let (mut number, mut shift) = (0, 0);
    loop {
        let byte = *bytes.next()?;
        number |= u32::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            return Some(number);
        }
        shift += 7;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_size_are_read_back() {
        let numbers = [0, 127, 128, 300, 16_383, 16_384, u32::MAX];
        let mut bytes = Vec::new();
        numbers.iter().for_each(|&number| write(number, &mut bytes));
        let mut rest = bytes.iter();
        assert_eq!(std::iter::from_fn(|| read(&mut rest)).collect::<Vec<_>>(), numbers);
    }

    #[test]
    fn slots_are_found_with_and_without_gaps() {
        let mut rows = Rows::default();
        [5, 6, 7, 20, 21].into_iter().for_each(|slot| rows.push(slot, 1, [3].into_iter()));
        let mut documents = Documents::default();
        assert_eq!(documents.find(5), None);
        documents.append(rows);
        assert_eq!(
            [4, 5, 7, 8, 20, 21, 22].map(|slot| documents.find(slot)),
            [None, Some(0), Some(2), None, Some(3), Some(4), None]
        );
        documents.bury(3);
        assert_eq!((documents.find(20), documents.len()), (None, 4));
        assert_eq!(documents.compacted(|term| term + 1).terms(3).collect::<Vec<_>>(), [4]);
    }
}
