//! The distinct terms of each document: what a removal needs to correct the statistics.

/// Lists of term numbers. Each is ascending and kept as the differences, in groups of seven bits, the lowest first; the
/// high bit of a byte says that more follow.
#[derive(Clone, Debug, Default)]
pub struct Forward {
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

impl Forward {
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

    /// The terms of a document, ascending.
    pub fn terms(&self, document: u32) -> impl Iterator<Item = u32> + '_ {
        let at = document as usize;
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        let mut bytes = self.bytes[start as usize..self.ends[at] as usize].iter();
        let mut before = 0;
        std::iter::from_fn(move || {
            before += read(&mut bytes)?;
            Some(before)
        })
    }

    /// Gives back room that was kept for growth.
    pub fn shrink(&mut self) {
        self.bytes.shrink_to_fit();
        self.ends.shrink_to_fit();
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
        number |= u32::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            return Some(number);
        }
        shift += 7;
    }
}

#[cfg(test)]
mod tests {
    use super::Forward;

    #[test]
    fn numbers_of_every_size_are_read_back() {
        let mut forward = Forward::default();
        forward.push(&mut [u32::MAX, 0, 300, 127, 128, 16_384, 16_383]);
        forward.push(&mut []);
        forward.push(&mut [5]);
        assert_eq!(forward.terms(0).collect::<Vec<_>>(), [0, 127, 128, 300, 16_383, 16_384, u32::MAX]);
        assert_eq!(forward.terms(1).count(), 0);
        assert_eq!(forward.terms(2).collect::<Vec<_>>(), [5]);
    }
}
