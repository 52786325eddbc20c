//! Selection of the best hits.

use std::cmp::Ordering;

/// A document and its score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    pub doc_id: u64,
    pub score: f64,
}

impl Hit {
    /// Descending score, then ascending document id.
    pub(crate) fn order(&self, other: &Hit) -> Ordering {
        other.score.total_cmp(&self.score).then(self.doc_id.cmp(&other.doc_id))
    }
}

/// Collects hits in any order; keeps the best `limit`, and temporarily a few more.
pub(crate) struct TopK {
    limit: usize,
    hits: Vec<Hit>,
    floor: f64,
}

impl TopK {
    /// Keeps `limit` hits (None: all) that score at least `min_score`.
    pub(crate) fn new(limit: Option<usize>, min_score: Option<f64>) -> Self {
        let floor = min_score.unwrap_or(f64::NEG_INFINITY);
        TopK { limit: limit.unwrap_or(usize::MAX), hits: Vec::new(), floor }
    }

    /// The score below which a hit is certainly not among the best.
    #[inline]
    pub(crate) fn floor(&self) -> f64 {
        self.floor
    }

    /// Drops all hits but the best, and returns the new floor.
    pub(crate) fn raise_floor(&mut self) -> f64 {
        self.prune();
        if self.limit > 0 && self.hits.len() == self.limit {
            let lowest = self.hits.iter().map(|hit| hit.score).fold(f64::INFINITY, f64::min);
            self.floor = self.floor.max(lowest);
        }
        self.floor
    }

    /// Offers a hit.
    pub(crate) fn offer(&mut self, hit: Hit) {
        if hit.score >= self.floor {
            self.hits.push(hit);
            if self.hits.len() >= self.limit.saturating_mul(2).max(64) && self.hits.len() > self.limit {
                self.prune();
            }
        }
    }

    /// Drops all but the best `limit` hits, and raises the floor to the last of them.
    fn prune(&mut self) {
        let Some(last) = self.limit.checked_sub(1).filter(|_| self.limit < self.hits.len()) else { return };
        self.hits.select_nth_unstable_by(last, Hit::order);
        self.hits.truncate(self.limit);
        self.floor = self.hits[last].score;
    }

    /// The best hits in order.
    pub(crate) fn into_sorted(mut self) -> Vec<Hit> {
        self.prune();
        self.hits.sort_unstable_by(Hit::order);
        self.hits.truncate(self.limit);
        self.hits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_hits_are_kept_and_ties_go_to_the_lower_number() {
        let offers: Vec<_> = (0..1000).rev().map(|n| Hit { doc_id: n, score: (n % 7) as f64 }).collect();
        let mut expected = offers.clone();
        expected.sort_by(Hit::order);
        for limit in [0, 1, 10, 100, 2000] {
            let mut top = TopK::new(Some(limit), None);
            offers.iter().for_each(|&hit| top.offer(hit));
            assert_eq!(top.into_sorted(), expected[..limit.min(1000)]);
        }
    }
}
