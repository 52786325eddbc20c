//! The documents that contain several words, each in any of its forms.

use roaring::RoaringTreemap;

use crate::error::Error;
use crate::index::state::Index;
use crate::postings::bits::Bits;
use crate::search::words::{Expansion, QueryWord, Relation};

/// The live documents that contain at least `least` of the words: those that it is asked of, their
/// forms, or, if there are none, the words that resemble them.
///
/// `field`: the only one in which a word counts; None: any.
pub fn find_documents(
    index: &Index,
    words: &[QueryWord],
    expansion: &Expansion,
    field: Option<usize>,
    least: usize,
) -> Result<RoaringTreemap, Error> {
    let languages = match &expansion.languages {
        Some(languages) => languages.clone(),
        None => index.languages()?,
    };
    let mut terms: Vec<Vec<u32>> = Vec::with_capacity(words.len());
    for word in words {
        let mut found = index.expand(word, &languages, expansion)?;
        found.retain(|term| term.amount > 0.0 && field.is_none_or(|field| term.field == field));
        if found.iter().any(|term| term.relation != Relation::Near) {
            found.retain(|term| term.relation != Relation::Near);
        }
        terms.push(found.iter().map(|term| term.id).collect());
    }
    let mut documents = RoaringTreemap::new();
    for segment in &index.segments {
        let postings = &segment.postings;
        let mut counts = vec![0; postings.len()];
        for ids in &terms {
            let mut holders = Bits::none(postings.len());
            for &id in ids {
                if let Some(ordinal) = segment.ordinal(id)? {
                    postings.each_posting(ordinal, |document, _| holders.set(document))?;
                }
            }
            for (document, count) in counts.iter_mut().enumerate() {
                *count += usize::from(holders.has(document as u32));
            }
        }
        for (document, &count) in counts.iter().enumerate() {
            if count >= least && segment.live_docs().has(document as u32) {
                documents.insert(postings.doc_ids.at(document)?);
            }
        }
    }
    Ok(documents)
}
