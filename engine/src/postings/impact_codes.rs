//! Impact codes. A code names a distinct pair of term frequency and document length, the two inputs
//! of a BM25 score from a document. No score is stored, and one index serves every variant and
//! parameter.

use bytemuck::{Pod, Zeroable};
use foldhash::HashMap;

use crate::search::bm25::Model;

/// The maximum number of codes of a segment. A batch that needs more becomes several segments; one
/// document never does, as it has fewer distinct frequencies than the square root of twice its
/// length.
pub(crate) const MAX_CODES: usize = if cfg!(fuzzing) { 1 << 8 } else { 1 << 16 };

/// The frequency of a term in a document, and the length of the document in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub struct TfAndLength {
    pub frequency: u32,
    pub length: u32,
}

/// Dictionary of codes in order of first appearance.
#[derive(Clone, Debug, Default)]
pub(crate) struct ImpactCodes {
    codes: HashMap<TfAndLength, u16>,
    list: Vec<TfAndLength>,
}

impl ImpactCodes {
    /// The code of `pair`, new if needed; None if all codes are taken.
    pub(crate) fn intern(&mut self, pair: TfAndLength) -> Option<u16> {
        if let Some(&code) = self.codes.get(&pair) {
            return Some(code);
        }
        let code = u16::try_from(self.list.len()).ok().filter(|&code| usize::from(code) < MAX_CODES)?;
        self.codes.insert(pair, code);
        self.list.push(pair);
        Some(code)
    }

    /// Returns true if `pair` has a code.
    pub(crate) fn knows(&self, pair: TfAndLength) -> bool {
        self.codes.contains_key(&pair)
    }

    /// The pairs, by code.
    pub(crate) fn list(&self) -> &[TfAndLength] {
        &self.list
    }

    /// The pairs in order of impact, and the new code of each old one. The order is that of BM25L
    /// for documents of `average` length; for other models the bounds of a window are valid too,
    /// only less tight.
    pub(crate) fn by_impact(&self, average: f64) -> (Vec<TfAndLength>, Vec<u16>) {
        let model = Model::by_name("BM25L").expect("a row of the table");
        let impacts: Vec<f64> = self.list.iter().map(|&pair| model.saturation(pair, average)).collect();
        let mut order: Vec<u16> = (0..self.list.len()).map(|code| code as u16).collect();
        order.sort_unstable_by(|&a, &b| {
            let (a, b) = (a as usize, b as usize);
            impacts[a].total_cmp(&impacts[b]).then(self.list[a].cmp(&self.list[b]))
        });
        let mut codes = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            codes[old as usize] = new as u16;
        }
        (order.iter().map(|&old| self.list[old as usize]).collect(), codes)
    }
}
