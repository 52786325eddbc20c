//! Immutable arrays of numbers, in memory or in a mapped file.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::Arc;

use bytemuck::Pod;

use super::file::{File, BLOCK};
use crate::error::Error;

/// An immutable array. Blocks of a mapped file are verified at their first access.
#[derive(Debug)]
pub enum Array<T> {
    Owned(Vec<T>),
    Mapped(Mapped<T>),
}

/// A section of a mapped file.
#[derive(Debug)]
pub struct Mapped<T> {
    file: Arc<File>,
    section: usize,
    /// The upper bound of valid values, if there is one: it detects files that were forged with
    /// valid checksums.
    most: Option<T>,
    /// Bit set of the verified blocks.
    sound: Box<[AtomicU64]>,
}

impl<T> Default for Array<T> {
    fn default() -> Self {
        Array::Owned(Vec::new())
    }
}

impl<T> From<Vec<T>> for Array<T> {
    fn from(mut numbers: Vec<T>) -> Self {
        numbers.shrink_to_fit();
        Array::Owned(numbers)
    }
}

impl<T: Pod + Ord> Array<T> {
    /// The number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        match self {
            Array::Owned(numbers) => numbers.len(),
            Array::Mapped(mapped) => mapped.raw().len(),
        }
    }

    /// Returns true if the array is in a mapped file.
    #[inline]
    pub fn is_mapped(&self) -> bool {
        matches!(self, Array::Mapped(_))
    }

    /// Returns true if the array has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements of a range.
    #[inline]
    pub fn get(&self, range: Range<usize>) -> Result<&[T], Error> {
        match self {
            Array::Owned(numbers) => Ok(&numbers[range]),
            Array::Mapped(mapped) => mapped.get(range),
        }
    }

    /// The element at an index.
    #[inline]
    pub fn at(&self, place: usize) -> Result<T, Error> {
        match self {
            Array::Owned(numbers) => Ok(numbers[place]),
            Array::Mapped(mapped) => Ok(mapped.get(place..place.saturating_add(1))?[0]),
        }
    }

    /// All elements.
    pub fn all(&self) -> Result<&[T], Error> {
        self.get(0..self.len())
    }

    /// The index of `wanted` in an ascending array.
    pub fn search(&self, wanted: &T) -> Result<Option<usize>, Error> {
        match self {
            Array::Owned(numbers) => Ok(numbers.binary_search(wanted).ok()),
            Array::Mapped(_) => search_by(self.len(), |place| Ok(self.at(place)?.cmp(wanted))),
        }
    }

    /// The bytes as stored in the file, unverified.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Array::Owned(numbers) => bytemuck::cast_slice(numbers),
            Array::Mapped(mapped) => mapped.file.section(mapped.section),
        }
    }

    /// Error for elements that passed the checks of their blocks but are inconsistent.
    #[cold]
    pub fn wrong(&self) -> Error {
        match self {
            Array::Owned(_) => Error::Incomplete,
            Array::Mapped(mapped) => mapped.file.senseless(mapped.section),
        }
    }
}

/// Binary search: the index below `len` for which `compare` returns `Equal`.
pub(crate) fn search_by(
    len: usize,
    mut compare: impl FnMut(usize) -> Result<Ordering, Error>,
) -> Result<Option<usize>, Error> {
    let (mut low, mut high) = (0, len);
    while low < high {
        let middle = low + (high - low) / 2;
        match compare(middle)? {
            Ordering::Equal => return Ok(Some(middle)),
            Ordering::Less => low = middle + 1,
            Ordering::Greater => high = middle,
        }
    }
    Ok(None)
}

impl<T: Pod + Ord> Mapped<T> {
    /// Maps a section of a file, after a check of its alignment and size.
    pub fn new(file: &Arc<File>, section: usize, most: Option<T>) -> Result<Self, Error> {
        if bytemuck::try_cast_slice::<u8, T>(file.section(section)).is_err() {
            return Err(file.senseless(section));
        }
        let words = file.section(section).len().div_ceil(BLOCK).div_ceil(64);
        let sound = (0..words).map(|_| AtomicU64::new(0)).collect();
        Ok(Mapped { file: Arc::clone(file), section, most, sound })
    }

    #[inline]
    fn raw(&self) -> &[T] {
        bytemuck::cast_slice(self.file.section(self.section))
    }

    #[inline]
    fn get(&self, range: Range<usize>) -> Result<&[T], Error> {
        let Some(numbers) = self.raw().get(range.clone()) else { return Err(self.file.senseless(self.section)) };
        if !numbers.is_empty() {
            for block in range.start * size_of::<T>() / BLOCK..=(range.end * size_of::<T>() - 1) / BLOCK {
                // relaxed: the data that the bit vouches for is immutable
                if self.sound[block / 64].load(Relaxed) >> (block % 64) & 1 == 0 {
                    self.check(block)?;
                }
            }
        }
        Ok(numbers)
    }

    #[cold]
    fn check(&self, block: usize) -> Result<(), Error> {
        self.file.check(self.section, block)?;
        let (all, of_block) = (self.raw(), BLOCK / size_of::<T>());
        let numbers = &all[block * of_block..all.len().min((block + 1) * of_block)];
        if self.most.is_some_and(|most| numbers.iter().any(|number| *number > most)) {
            return Err(self.file.senseless(self.section));
        }
        self.sound[block / 64].fetch_or(1 << (block % 64), Relaxed);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::files::file::{FileStamp, Kind};
    use crate::files::image::Image;

    const NAMES: [&str; 3] = ["bytes", "nothing", "numbers"];

    /// A file with 100,000 rising numbers, changed by `change`; its mark is that of the file as it
    /// was.
    fn file(name: &str, change: impl FnOnce(&mut Vec<u8>)) -> (PathBuf, FileStamp) {
        let numbers: Vec<u32> = (0..100_000).map(|number| number * 3).collect();
        let sections: Vec<&[u8]> = vec![b"abc", b"", bytemuck::cast_slice(&numbers)];
        let image = Image { kind: Kind::Vocabulary, numbers: [7; 5], sections };
        let header = image.header();
        let mut bytes = vec![0; header.mark.size as usize];
        for (number, chunk) in bytes.chunks_mut(1000).enumerate() {
            image.fill(&header, number * 1000, chunk);
        }
        change(&mut bytes);
        let path = std::env::temp_dir().join(format!("spaniel-{}-{name}", std::process::id()));
        std::fs::write(&path, bytes).unwrap();
        (path, header.mark)
    }

    fn numbers(path: &PathBuf, mark: FileStamp, most: Option<u32>) -> Result<Array<u32>, Error> {
        let file = Arc::new(File::open(path, Kind::Vocabulary, &NAMES, mark)?);
        assert_eq!((file.numbers(), file.section(0), file.section(1)), ([7; 5], &b"abc"[..], &b""[..]));
        std::fs::remove_file(path).unwrap();
        Ok(Array::Mapped(Mapped::new(&file, 2, most)?))
    }

    #[test]
    fn numbers_in_a_file_are_those_that_were_written() {
        let (path, mark) = file("whole", |_| {});
        let array = numbers(&path, mark, Some(299_997)).unwrap();
        assert_eq!((array.len(), array.at(99_999), array.get(5..7)), (100_000, Ok(299_997), Ok(&[15, 18][..])));
        assert_eq!((array.search(&299_991), array.search(&4)), (Ok(Some(99_997)), Ok(None)));
        assert!(array.at(100_000).is_err() && array.get(5..100_001).is_err());
        #[allow(clippy::reversed_empty_ranges)] // as a file may have it
        let reversed = array.get(7..5);
        assert!(reversed.is_err());
    }

    #[test]
    fn damage_is_met_in_its_block_only() {
        let (path, mark) = file("damaged", |bytes| *bytes.last_mut().unwrap() ^= 64);
        let array = numbers(&path, mark, None).unwrap();
        assert_eq!(array.get(0..98_304).map(<[u32]>::len), Ok(98_304), "six blocks");
        let error = array.at(98_304).unwrap_err().to_string();
        assert!(error.contains("block 6 of its section 'numbers'"), "{error}");
    }

    #[test]
    fn a_number_that_makes_no_sense_is_met_in_its_block_only() {
        let (path, mark) = file("senseless", |_| {});
        let array = numbers(&path, mark, Some(299_996)).unwrap();
        assert_eq!((array.at(0), array.at(99_999).is_err()), (Ok(0), true));
    }

    #[test]
    fn a_file_that_is_not_the_one_that_was_marked_is_refused() {
        let (path, mark) = file("other", |bytes| bytes[40] = 8);
        assert!(matches!(numbers(&path, mark, None), Err(Error::Damaged(_))));
        let other = FileStamp { checksum: mark.checksum ^ 1, ..file("other", |_| {}).1 };
        assert!(matches!(numbers(&path, other, None), Err(Error::Damaged(_))));
        std::fs::remove_file(path).unwrap();
    }
}
