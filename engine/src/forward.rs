//! The distinct terms of each document: what a removal needs to correct the statistics.

use crate::error::Error;
use crate::files::array::Array;

/// Lists of term numbers. Each is ascending and kept as the differences, in groups of seven bits, the lowest first; the
/// high bit of a byte says that more follow.
#[derive(Debug, Default)]
pub struct Forward {
    pub bytes: Array<u8>,
    pub ends: Array<u32>,
}

/// Lists being written.
#[derive(Default)]
pub struct Draft {
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

impl Draft {
    /// Adds the list of the next document. `terms` are distinct; they are sorted here.
    pub fn push(&mut self, terms: &mut [u32]) {
        terms.sort_unstable();
        let mut before = 0;
        for &term in terms.iter() {
            write(term - before, &mut self.bytes);
            before = term;
        }
        self.ends.push(self.bytes.len() as u32);
    }

    /// The lists.
    pub fn finish(self) -> Forward {
        Forward { bytes: self.bytes.into(), ends: self.ends.into() }
    }
}

impl Forward {
    /// The terms of a document, ascending.
    pub fn terms(&self, document: u32) -> Result<impl Iterator<Item = u32> + '_, Error> {
        let at = document as usize;
        let start = if at == 0 { 0 } else { self.ends.at(at - 1)? };
        let mut bytes = self.bytes.get(start as usize..self.ends.at(at)? as usize)?.iter();
        let mut before: u32 = 0;
        Ok(std::iter::from_fn(move || {
            before = before.wrapping_add(read(&mut bytes)?);
            Some(before)
        }))
    }
}

fn write(mut number: u32, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn read(bytes: &mut std::slice::Iter<'_, u8>) -> Option<u32> {
    let (mut number, mut shift) = (0, 0);
    loop {
        let byte = *bytes.next()?;
        number |= u32::from(byte & 0x7F).wrapping_shl(shift);
        if byte < 0x80 {
            return Some(number);
        }
        shift += 7;
    }
}

#[cfg(test)]
mod tests {
    use super::Draft;

    #[test]
    fn numbers_of_every_size_are_read_back() {
        let mut forward = Draft::default();
        forward.push(&mut [u32::MAX, 0, 300, 127, 128, 16_384, 16_383]);
        forward.push(&mut []);
        forward.push(&mut [5]);
        let forward = forward.finish();
        assert_eq!(forward.terms(0).unwrap().collect::<Vec<_>>(), [0, 127, 128, 300, 16_383, 16_384, u32::MAX]);
        assert_eq!(forward.terms(1).unwrap().count(), 0);
        assert_eq!(forward.terms(2).unwrap().collect::<Vec<_>>(), [5]);
    }
}
