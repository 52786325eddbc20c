//! Segments as files.

use std::path::Path;
use std::sync::Arc;

use bytemuck::Pod;

use crate::error::Error;
use crate::files::array::{Array, Mapped};
use crate::files::file::{File, FileStamp, Kind};
use crate::files::image::Image;
use crate::files::label::FileLabel;
use crate::index::segment::{Part, TermOrdinals};
use crate::postings::doc_ids::DocIds;
use crate::postings::forward::Forward;
use crate::postings::frequent_terms::FrequentTermBitsets;
use crate::postings::impact_codes::MAX_CODES;
use crate::postings::segment_postings::{SegmentPostings, MAX_POSTINGS, WINDOW};

const SECTIONS: [&str; 17] = [
    "slots",
    "lengths",
    "forward",
    "forward ends",
    "pairs",
    "lists",
    "starts",
    "greatest",
    "low",
    "codes",
    "mark places",
    "mark bits",
    "marks before",
    "packed",
    "globals",
    "locals",
    "roots",
];

impl Part {
    /// The content of its file.
    pub fn image(&self) -> Image<'_> {
        let postings = &self.postings;
        let doc_ids: &[u8] = match &postings.doc_ids {
            DocIds::Run { .. } => &[],
            DocIds::List { list, .. } => list.bytes(),
        };
        let (kind, ordinals) = match &self.ordinals {
            TermOrdinals::Order(order) => (0, order),
            TermOrdinals::Table(table) => (1, table),
        };
        Image {
            kind: Kind::Segment,
            numbers: [
                postings.len() as u64,
                postings.doc_ids.first(),
                postings.doc_ids.last(),
                kind,
                postings.rare as u64,
            ],
            sections: vec![
                doc_ids,
                postings.lengths.bytes(),
                postings.forward.bytes.bytes(),
                postings.forward.ends.bytes(),
                postings.pairs.bytes(),
                postings.lists.bytes(),
                postings.starts.bytes(),
                postings.greatest.bytes(),
                postings.low.bytes(),
                postings.codes.bytes(),
                postings.marks.places.bytes(),
                postings.marks.bits.bytes(),
                postings.marks.before.bytes(),
                postings.packed.bytes(),
                self.term_ids.bytes(),
                ordinals.bytes(),
                postings.roots.bytes(),
            ],
        }
    }

    /// Opens a part from its file, for an index of `terms` terms and `fields` text fields.
    pub fn open(folder: &Path, name: &str, mark: FileStamp, terms: usize, fields: usize) -> Result<Part, Error> {
        let file = Arc::new(File::open(&folder.join(name), Kind::Segment, &SECTIONS, mark)?);
        let mut sections = Sections { file: &file, next: 0 };
        let [documents, first, last, ordinals_kind, rare] = file.numbers();
        let documents = u32::try_from(documents).ok().filter(|&documents| documents > 0);
        let documents = documents.ok_or_else(|| file.senseless_header())?;
        let list: Array<u64> = sections.next(None)?;
        let doc_ids = match list.len() {
            0 => DocIds::Run { first, len: documents as usize },
            _ => DocIds::List { first, last, list },
        };
        let (lengths, bytes, ends) = (sections.next(None)?, sections.next(None)?, sections.next(None)?);
        let pairs: Array<_> = sections.next(None)?;
        let code = pairs.len().saturating_sub(1).min(MAX_CODES - 1) as u16;
        let mut postings = SegmentPostings {
            doc_ids,
            lengths,
            forward: Forward { bytes, ends },
            pairs,
            lists: sections.next(None)?,
            starts: sections.next(None)?,
            greatest: sections.next(Some(code))?,
            low: sections.next(Some(WINDOW as u16 - 1))?,
            codes: sections.next(Some(code))?,
            marks: FrequentTermBitsets {
                places: sections.next(None)?,
                bits: sections.next(None)?,
                before: sections.next(None)?,
            },
            packed: sections.next(None)?,
            rare: usize::try_from(rare).map_err(|_| file.senseless_header())?,
            roots: Array::default(),
        };
        let term_ids = sections.next(Some((terms as u32).saturating_sub(1)))?;
        let ordinals = sections.next(None)?;
        postings.roots = sections.next(None)?;
        let ordinals = if ordinals_kind == 1 { TermOrdinals::Table(ordinals) } else { TermOrdinals::Order(ordinals) };
        let part = Part { postings: Arc::new(postings), term_ids, ordinals, label: FileLabel::saved(name, mark) };
        if part.is_consistent(documents as usize, last, terms, fields) {
            Ok(part)
        } else {
            Err(file.senseless_header())
        }
    }

    /// Returns true if the lengths of all arrays agree.
    fn is_consistent(&self, documents: usize, last: u64, terms: usize, fields: usize) -> bool {
        let postings = &self.postings;
        let doc_ids = match postings.doc_ids {
            DocIds::Run { first, len } => last >= first && last - first == len as u64 - 1 && last < u64::MAX,
            DocIds::List { first, last, .. } => last >= first && last - first >= documents as u64,
        };
        let ordinals = match &self.ordinals {
            TermOrdinals::Order(order) => order.is_empty() || order.len() == self.term_ids.len(),
            TermOrdinals::Table(_) => true,
        };
        doc_ids
            && ordinals
            && [postings.len(), postings.forward.ends.len()] == [documents; 2]
            && postings.lengths.len() == documents * fields
            && (postings.roots.is_empty() || postings.roots.len() == documents)
            && postings.terms() == self.term_ids.len()
            && self.term_ids.len() <= terms
            && (postings.num_postings() == 0 || !postings.pairs.is_empty())
            && postings.starts.len() == postings.greatest.len() + usize::from(!postings.greatest.is_empty())
            && postings.marks.places.len() * postings.windows() == postings.greatest.len()
            && postings.low.len() == postings.codes.len()
            && postings.rare <= MAX_POSTINGS
    }
}

/// Reads the sections of a file in order.
struct Sections<'a> {
    file: &'a Arc<File>,
    next: usize,
}

impl Sections<'_> {
    fn next<T: Pod + Ord>(&mut self, most: Option<T>) -> Result<Array<T>, Error> {
        self.next += 1;
        Ok(Array::Mapped(Mapped::new(self.file, self.next - 1, most)?))
    }
}
