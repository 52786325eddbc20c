//! The rows that a search may return, by chunk.

use std::borrow::Cow;

use roaring::RoaringTreemap;

use super::chunk::Chunk;

/// The document ids that a search may return.
#[derive(Clone, Copy)]
pub enum Allowed<'a> {
    /// All documents.
    All,
    /// In ascending order.
    DocIds(&'a [u64]),
    /// A bitmap of ids.
    Set(&'a RoaringTreemap),
}

/// The eligible rows of a chunk, ascending; None for all.
pub type Candidates<'a> = Option<Cow<'a, [u32]>>;

/// The live, eligible rows of each chunk.
pub fn choose_candidates<'a>(chunks: &'a [Chunk], allowed: Allowed<'_>) -> Vec<Candidates<'a>> {
    match allowed {
        Allowed::All => chunks.iter().map(|chunk| chunk.live_rows().map(Cow::Borrowed)).collect(),
        Allowed::DocIds(doc_ids) => among(chunks, doc_ids.iter().copied()),
        Allowed::Set(set) => among(chunks, set.iter()),
    }
}

fn among(chunks: &[Chunk], doc_ids: impl Iterator<Item = u64>) -> Vec<Candidates<'_>> {
    let mut doc_ids = doc_ids.peekable();
    let rows = chunks.iter().map(|chunk| {
        let own = &chunk.body.doc_ids;
        let (first, last) = (own[0], own[own.len() - 1]);
        let gapless = last - first == own.len() as u64 - 1;
        let (mut rows, mut from) = (Vec::new(), 0);
        while let Some(doc_id) = doc_ids.next_if(|&doc_id| doc_id <= last) {
            let row = if gapless {
                doc_id.checked_sub(first).map(|row| row as usize)
            } else {
                from += position(&own[from..], doc_id);
                (own[from] == doc_id).then_some(from)
            };
            rows.extend(row.map(|row| row as u32).filter(|&row| chunk.is_live(row)));
        }
        rows
    });
    rows.map(|rows| Some(Cow::Owned(rows))).collect()
}

/// The position of the first element that is not less, by galloping search, as it is often near.
fn position(doc_ids: &[u64], doc_id: u64) -> usize {
    let mut end = 1;
    while end < doc_ids.len() && doc_ids[end] < doc_id {
        end *= 2;
    }
    let start = end / 2;
    start + doc_ids[start..doc_ids.len().min(end + 1)].partition_point(|&each| each < doc_id)
}

/// The number of candidate rows.
pub fn count(chunks: &[Chunk], candidates: &[Candidates<'_>]) -> usize {
    chunks.iter().zip(candidates).map(|(chunk, rows)| rows.as_ref().map_or(chunk.len(), |rows| rows.len())).sum()
}

/// The first eligible document id.
pub fn first(chunks: &[Chunk], candidates: &[Candidates<'_>]) -> Option<u64> {
    chunks.iter().zip(candidates).find_map(|(chunk, rows)| {
        let row = rows.as_ref().map_or(Some(0), |rows| rows.first().copied())?;
        chunk.body.doc_ids.get(row as usize).copied()
    })
}

#[cfg(test)]
mod tests {
    use super::position;

    #[test]
    fn a_slot_is_found_by_doubling_steps() {
        let doc_ids: Vec<u64> = (0..100).map(|i| i * i).collect();
        for doc_id in 0..=9801 {
            assert_eq!(position(&doc_ids, doc_id), doc_ids.partition_point(|&each| each < doc_id));
        }
    }
}
