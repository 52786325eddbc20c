//! Segments as files.

use std::path::Path;
use std::sync::Arc;

use bytemuck::Pod;

use crate::body::{Body, MOST_POSTINGS, WINDOW};
use crate::error::Error;
use crate::files::array::{Array, Mapped};
use crate::files::file::{File, Kind, Mark};
use crate::files::image::Image;
use crate::files::label::Label;
use crate::forward::Forward;
use crate::marks::Marks;
use crate::pairs::MOST_CODES;
use crate::segment::{Locals, Part};
use crate::slots::Slots;

const SECTIONS: [&str; 16] = [
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
];

impl Part {
    /// What a file of it holds.
    pub fn image(&self) -> Image<'_> {
        let body = &self.body;
        let slots: &[u8] = match &body.slots {
            Slots::Run { .. } => &[],
            Slots::List { list, .. } => list.bytes(),
        };
        let (kind, locals) = match &self.locals {
            Locals::Order(order) => (0, order),
            Locals::Table(table) => (1, table),
        };
        Image {
            kind: Kind::Segment,
            numbers: [body.len() as u64, body.slots.first(), body.slots.last(), kind, body.rare as u64],
            sections: vec![
                slots,
                body.lengths.bytes(),
                body.forward.bytes.bytes(),
                body.forward.ends.bytes(),
                body.pairs.bytes(),
                body.lists.bytes(),
                body.starts.bytes(),
                body.greatest.bytes(),
                body.low.bytes(),
                body.codes.bytes(),
                body.marks.places.bytes(),
                body.marks.bits.bytes(),
                body.marks.before.bytes(),
                body.packed.bytes(),
                self.globals.bytes(),
                locals.bytes(),
            ],
        }
    }

    /// The part in a file of a folder, for an index of so many terms.
    pub fn open(folder: &Path, name: &str, mark: Mark, terms: usize) -> Result<Part, Error> {
        let file = Arc::new(File::open(&folder.join(name), Kind::Segment, &SECTIONS, mark)?);
        let mut sections = Sections { file: &file, next: 0 };
        let [documents, first, last, locals_kind, rare] = file.numbers();
        let documents = u32::try_from(documents).ok().filter(|&documents| documents > 0);
        let documents = documents.ok_or_else(|| file.senseless_header())?;
        let list: Array<u64> = sections.next(None)?;
        let slots = match list.len() {
            0 => Slots::Run { first, len: documents as usize },
            _ => Slots::List { first, last, list },
        };
        let (lengths, bytes, ends) = (sections.next(None)?, sections.next(None)?, sections.next(None)?);
        let pairs: Array<_> = sections.next(None)?;
        let code = pairs.len().saturating_sub(1).min(MOST_CODES - 1) as u16;
        let body = Body {
            slots,
            lengths,
            forward: Forward { bytes, ends },
            pairs,
            lists: sections.next(None)?,
            starts: sections.next(None)?,
            greatest: sections.next(Some(code))?,
            low: sections.next(Some(WINDOW as u16 - 1))?,
            codes: sections.next(Some(code))?,
            marks: Marks { places: sections.next(None)?, bits: sections.next(None)?, before: sections.next(None)? },
            packed: sections.next(None)?,
            rare: usize::try_from(rare).map_err(|_| file.senseless_header())?,
        };
        let globals = sections.next(Some((terms as u32).saturating_sub(1)))?;
        let locals = sections.next(None)?;
        let locals = if locals_kind == 1 { Locals::Table(locals) } else { Locals::Order(locals) };
        let part = Part { body: Arc::new(body), globals, locals, label: Label::saved(name, mark) };
        if part.is_consistent(documents as usize, last, terms) {
            Ok(part)
        } else {
            Err(file.senseless_header())
        }
    }

    /// Whether the arrays have the lengths that they must have.
    fn is_consistent(&self, documents: usize, last: u64, terms: usize) -> bool {
        let body = &self.body;
        let slots = match body.slots {
            Slots::Run { first, len } => last >= first && last - first == len as u64 - 1 && last < u64::MAX,
            Slots::List { first, last, .. } => last >= first && last - first >= documents as u64,
        };
        let locals = match &self.locals {
            Locals::Order(order) => order.is_empty() || order.len() == self.globals.len(),
            Locals::Table(_) => true,
        };
        slots
            && locals
            && [body.len(), body.lengths.len(), body.forward.ends.len()] == [documents; 3]
            && body.terms() == self.globals.len()
            && self.globals.len() <= terms
            && (body.postings() == 0 || !body.pairs.is_empty())
            && body.starts.len() == body.greatest.len() + 1
            && body.marks.places.len() * body.windows() == body.greatest.len()
            && body.low.len() == body.codes.len()
            && body.rare <= MOST_POSTINGS
    }
}

/// The sections of a file, one after the other.
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
