//! An immutable layer of the term dictionary: names and a hash table, in memory or mapped.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use siphasher::sip::SipHasher13;

use crate::error::Error;
use crate::files::array::{Array, Mapped};
use crate::files::file::{File, FileStamp, Kind};
use crate::files::image::Image;
use crate::files::label::{random, FileLabel};
use crate::terms::stems::{StemSettings, Stems, StemsBuilder};
use crate::text::language::Language;

const SECTIONS: [&str; 6] = ["names", "ends", "table", "languages", "stems", "other stems"];

/// The key of the hash function: without it, nobody can construct colliding terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed(pub u64, pub u64);

impl Seed {
    /// A new key.
    pub fn random() -> Seed {
        Seed(u64::from_le_bytes(random()), u64::from_le_bytes(random()))
    }

    /// The hash of a name.
    pub fn hash(self, name: &str) -> u32 {
        SipHasher13::new_with_keys(self.0, self.1).hash(name.as_bytes()) as u32
    }
}

/// Distinct names, numbered from 0.
#[derive(Debug)]
pub struct Layer {
    pub label: FileLabel,
    pub seed: Seed,
    names: Array<u8>,
    ends: Array<u32>,
    /// Ids plus one, each at the slot of its hash or at the next free one; 0 is free.
    table: Array<u32>,
    pub(crate) stems: Stems,
}

/// A layer under construction.
pub(crate) struct LayerBuilder<'a> {
    seed: Seed,
    names: Vec<u8>,
    ends: Vec<u32>,
    table: Vec<u32>,
    stems: StemsBuilder<'a>,
}

impl<'a> LayerBuilder<'a> {
    /// Allocates for `count` names.
    pub(crate) fn new(seed: Seed, count: usize, stems: StemSettings<'a>) -> Self {
        let (ends, table) = (Vec::with_capacity(count), vec![0; count * 3 / 2 + 1]);
        LayerBuilder { seed, names: Vec::new(), ends, table, stems: StemsBuilder::new(stems) }
    }

    /// Adds a name, which must be distinct from those before.
    pub(crate) fn push(&mut self, name: &str) {
        self.add(name);
        self.stems.push(name);
    }

    /// Adds the names of a layer.
    pub(crate) fn extend(&mut self, layer: &Layer) -> Result<(), Error> {
        layer.each_in(0..layer.len(), |name| self.add(name))?;
        self.stems.extend(layer)
    }

    fn add(&mut self, name: &str) {
        self.names.extend_from_slice(name.as_bytes());
        self.ends.push(self.names.len() as u32);
        let mut at = place(self.seed.hash(name), self.table.len());
        while self.table[at] != 0 {
            at = (at + 1) % self.table.len();
        }
        self.table[at] = self.ends.len() as u32;
    }

    /// The layer; an error if its names exceed 4 GiB.
    pub(crate) fn finish(self) -> Result<Layer, Error> {
        let LayerBuilder { seed, names, ends, table, stems } = self;
        u32::try_from(names.len()).map_err(|_| Error::Full)?;
        let (names, ends, table) = (names.into(), ends.into(), table.into());
        Ok(Layer { label: FileLabel::default(), seed, names, ends, table, stems: stems.finish() })
    }
}

impl Layer {
    /// The number of names.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns true if there are no names.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The total length of all names in bytes.
    pub fn size(&self) -> usize {
        self.names.len()
    }

    /// Returns true if the stems in all these languages are stored.
    pub fn has_stems(&self, languages: &[Language]) -> Result<bool, Error> {
        for &language in languages {
            if !self.stems.has(language)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn name(&self, id: u32) -> Result<&[u8], Error> {
        let start = if id == 0 { 0 } else { self.ends.at(id as usize - 1)? };
        let end = self.ends.at(id as usize)?;
        self.names.get(start as usize..end as usize)
    }

    /// The id of a name, given its hash.
    pub fn find(&self, hash: u32, name: &str) -> Result<Option<u32>, Error> {
        let (len, first) = (self.table.len(), place(hash, self.table.len()));
        for at in (first..len).chain(0..first) {
            let Some(id) = self.table.at(at)?.checked_sub(1) else { break };
            if self.name(id)? == name.as_bytes() {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    /// Calls `read` with the name of a number.
    pub fn read_name<T>(&self, id: u32, read: impl FnOnce(&str) -> T) -> Result<T, Error> {
        Ok(read(std::str::from_utf8(self.name(id)?).map_err(|_| self.names.wrong())?))
    }

    /// Calls `each` with the names of some numbers.
    pub fn each_in(&self, names: Range<usize>, mut each: impl FnMut(&str)) -> Result<(), Error> {
        let (all, ends) = (self.names.all()?, self.ends.all()?);
        let all = std::str::from_utf8(all).map_err(|_| self.names.wrong())?;
        let mut start = if names.start == 0 { 0 } else { ends[names.start - 1] as usize };
        for &end in &ends[names] {
            each(all.get(start..end as usize).ok_or_else(|| self.ends.wrong())?);
            start = end as usize;
        }
        Ok(())
    }

    /// The content of its file.
    pub fn image(&self) -> Image<'_> {
        Image {
            kind: Kind::Vocabulary,
            numbers: [self.len() as u64, self.seed.0, self.seed.1, 0, 0],
            sections: vec![
                self.names.bytes(),
                self.ends.bytes(),
                self.table.bytes(),
                self.stems.languages.bytes(),
                self.stems.codes.bytes(),
                self.stems.others.bytes(),
            ],
        }
    }

    /// Opens a layer from its file.
    pub fn open(folder: &Path, name: &str, mark: FileStamp) -> Result<Layer, Error> {
        let file = Arc::new(File::open(&folder.join(name), Kind::Vocabulary, &SECTIONS, mark)?);
        let [count, first, second, ..] = file.numbers();
        let layer = Layer {
            label: FileLabel::saved(name, mark),
            seed: Seed(first, second),
            names: Array::Mapped(Mapped::new(&file, 0, None)?),
            ends: Array::Mapped(Mapped::new(&file, 1, None)?),
            table: Array::Mapped(Mapped::new(&file, 2, None)?),
            stems: Stems {
                languages: Array::Mapped(Mapped::new(&file, 3, None)?),
                codes: Array::Mapped(Mapped::new(&file, 4, None)?),
                others: Array::Mapped(Mapped::new(&file, 5, None)?),
            },
        };
        let is_counted = layer.len() as u64 == count && count < u64::from(u32::MAX);
        if !is_counted || layer.table.is_empty() || !layer.stems.is_consistent(layer.len()) {
            return Err(file.senseless_header());
        }
        Ok(layer)
    }
}

/// The home slot of a hash in a table of this length.
fn place(hash: u32, len: usize) -> usize {
    ((u64::from(hash) * len as u64) >> 32) as usize
}
