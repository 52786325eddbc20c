//! Merges adjacent segments into one, without their deleted documents.

use std::ops::Range;
use std::sync::Arc;

use crate::error::Error;
use crate::index::segment::Segment;
use crate::index::state::Index;
use crate::postings::builder::PostingsBuilder;
use crate::postings::forward::{self, Forward};
use crate::postings::impact_codes::{ImpactCodes, TfAndLength, MAX_CODES};
use crate::postings::segment_postings::{SegmentPostings, MAX_POSTINGS, NO_ROOT};

/// Segments of a tier that are merged, and the size ratio of adjacent tiers. A document is moved
/// once per tier, and a search meets few segments.
const SEGMENTS_PER_MERGE: usize = 4;

/// The size of a segment by those after it, above which they are not merged to save space.
const MAX_RATIO: usize = 8;

/// The new number of each document of each source; `u32::MAX` for deleted ones.
struct Merger<'a> {
    sources: &'a [Segment],
    documents: Vec<Vec<u32>>,
    /// By source: the new code of each old one.
    codes: Vec<Vec<u16>>,
}

/// Segments of a running merge, as they were when it began.
pub struct Merge {
    sources: Vec<Segment>,
}

impl Index {
    /// The segments of the next due merge that moves at most `most` documents, and whether a larger
    /// one is due.
    pub fn due_merge(&self, most: usize) -> (Option<Range<usize>>, bool) {
        let free = self.segments.iter().rposition(|segment| segment.merging).map_or(0, |last| last + 1);
        let mut larger = false;
        for run in due(&self.segments[free..]) {
            let run = run.start + free..run.end + free;
            if self.segments[run.clone()].iter().map(Segment::num_live).sum::<usize>() <= most {
                return (Some(run), larger);
            }
            larger = true;
        }
        (None, larger)
    }

    /// The last segments, of at most `most` documents, none of which is much larger than those
    /// after it: a document is moved once per growth by a `MAX_RATIO`th.
    pub fn last_segments(&self, most: usize) -> Range<usize> {
        let (mut start, mut count) = (self.segments.len(), 0);
        for segment in self.segments.iter().rev() {
            let len = segment.num_live();
            if segment.merging || count + len > most || (count > 0 && len / MAX_RATIO > count) {
                break;
            }
            (start, count) = (start - 1, count + len);
        }
        start..start + fitting(&self.segments[start..])
    }

    /// Starts a merge, and marks its segments as taken.
    pub fn start_merge(&mut self, run: Range<usize>) -> Merge {
        let sources = self.segments[run.clone()].to_vec();
        self.segments[run].iter_mut().for_each(|segment| segment.merging = true);
        Merge { sources }
    }

    /// Replaces the sources of a merge by its result, without the documents deleted meanwhile. No
    /// effect if the index was compacted since.
    pub fn commit_merge(&mut self, merge: &Merge, mut made: Segment) -> Result<(), Error> {
        let count = merge.sources.len();
        let Some(at) = self.place_of(merge) else { return Ok(()) };
        for (now, then) in self.segments[at..at + count].iter().zip(&merge.sources) {
            for document in (0..then.postings.len() as u32).filter(|&document| then.live_docs().has(document)) {
                if !now.live_docs().has(document) {
                    made.find(then.postings.doc_ids.at(document as usize)?)?
                        .into_iter()
                        .for_each(|dead| made.mark_deleted(dead));
                }
            }
        }
        let made = Some(made).filter(|segment| !segment.postings.is_empty());
        self.segments.splice(at..at + count, made);
        Ok(())
    }

    /// Releases the segments of a failed merge.
    pub fn abandon_merge(&mut self, merge: &Merge) {
        if let Some(at) = self.place_of(merge) {
            self.segments[at..at + merge.sources.len()].iter_mut().for_each(|segment| segment.merging = false);
        }
    }

    /// Position of the sources of a merge, if they still exist.
    fn place_of(&self, merge: &Merge) -> Option<usize> {
        let same = |(now, then): (&Segment, &Segment)| now.is_same(then);
        let mut runs = self.segments.windows(merge.sources.len());
        runs.position(|now| now.iter().zip(&merge.sources).all(same))
    }
}

impl Merge {
    /// The number of documents that it moves.
    pub fn documents(&self) -> usize {
        self.sources.iter().map(Segment::num_live).sum()
    }

    /// Performs the merge. Needs no index.
    pub fn run(&self) -> Result<Segment, Error> {
        merge_segments(&self.sources)
    }
}

/// Ranges of segments that can be merged: suffixes with `SEGMENTS_PER_MERGE` segments of the
/// highest tier, the longest first; then that many segments before a larger one, which would keep
/// them from being in such a suffix.
fn due(segments: &[Segment]) -> impl Iterator<Item = Range<usize>> + use<> {
    let tiers: Vec<u32> = segments.iter().map(|segment| segment.num_live().max(1).ilog(SEGMENTS_PER_MERGE)).collect();
    let fitting: Vec<usize> = (0..segments.len()).map(|start| fitting(&segments[start..])).collect();
    let smaller: Vec<Range<usize>> = (0..segments.len())
        .map(|end| end - tiers[..end].iter().rev().take_while(|&&tier| tier < tiers[end]).count()..end)
        .filter(|run| run.len() >= SEGMENTS_PER_MERGE)
        .collect();
    let is_due = move |start: &usize| {
        let highest = tiers[*start..].iter().max();
        tiers[*start..].iter().filter(|&tier| Some(tier) == highest).count() >= SEGMENTS_PER_MERGE
    };
    let suffixes = (0..segments.len()).filter(is_due).map(|start| start..segments.len());
    let fit = move |run: Range<usize>| run.start..run.end.min(run.start + fitting[run.start]);
    suffixes.chain(smaller).collect::<Vec<_>>().into_iter().map(fit).filter(|run| run.len() > 1)
}

/// The number of leading segments that fit into one segment.
pub(crate) fn fitting(segments: &[Segment]) -> usize {
    let (mut codes, mut postings) = (0, 0);
    let fits = |segment: &&Segment| {
        codes += segment.postings.pairs.len();
        postings += segment.postings.num_postings();
        codes <= MAX_CODES && postings <= MAX_POSTINGS
    };
    segments.iter().take_while(fits).count().max(usize::from(!segments.is_empty()))
}

/// Merges the live documents of `sources`, which must fit into one segment.
pub(crate) fn merge_segments(sources: &[Segment]) -> Result<Segment, Error> {
    let mut next = 0;
    let mut number = |segment: &Segment, document| {
        let live = segment.live_docs().has(document);
        next += u32::from(live);
        if live {
            next - 1
        } else {
            u32::MAX
        }
    };
    let documents: Vec<Vec<u32>> = sources
        .iter()
        .map(|segment| (0..segment.postings.len() as u32).map(|document| number(segment, document)).collect())
        .collect();
    let (mut doc_ids, mut lengths) = (Vec::with_capacity(next as usize), Vec::with_capacity(next as usize));
    for segment in sources {
        let all_lengths = segment.postings.lengths.all()?;
        let fields = all_lengths.len() / segment.postings.len().max(1);
        for document in (0..segment.postings.len()).filter(|&document| segment.live_docs().has(document as u32)) {
            doc_ids.push(segment.postings.doc_ids.at(document)?);
            lengths.extend_from_slice(&all_lengths[document * fields..(document + 1) * fields]);
        }
    }
    let mut merger = Merger { sources, documents, codes: Vec::new() };
    let content = lengths.iter().step_by((lengths.len() / doc_ids.len().max(1)).max(1));
    let tokens: u64 = content.map(|&length| u64::from(length)).sum();
    let pairs = merger.merge_codes(tokens as f64 / doc_ids.len().max(1) as f64)?;
    let (postings, term_ids) = merger.merge_lists(doc_ids.len(), pairs.len())?;
    let (doc_ids, lengths, pairs) = (doc_ids.into(), lengths.into(), pairs.into());
    Ok(Segment::new(Arc::new(SegmentPostings { doc_ids, lengths, pairs, ..postings }), term_ids))
}

impl Merger<'_> {
    /// Computes `codes`; returns the pairs of the new ones.
    fn merge_codes(&mut self, average_length: f64) -> Result<Vec<TfAndLength>, Error> {
        let mut pairs = ImpactCodes::default();
        for (segment, documents) in self.sources.iter().zip(&self.documents) {
            let mut used = vec![segment.num_deleted() == 0; segment.postings.pairs.len()];
            if segment.num_deleted() > 0 {
                for ordinal in 0..segment.postings.terms() as u32 {
                    segment.postings.each_posting(ordinal, |document, code| {
                        used[code as usize] |= documents[document as usize] != u32::MAX;
                    })?;
                }
            }
            let code = |(&pair, used)| if used { pairs.intern(pair).expect("the sources fit") } else { 0 };
            self.codes.push(segment.postings.pairs.all()?.iter().zip(used).map(code).collect());
        }
        let (ordered, codes) = pairs.by_impact(average_length);
        // an unused code maps to 0, which need not exist
        self.codes.iter_mut().flatten().for_each(|code| *code = codes.get(*code as usize).copied().unwrap_or(0));
        Ok(ordered)
    }

    /// The posting lists of all live documents, and the term id of each ordinal.
    fn merge_lists(&self, documents: usize, codes: usize) -> Result<(SegmentPostings, Vec<u32>), Error> {
        let mut terms: Vec<(u32, u32, u32)> = Vec::new(); // term id, source, ordinal in the source
        for (source, segment) in self.sources.iter().enumerate() {
            terms.extend(segment.terms()?.map(|(term_id, ordinal)| (term_id, source as u32, ordinal)));
        }
        terms.sort_unstable();
        let (mut term_ids, mut counts) = (Vec::new(), Vec::new());
        let mut numbers: Vec<Vec<u32>> =
            self.sources.iter().map(|segment| vec![u32::MAX; segment.postings.terms()]).collect();
        for &(term_id, source, ordinal) in &terms {
            let count = self.num_live(source as usize, ordinal)?;
            if count == 0 {
                continue;
            }
            if term_ids.last() != Some(&term_id) {
                term_ids.push(term_id);
                counts.push(0);
            }
            *counts.last_mut().expect("just pushed") += count;
            numbers[source as usize][ordinal as usize] = term_ids.len() as u32 - 1;
        }
        term_ids.shrink_to_fit();
        let mut assembly = PostingsBuilder::new(&counts, documents);
        for &(_, source, ordinal) in &terms {
            let (number, source) = (numbers[source as usize][ordinal as usize], source as usize);
            self.sources[source].postings.each_posting(ordinal, |document, code| {
                let document = self.documents[source][document as usize];
                if document != u32::MAX {
                    assembly.push(number, document, self.codes[source][code as usize]);
                }
            })?;
        }
        let (forward, roots) = (self.merge_forward(&numbers)?, self.merge_roots(&numbers)?.into());
        Ok((SegmentPostings { roots, forward, ..assembly.finish(codes) }, term_ids))
    }

    fn merge_roots(&self, numbers: &[Vec<u32>]) -> Result<Vec<u32>, Error> {
        let mut roots = Vec::new();
        if self.sources.iter().all(|segment| segment.postings.roots.is_empty()) {
            return Ok(roots);
        }
        for (segment, numbers) in self.sources.iter().zip(numbers) {
            for document in (0..segment.postings.len() as u32).filter(|&document| segment.live_docs().has(document)) {
                let root = segment.postings.root(document)?;
                roots.push(root.and_then(|root| numbers.get(root as usize)).copied().unwrap_or(NO_ROOT));
            }
        }
        Ok(roots)
    }

    /// The number of live documents of a source that contain a term.
    fn num_live(&self, source: usize, ordinal: u32) -> Result<u32, Error> {
        let segment = &self.sources[source];
        if segment.num_deleted() == 0 {
            return segment.postings.frequency(ordinal);
        }
        let mut count = 0;
        let documents = &self.documents[source];
        segment
            .postings
            .each_posting(ordinal, |document, _| count += u32::from(documents[document as usize] != u32::MAX))?;
        Ok(count)
    }

    fn merge_forward(&self, numbers: &[Vec<u32>]) -> Result<Forward, Error> {
        let (mut forward, mut list) = (forward::ForwardBuilder::default(), Vec::new());
        for (segment, numbers) in self.sources.iter().zip(numbers) {
            for document in (0..segment.postings.len() as u32).filter(|&document| segment.live_docs().has(document)) {
                list.clear();
                for term in segment.postings.forward.terms(document)? {
                    let number = numbers.get(term as usize).filter(|&&number| number != u32::MAX);
                    list.push(*number.ok_or_else(|| segment.postings.forward.bytes.wrong())?);
                }
                forward.push(&mut list);
            }
        }
        Ok(forward.finish())
    }
}
