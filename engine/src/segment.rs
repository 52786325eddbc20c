//! A segment: an immutable body, the numbers its terms have in the index, and which of its documents are alive.

use std::sync::Arc;

use crate::bits::Bits;
use crate::body::Body;

/// A table pays if at least one of so many of its places is taken.
const SPARSEST: usize = 8;

/// How the body's number of a term is found from the index's.
#[derive(Debug)]
enum Locals {
    /// At its place in a table; `u32::MAX` if the body lacks the term.
    Table(Vec<u32>),
    /// Among the body's terms by ascending number in the index; empty if that is their order anyway.
    Order(Vec<u32>),
}

impl Locals {
    fn new(globals: &[u32]) -> Self {
        let most = globals.iter().max().map_or(0, |&most| most as usize + 1);
        if most <= globals.len().saturating_mul(SPARSEST) {
            let mut table = vec![u32::MAX; most];
            globals.iter().zip(0..).for_each(|(&global, local)| table[global as usize] = local);
            return Locals::Table(table);
        }
        let mut order = Vec::new();
        if !globals.is_sorted() {
            order.extend(0..globals.len() as u32);
            order.sort_unstable_by_key(|&local| globals[local as usize]);
        }
        Locals::Order(order)
    }
}

/// Documents that stand together in the order of slots.
#[derive(Clone, Debug)]
pub struct Segment {
    pub body: Arc<Body>,
    /// The index's number of each term of the body.
    globals: Arc<Vec<u32>>,
    locals: Arc<Locals>,
    alive: Bits,
    dead: usize,
    /// Whether somebody is making a larger segment of it.
    pub merging: bool,
}

impl Segment {
    /// A body, all alive, whose terms have these numbers in the index.
    pub fn new(body: Arc<Body>, globals: Vec<u32>) -> Self {
        let (locals, globals) = (Arc::new(Locals::new(&globals)), Arc::new(globals));
        let alive = Bits::all(body.len());
        Segment { body, globals, locals, alive, dead: 0, merging: false }
    }

    /// The body's number of a term.
    pub fn local(&self, global: u32) -> Option<u32> {
        match &*self.locals {
            Locals::Table(table) => table.get(global as usize).copied().filter(|&local| local != u32::MAX),
            Locals::Order(order) if order.is_empty() => self.globals.binary_search(&global).ok().map(|at| at as u32),
            Locals::Order(order) => {
                order.binary_search_by_key(&global, |&local| self.globals[local as usize]).ok().map(|at| order[at])
            }
        }
    }

    /// All terms as (the index's, the body's number).
    pub fn terms(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.globals.iter().copied().zip(0..)
    }

    /// The index's numbers of the distinct terms of a document.
    pub fn terms_of(&self, document: u32) -> impl Iterator<Item = u32> + '_ {
        self.body.forward.terms(document).map(|term| self.globals[term as usize])
    }

    /// The living document in `slot`.
    pub fn find(&self, slot: u64) -> Option<u32> {
        self.body.slots.find(slot).filter(|&document| self.alive.has(document))
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
        self.alive.clear(document);
        self.dead += 1;
    }

    /// Renumbers the terms of the index, in the same order. All of this segment's must have a number still.
    pub fn renumber(&mut self, numbers: &[u32]) {
        let globals: Vec<u32> = self.globals.iter().map(|&global| numbers[global as usize]).collect();
        (self.locals, self.globals) = (Arc::new(Locals::new(&globals)), Arc::new(globals));
    }
}
