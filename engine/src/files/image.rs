//! The bytes of a file to be written: a header with the checksums of all blocks, then the sections.

use super::file::{FileStamp, Kind, ALIGNMENT, BLOCK, ENTRY, FIXED, FORMAT, MAGIC};

/// The content of a file to be written.
pub struct Image<'a> {
    pub kind: Kind,
    pub numbers: [u64; 5],
    pub sections: Vec<&'a [u8]>,
}

/// The header of a file.
#[derive(Debug)]
pub struct Header {
    bytes: Vec<u8>,
    pub mark: FileStamp,
}

impl Header {
    /// The header of an existing file, of which only the stamp is known.
    pub fn of(mark: FileStamp) -> Self {
        Header { bytes: Vec::new(), mark }
    }
}

impl Image<'_> {
    /// Computes the header.
    pub fn header(&self) -> Header {
        let blocks: usize = self.sections.iter().map(|section| section.len().div_ceil(BLOCK)).sum();
        let length = FIXED + self.sections.len() * ENTRY + blocks * 4 + 4;
        let (starts, size) = self.places(length);
        let mut bytes = MAGIC.to_vec();
        let add = |bytes: &mut Vec<u8>, number: u64, width: usize| {
            bytes.extend_from_slice(&number.to_le_bytes()[..width]);
        };
        for number in [FORMAT, self.kind as u32] {
            add(&mut bytes, u64::from(number), 4);
        }
        add(&mut bytes, size as u64, 8);
        for number in [length, self.sections.len()] {
            add(&mut bytes, number as u64, 4);
        }
        self.numbers.iter().for_each(|&number| add(&mut bytes, number, 8));
        for (start, section) in starts.iter().zip(&self.sections) {
            add(&mut bytes, *start as u64, 8);
            add(&mut bytes, section.len() as u64, 8);
        }
        for block in self.sections.iter().flat_map(|section| section.chunks(BLOCK)) {
            add(&mut bytes, u64::from(crc32fast::hash(block)), 4);
        }
        let checksum = crc32fast::hash(&bytes);
        add(&mut bytes, u64::from(checksum), 4);
        Header { bytes, mark: FileStamp { size: size as u64, checksum } }
    }

    /// Offsets of the sections after a header of this length, and the end of the last one.
    fn places(&self, header: usize) -> (Vec<usize>, usize) {
        let mut end = header;
        let place = |section: &&[u8]| {
            let start = end.next_multiple_of(ALIGNMENT);
            end = start + section.len();
            start
        };
        let starts = self.sections.iter().map(place).collect();
        (starts, end)
    }

    /// Fills `out` with the bytes of the file from offset `from`.
    pub fn fill(&self, header: &Header, from: usize, out: &mut [u8]) {
        out.fill(0);
        let (starts, _) = self.places(header.bytes.len());
        let pieces = starts.iter().copied().zip(self.sections.iter().copied());
        for (start, piece) in [(0, &header.bytes[..])].into_iter().chain(pieces) {
            let (first, last) = (start.max(from), (start + piece.len()).min(from + out.len()));
            if first < last {
                out[first - from..last - from].copy_from_slice(&piece[first - start..last - start]);
            }
        }
    }
}
