//! A segment: an immutable body, the numbers its terms have in the index, and which of its documents are alive.

use std::sync::Arc;

use crate::bits::Bits;
use crate::body::Body;
use crate::error::Error;
use crate::files::array::{search_by, Array};
use crate::files::label::Label;

/// A table pays if at least one of so many of its places is taken.
const SPARSEST: usize = 8;

/// How the body's number of a term is found from the index's.
#[derive(Debug)]
pub enum Locals {
    /// At its place in a table; `u32::MAX` if the body lacks the term.
    Table(Array<u32>),
    /// Among the body's terms by ascending number in the index; empty if that is their order anyway.
    Order(Array<u32>),
}

impl Locals {
    fn new(globals: &[u32]) -> Self {
        let most = globals.iter().max().map_or(0, |&most| most as usize + 1);
        if most <= globals.len().saturating_mul(SPARSEST) {
            let mut table = vec![u32::MAX; most];
            globals.iter().zip(0..).for_each(|(&global, local)| table[global as usize] = local);
            return Locals::Table(table.into());
        }
        let mut order = Vec::new();
        if !globals.is_sorted() {
            order.extend(0..globals.len() as u32);
            order.sort_unstable_by_key(|&local| globals[local as usize]);
        }
        Locals::Order(order.into())
    }
}

/// What never changes in a segment, and is one file.
#[derive(Debug)]
pub struct Part {
    pub body: Arc<Body>,
    /// The index's number of each term of the body.
    pub(crate) globals: Array<u32>,
    pub(crate) locals: Locals,
    pub label: Label,
}

/// Documents that stand together in the order of slots.
#[derive(Clone, Debug)]
pub struct Segment {
    pub part: Arc<Part>,
    /// Shared with the states before, until a document dies.
    alive: Arc<Bits>,
    dead: usize,
    /// Whether somebody is making a larger segment of it.
    pub merging: bool,
}

impl std::ops::Deref for Segment {
    type Target = Part;

    fn deref(&self) -> &Part {
        &self.part
    }
}

impl Part {
    /// A body whose terms have these numbers in the index.
    pub fn new(body: Arc<Body>, globals: Vec<u32>) -> Self {
        Part { body, locals: Locals::new(&globals), globals: globals.into(), label: Label::default() }
    }

    /// The body's number of a term.
    pub fn local(&self, global: u32) -> Result<Option<u32>, Error> {
        Ok(match &self.locals {
            Locals::Table(table) if global as usize >= table.len() => None,
            Locals::Table(table) => Some(table.at(global as usize)?).filter(|&local| local != u32::MAX),
            Locals::Order(order) if order.is_empty() => self.globals.search(&global)?.map(|at| at as u32),
            Locals::Order(order) => {
                let compare = |place| Ok(self.globals.at(order.at(place)? as usize)?.cmp(&global));
                search_by(order.len(), compare)?.map(|place| order.at(place)).transpose()?
            }
        })
    }

    /// All terms as (the index's, the body's number).
    pub fn terms(&self) -> Result<impl Iterator<Item = (u32, u32)> + '_, Error> {
        Ok(self.globals.all()?.iter().copied().zip(0..))
    }

    /// Calls `each` with the index's numbers of the distinct terms of a document.
    pub fn each_term_of(&self, document: u32, mut each: impl FnMut(u32)) -> Result<(), Error> {
        for term in self.body.forward.terms(document)? {
            each(self.globals.at(term as usize)?);
        }
        Ok(())
    }
}

impl Segment {
    /// A body, all alive, whose terms have these numbers in the index.
    pub fn new(body: Arc<Body>, globals: Vec<u32>) -> Self {
        Segment::all_alive(Arc::new(Part::new(body, globals)))
    }

    /// A part whose documents are all alive.
    pub fn all_alive(part: Arc<Part>) -> Self {
        let alive = Arc::new(Bits::all(part.body.len()));
        Segment { part, alive, dead: 0, merging: false }
    }

    /// The same with a set of living documents.
    pub fn with_alive(part: Arc<Part>, alive: Bits) -> Self {
        let dead = part.body.len() - alive.count();
        Segment { part, alive: Arc::new(alive), dead, merging: false }
    }

    /// Whether this and another are one segment at different times.
    pub fn is_same(&self, other: &Segment) -> bool {
        Arc::ptr_eq(&self.part, &other.part) || self.label.is_same(&other.label)
    }

    /// The living document in `slot`.
    pub fn find(&self, slot: u64) -> Result<Option<u32>, Error> {
        Ok(self.body.slots.find(slot)?.filter(|&document| self.alive.has(document)))
    }

    /// The set of living documents.
    pub fn alive(&self) -> &Bits {
        &self.alive
    }

    /// Documents dead but still here.
    pub fn dead(&self) -> usize {
        self.dead
    }

    /// Documents alive.
    pub fn living(&self) -> usize {
        self.body.len() - self.dead
    }

    /// Marks a living document dead.
    pub fn bury(&mut self, document: u32) {
        Arc::make_mut(&mut self.alive).clear(document);
        self.dead += 1;
    }

    /// The same with other numbers for the terms of the index, in the same order; `u32::MAX` for those that are in none.
    pub fn renumbered(self, numbers: &[u32]) -> Result<Self, Error> {
        let number = |&global: &u32| Some(numbers[global as usize]).filter(|&number| number != u32::MAX);
        let globals: Option<Vec<u32>> = self.globals.all()?.iter().map(number).collect();
        let globals = globals.ok_or_else(|| self.globals.wrong())?;
        let part = Arc::new(Part::new(Arc::clone(&self.body), globals));
        Ok(Segment { part, ..self })
    }
}
