//! Snapshots: one state of an index, written to files and opened from them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crate::error::Error;
use crate::files::bytes::{Reader, Writer};
use crate::files::file::{FileStamp, FORMAT, MAGIC};
use crate::files::image::{Header, Image};
use crate::files::label::FileLabel;
use crate::index::layout::{Layout, MAX_FIELDS};
use crate::index::memory;
use crate::index::persistent::PersistentVec;
use crate::index::segment::{Part, Segment};
use crate::index::state::Index;
use crate::index::statistics::{Statistics, TermCounts};
use crate::postings::bits::Bits;
use crate::terms::dictionary::TermDictionary;
use crate::terms::layer::Layer;
use crate::text::analyzer::Tokens;
use crate::text::unicode;

/// Number of released documents that makes a call of `malloc_trim` worthwhile.
const RELEASE_FROM: usize = 1 << 16;
/// Offset of the bytes that the checksum of a state covers.
const PREFIX: usize = 16;

/// A part of the index with a file of its own.
#[derive(Clone)]
pub enum Piece {
    Segment(Arc<Part>),
    Layer(Arc<Layer>),
}

impl Piece {
    fn label(&self) -> &FileLabel {
        match self {
            Piece::Segment(part) => &part.label,
            Piece::Layer(layer) => &layer.label,
        }
    }

    /// The name of its file.
    pub fn name(&self) -> &str {
        match self {
            Piece::Segment(part) => part.label.name("segment"),
            Piece::Layer(layer) => layer.label.name("terms"),
        }
    }

    /// Returns true if the part is read from its file.
    pub fn is_saved(&self) -> bool {
        self.label().saved
    }

    fn image(&self) -> Image<'_> {
        match self {
            Piece::Segment(part) => part.image(),
            Piece::Layer(layer) => layer.image(),
        }
    }

    fn header(&self) -> &Header {
        self.label().header(|| self.image().header())
    }

    /// Size and checksum of its file.
    pub fn mark(&self) -> FileStamp {
        self.header().mark
    }

    /// Fills `out` with the bytes of its file from offset `from`, before the file exists.
    pub fn fill(&self, from: usize, out: &mut [u8]) {
        self.image().fill(self.header(), from, out);
    }

    /// The same part, opened from its file.
    fn opened(&self, folder: &Path, terms: usize, layout: Layout) -> Result<Piece, Error> {
        Ok(match self {
            Piece::Segment(_) => {
                Piece::Segment(Arc::new(Part::open(folder, self.name(), self.mark(), terms, layout.fields)?))
            }
            Piece::Layer(_) => Piece::Layer(Arc::new(Layer::open(folder, self.name(), self.mark())?)),
        })
    }
}

/// A pinned state of an index.
pub struct Snapshot {
    layers: Vec<Arc<Layer>>,
    segments: Vec<Segment>,
    frequencies: PersistentVec<u32>,
    statistics: Statistics,
    last_doc_id: Option<u64>,
    layout: Layout,
}

/// Parts in memory, each with the same part opened from its file.
pub(crate) type Adoption = Vec<(Piece, Piece)>;

impl Snapshot {
    /// The snapshot of an index without recent terms.
    pub fn new(index: &Index) -> Self {
        Snapshot {
            layers: index.vocabulary.layers().to_vec(),
            segments: index.segments.clone(),
            frequencies: index.frequencies.clone(),
            statistics: index.statistics.clone(),
            last_doc_id: index.last_doc_id,
            layout: index.layout,
        }
    }

    /// All parts that have a file, or need one.
    pub fn pieces(&self) -> impl Iterator<Item = Piece> + '_ {
        let layers = self.layers.iter().map(|layer| Piece::Layer(Arc::clone(layer)));
        layers.chain(self.segments.iter().map(|segment| Piece::Segment(Arc::clone(&segment.part))))
    }

    /// Releases all parts, and memory if they held much.
    pub fn forget(&mut self) {
        let documents: usize =
            self.segments.iter().filter(|segment| !segment.label.saved).map(|segment| segment.postings.len()).sum();
        self.segments.clear();
        self.layers.clear();
        if documents >= RELEASE_FROM {
            memory::release();
        }
    }

    /// Opens the files of the parts that were unsaved.
    pub fn written(&self, folder: &Path) -> Result<Adoption, Error> {
        let unsaved = self.pieces().filter(|piece| !piece.is_saved());
        unsaved.map(|piece| Ok((piece.clone(), piece.opened(folder, self.frequencies.len(), self.layout)?))).collect()
    }

    /// The serialized state, without the parts.
    pub fn state(&self, tokens: Tokens) -> Vec<u8> {
        let mut out = Writer::default();
        out.bytes(unicode::VERSION.as_bytes());
        out.bytes(tokens.name().as_bytes());
        out.number(self.layout.fields as u64);
        out.number(u64::from(self.layout.marked));
        let terms = self.statistics.terms();
        out.number(self.statistics.documents);
        out.number(self.statistics.parts);
        self.statistics.tokens.iter().for_each(|&tokens| out.number(tokens));
        [terms.words, terms.others, terms.roots].into_iter().for_each(|count| out.number(count));
        out.number(u64::from(self.last_doc_id.is_some()));
        out.number(self.last_doc_id.unwrap_or(0));
        out.number(self.statistics.frequencies().len() as u64);
        for &(df, terms) in self.statistics.frequencies() {
            out.number(u64::from(df));
            out.number(terms);
        }
        let add = |out: &mut Writer, piece: Piece| {
            out.bytes(piece.name().as_bytes());
            out.number(piece.mark().size);
            out.number(u64::from(piece.mark().checksum));
        };
        out.number(self.layers.len() as u64);
        self.layers.iter().for_each(|layer| add(&mut out, Piece::Layer(Arc::clone(layer))));
        out.number(self.segments.len() as u64);
        for segment in &self.segments {
            add(&mut out, Piece::Segment(Arc::clone(&segment.part)));
            out.bytes(&if segment.num_deleted() > 0 { segment.live_docs().bytes() } else { Vec::new() });
        }
        out.number(self.frequencies.len() as u64);
        let mut frequencies = Vec::with_capacity(self.frequencies.len());
        self.frequencies.iter().for_each(|&frequency| push_varint(&mut frequencies, frequency));
        out.bytes(&frequencies);
        let checksum = crc32fast::hash(&out.0);
        [&MAGIC[..], &FORMAT.to_le_bytes(), &checksum.to_le_bytes(), &out.0].concat()
    }
}

impl Index {
    /// Replaces parts in memory by the same parts opened from files.
    pub fn adopt(&mut self, adoption: &Adoption) {
        for pair in adoption {
            match pair {
                (Piece::Segment(old), Piece::Segment(new)) => {
                    let same = self.segments.iter_mut().find(|segment| Arc::ptr_eq(&segment.part, old));
                    same.into_iter().for_each(|segment| segment.part = Arc::clone(new));
                }
                (Piece::Layer(old), Piece::Layer(new)) => self.vocabulary.adopt(old, new),
                _ => {}
            }
        }
    }
}

/// Opens the index of a serialized state whose files are in `folder`, and returns its tokens.
/// Errors about the state name the folder.
pub(crate) fn open(folder: &Path, state: &[u8]) -> Result<(Index, Tokens), Error> {
    let damaged = |problem: &str| Error::damaged(folder, problem);
    if state.len() < PREFIX || state[..8] != MAGIC {
        return Err(damaged("is not a state of an index"));
    }
    let number = |at: usize| u32::from_le_bytes(state[at..at + 4].try_into().expect("four bytes"));
    if number(8) != FORMAT {
        let problem = format!("is of format {}, and this version of Spaniel reads format {FORMAT}", number(8));
        return Err(Error::version(folder, problem));
    }
    if number(12) != crc32fast::hash(&state[PREFIX..]) {
        return Err(damaged("is damaged"));
    }
    let mut reader = Reader { left: &state[PREFIX..], path: folder };
    let unicode = reader.text()?;
    if unicode != unicode::VERSION {
        let problem =
            format!("has words of Unicode {unicode}, and this version of Spaniel has Unicode {}", unicode::VERSION);
        return Err(Error::version(folder, problem));
    }
    let name = reader.text()?;
    let tokens = Tokens::by_name(name).ok_or_else(|| reader.senseless())?;
    let index = read(folder, &mut reader)?;
    if !reader.left.is_empty() {
        return Err(reader.senseless());
    }
    Ok((index, tokens))
}

fn read(folder: &Path, reader: &mut Reader<'_>) -> Result<Index, Error> {
    let layout = Layout { fields: reader.small::<u32>()? as usize, marked: reader.number()? != 0 };
    if !(1..=MAX_FIELDS).contains(&layout.fields) {
        return Err(reader.senseless());
    }
    let (documents, parts) = (reader.number()?, reader.number()?);
    let mut tokens = [0; MAX_FIELDS];
    for tokens in &mut tokens {
        *tokens = reader.number()?;
    }
    let counts = TermCounts { words: reader.number()?, others: reader.number()?, roots: reader.number()? };
    let last_doc_id = (reader.number()? != 0, reader.number()?);
    let mut histogram = BTreeMap::new();
    for _ in 0..reader.number()? {
        histogram.insert(reader.small::<u32>()?, reader.number()?);
    }
    let mut layers = Vec::new();
    for _ in 0..reader.number()? {
        let (name, mark) = piece(reader)?;
        layers.push(Arc::new(Layer::open(folder, name, mark)?));
    }
    let one_seed = layers.windows(2).all(|pair| pair[0].seed == pair[1].seed);
    let terms: usize = layers.iter().map(|layer| layer.len()).sum();
    if !one_seed || terms > u32::MAX as usize {
        return Err(reader.senseless());
    }
    let mut segments: Vec<Segment> = Vec::new();
    for _ in 0..reader.number()? {
        let (name, mark) = piece(reader)?;
        let part = Arc::new(Part::open(folder, name, mark, terms, layout.fields)?);
        let live = reader.bytes()?;
        let after_the_last = |last: &Segment| last.postings.doc_ids.last() < part.postings.doc_ids.first();
        if !segments.last().is_none_or(after_the_last) {
            return Err(reader.senseless());
        }
        segments.push(if live.is_empty() {
            Segment::with_all_live(part)
        } else {
            let bits = Bits::from_bytes(live);
            if live.len() != part.postings.len().div_ceil(64) * 8 || bits.beyond(part.postings.len()) {
                return Err(reader.senseless());
            }
            Segment::with_live(part, bits)
        });
    }
    let (count, mut bytes) = (reader.small::<u32>()? as usize, reader.bytes()?);
    let mut frequencies = Vec::with_capacity(count.min(bytes.len()));
    while let Some((frequency, rest)) = take_varint(bytes) {
        frequencies.push(frequency);
        bytes = rest;
    }
    if frequencies.len() != count || !bytes.is_empty() {
        return Err(reader.senseless());
    }
    let frequencies = PersistentVec::<u32>::from(&frequencies[..]);
    let living: u64 = segments.iter().map(|segment| segment.num_live() as u64).sum();
    let last = segments.last().map(|segment| segment.postings.doc_ids.last());
    let last_doc_id = last_doc_id.0.then_some(last_doc_id.1);
    if frequencies.len() != terms || living != documents || last > last_doc_id || parts > documents {
        return Err(reader.senseless());
    }
    let statistics = Statistics::new(documents, parts, tokens, counts, histogram);
    Ok(Index {
        vocabulary: TermDictionary::new(layers),
        frequencies,
        segments,
        statistics,
        last_doc_id,
        layout,
        ..Index::default()
    })
}

/// Appends a number, seven bits a byte, the low ones first; the high bit says that more follow.
fn push_varint(out: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// The number at the start of some bytes, and the bytes after it.
fn take_varint(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let mut number = 0_u64;
    for (at, &byte) in bytes.iter().take(5).enumerate() {
        number |= u64::from(byte & 0x7F) << (7 * at);
        if byte < 0x80 {
            return Some((u32::try_from(number).ok()?, &bytes[at + 1..]));
        }
    }
    None
}

/// File name and stamp. The name is a plain name inside the folder.
fn piece<'a>(reader: &mut Reader<'a>) -> Result<(&'a str, FileStamp), Error> {
    let name = reader.text()?;
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '.';
    if name.starts_with('.') || name.is_empty() || !name.chars().all(plain) {
        return Err(reader.senseless());
    }
    Ok((name, FileStamp { size: reader.number()?, checksum: reader.small()? }))
}
