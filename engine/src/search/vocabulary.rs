//! Words of the index by their start, and those that a mistyped word may stand for.

use std::collections::BTreeMap;

use crate::error::Error;
use crate::index::layout::TermKind;
use crate::index::state::Index;
use crate::search::words::{Expansion, QueryWord, Relation};
use crate::terms::keys::{deletions, start, KeyKind};
use crate::text::language::Language;
use crate::text::query::query_words;

/// The length from which a word may have two typing mistakes.
const MIN_TWO_MISTAKES: usize = 6;

/// The length up to which a word may have typing mistakes.
const MAX_LENGTH: usize = 48;

/// A word that another one may have been meant as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Respelling {
    /// The word in the index.
    pub word: String,
    /// The number of edits between the two.
    pub edits: usize,
    /// The number of documents with the word in their content.
    pub documents: u32,
}

/// A query word that the index does not contain in any form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownWord {
    /// First code point in the query of its first occurrence.
    pub start: usize,
    /// One past its last code point.
    pub end: usize,
    /// The words that it may have been meant as, the likeliest first.
    pub respellings: Vec<Respelling>,
}

impl Index {
    /// The words of all fields that begin with a prefix, those in most documents first, each with
    /// the number of documents of the field that has it most often.
    pub fn words_with_prefix(&self, prefix: &str, limit: Option<usize>) -> Result<Vec<(String, u32)>, Error> {
        let mut found: BTreeMap<String, u32> = BTreeMap::new();
        let range = start(prefix, 0)..=start(prefix, u8::MAX);
        self.keys.each_between((&self.vocabulary, self.layout), KeyKind::Start, range, |id| {
            let documents = self.frequencies[id as usize];
            if documents > 0 {
                self.vocabulary.name(id, |name| {
                    let word = self.layout.word(name);
                    if word.starts_with(prefix) {
                        let known = found.entry(word.to_owned()).or_default();
                        *known = documents.max(*known);
                    }
                })?;
            }
            Ok(())
        })?;
        let mut words: Vec<(String, u32)> = found.into_iter().collect();
        words.sort_by_key(|word| std::cmp::Reverse(word.1)); // stable: ties in the order of words
        words.truncate(limit.unwrap_or(usize::MAX));
        Ok(words)
    }

    /// The words of the content within one typing mistake of a word, or two of a longer one: the
    /// nearest first, then those in most documents.
    pub fn respellings(&self, word: &str) -> Result<Vec<Respelling>, Error> {
        let length = word.chars().count();
        if length > MAX_LENGTH {
            return Ok(Vec::new());
        }
        let most = if length < MIN_TWO_MISTAKES { 1 } else { 2 };
        let mut found: BTreeMap<String, usize> = BTreeMap::new();
        let keys = deletions(word);
        self.keys.each((&self.vocabulary, self.layout), KeyKind::Deletions, &keys, |id| {
            self.vocabulary.name(id, |name| found.insert(self.layout.word(name).to_owned(), 0)).map(drop)
        })?;
        let is_word = word.chars().all(char::is_alphabetic);
        found.extend(self.resembling(word)?.into_iter().filter(|_| is_word).map(|(near, _)| (near, 0)));
        let mut respellings = Vec::new();
        for near in found.into_keys().filter(|near| near != word) {
            if near.chars().count().abs_diff(length) > most {
                continue;
            }
            let edits = count_edits(word, &near);
            if edits > 1 && word.chars().next() != near.chars().next() {
                continue; // a second mistake in the first letter is rarer than another word
            }
            if let Some((id, documents)) = self.term(&self.layout.name(0, &near))?.filter(|_| edits <= most) {
                if self.kind(id)? == TermKind::Word(0) {
                    respellings.push(Respelling { word: near, edits, documents });
                }
            }
        }
        respellings.sort_by_key(|found| (found.edits, std::cmp::Reverse(found.documents)));
        Ok(respellings)
    }

    /// The words of a query text that the index has in no form, and that it has a respelling of.
    pub fn unknown_words(&self, query: &str, languages: &[Language]) -> Result<Vec<UnknownWord>, Error> {
        let forms = Expansion { languages: None, forms: 1.0, near: 0.0, names: 0.0 };
        let mut unknown = Vec::new();
        for word in query_words(query, languages) {
            let (start, end, term) = (word.start, word.end, word.term.clone());
            let terms = self.expand(&QueryWord::from(word), languages, &forms)?;
            if !terms.iter().any(|term| term.relation != Relation::Near) {
                let respellings = self.respellings(&term)?;
                if !respellings.is_empty() {
                    unknown.push(UnknownWord { start, end, respellings });
                }
            }
        }
        Ok(unknown)
    }
}

/// The number of letters to insert, delete, replace, or swap with the next one, no letter twice
/// (optimal string alignment).
pub fn count_edits(word: &str, other: &str) -> usize {
    let (word, other): (Vec<char>, Vec<char>) = (word.chars().collect(), other.chars().collect());
    let mut rows = vec![vec![0; other.len() + 1]; word.len() + 1];
    for i in 0..=word.len() {
        for j in 0..=other.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let replaced = rows[i - 1][j - 1] + usize::from(word[i - 1] != other[j - 1]);
                let swapped = i > 1 && j > 1 && word[i - 1] == other[j - 2] && word[i - 2] == other[j - 1];
                let least = replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                if swapped {
                    least.min(rows[i - 2][j - 2] + 1)
                } else {
                    least
                }
            };
        }
    }
    rows[word.len()][other.len()]
}

#[cfg(test)]
mod tests {
    use super::count_edits;

    #[test]
    fn a_swap_of_neighbours_is_one_edit() {
        let found = [("becuase", "because"), ("ca", "abc"), ("ownershp", "ownership"), ("", "ab"), ("dog", "dog")]
            .map(|(word, other)| count_edits(word, other));
        assert_eq!(found, [1, 3, 1, 2, 0]);
    }
}
