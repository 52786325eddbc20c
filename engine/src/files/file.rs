//! A memory-mapped file: its header is verified when it is opened, each block when it is first
//! read.

use std::path::{Path, PathBuf};

use memmap2::Mmap;

use crate::error::Error;

/// The first bytes of every index file.
pub(crate) const MAGIC: [u8; 8] = *b"SPANIEL\0";
/// The format version. A reader accepts its own only: the index can be rebuilt at any time.
pub(crate) const FORMAT: u32 = 3;
/// Bytes of a section that share a checksum.
pub(crate) const BLOCK: usize = 1 << 16;
/// Sections begin at multiples of this.
pub(crate) const ALIGNMENT: usize = 64;
/// Bytes before the table of sections.
pub(crate) const FIXED: usize = 72;
/// Bytes of a section in that table.
pub(crate) const ENTRY: usize = 16;

/// The content of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Segment = 1,
    Vocabulary = 2,
}

/// Size and checksum, which identify the file of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileStamp {
    pub size: u64,
    /// The checksum of the header, which holds the checksums of the blocks.
    pub checksum: u32,
}

/// A file with sections of numbers.
#[derive(Debug)]
pub struct File {
    path: PathBuf,
    map: Mmap,
    names: &'static [&'static str],
    sections: Vec<Section>,
    numbers: [u64; 5],
}

#[derive(Debug)]
struct Section {
    start: usize,
    end: usize,
    /// Offset of its block checksums in the header.
    checksums: usize,
}

impl File {
    /// Opens the file of a part, whose sections have these names.
    pub fn open(path: &Path, kind: Kind, names: &'static [&'static str], mark: FileStamp) -> Result<File, Error> {
        let unreadable = |error| Error::unreadable(path, &error);
        if cfg!(target_endian = "big") {
            return Err(Error::version(path, "is for machines that store the low byte of a number first"));
        }
        let file = std::fs::File::open(path).map_err(unreadable)?;
        let size = file.metadata().map_err(unreadable)?.len();
        if size != mark.size || size < FIXED as u64 {
            return Err(Error::damaged(path, format!("has {size} bytes where {} were written", mark.size)));
        }
        // SAFETY: index files are written once, under a new name, and never modified, only deleted.
        let map = unsafe { Mmap::map(&file) }.map_err(unreadable)?;
        let mut file = File { path: path.to_owned(), map, names, sections: Vec::new(), numbers: [0; 5] };
        file.read_header(kind, mark)?;
        Ok(file)
    }

    fn read_header(&mut self, kind: Kind, mark: FileStamp) -> Result<(), Error> {
        let map = &self.map[..];
        if map[..8] != MAGIC {
            return Err(Error::damaged(&self.path, "is no file of an index"));
        }
        let format = u32_at(map, 8);
        if format != FORMAT {
            let problem = format!("is of format {format}, and this version of Spaniel reads format {FORMAT}");
            return Err(Error::version(&self.path, problem));
        }
        let bad = || Error::damaged(&self.path, "has a damaged header");
        let (end, count) = (u32_at(map, 24) as usize, u32_at(map, 28) as usize);
        if end > map.len() || end < FIXED + 4 + self.names.len() * ENTRY || count != self.names.len() {
            return Err(bad());
        }
        let checksum = u32_at(map, end - 4);
        if checksum != mark.checksum || checksum != crc32fast::hash(&map[..end - 4]) {
            return Err(bad());
        }
        if u32_at(map, 12) != kind as u32 || u64_at(map, 16) != mark.size {
            return Err(bad());
        }
        let mut checksums = FIXED + count * ENTRY;
        let mut sections = Vec::with_capacity(count);
        for at in (FIXED..checksums).step_by(ENTRY) {
            let (start, length) = (u64_at(map, at), u64_at(map, at + 8));
            let fits = start.checked_add(length).is_some_and(|end| end <= map.len() as u64);
            if !fits || !start.is_multiple_of(ALIGNMENT as u64) {
                return Err(bad());
            }
            let (start, length) = (start as usize, length as usize);
            sections.push(Section { start, end: start + length, checksums });
            checksums += length.div_ceil(BLOCK) * 4;
        }
        if checksums != end - 4 {
            return Err(bad());
        }
        let numbers = [32, 40, 48, 56, 64].map(|at| u64_at(map, at));
        (self.sections, self.numbers) = (sections, numbers);
        Ok(())
    }

    /// The five numbers of the header.
    pub fn numbers(&self) -> [u64; 5] {
        self.numbers
    }

    /// The bytes of a section, unverified.
    #[inline]
    pub fn section(&self, section: usize) -> &[u8] {
        let Section { start, end, .. } = self.sections[section];
        &self.map[start..end]
    }

    /// Compares a block of a section with its checksum.
    pub fn check(&self, section: usize, block: usize) -> Result<(), Error> {
        let bytes = self.section(section);
        let bytes = &bytes[block * BLOCK..bytes.len().min((block + 1) * BLOCK)];
        if crc32fast::hash(bytes) == u32_at(&self.map, self.sections[section].checksums + block * 4) {
            return Ok(());
        }
        let problem = format!("is damaged in block {block} of its section '{}'", self.names[section]);
        Err(Error::damaged(&self.path, problem))
    }

    /// Error for an inconsistent section.
    #[cold]
    pub fn senseless(&self, section: usize) -> Error {
        Error::damaged(&self.path, format!("has senseless numbers in its section '{}'", self.names[section]))
    }

    /// Error for an inconsistent header.
    #[cold]
    pub fn senseless_header(&self) -> Error {
        Error::damaged(&self.path, "has senseless numbers in its header")
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}
