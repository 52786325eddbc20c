//! A query text to its words, each with the index terms that stand for it.

use crate::text::language::Language;
use crate::text::spans::{word_spans, WordSpan};
use crate::text::words::Role;

/// Weight of one character of a run of a script without spaces, beside its pairs.
const CHARACTER_WEIGHT: f64 = 0.5;
/// Weight of all pieces of an identifier together, beside the identifier.
const PIECES_WEIGHT: f64 = 0.5;
/// Weight of another form of a word: `3.11` for `3.11.2`.
const VARIANT_WEIGHT: f64 = 0.5;
/// Number of words up to which a query may be key words: `while loop`, `this`.
const MAX_KEY_WORDS: usize = 3;

/// A word of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryWord {
    /// Its index term.
    pub term: String,
    /// Number of its occurrences in the query.
    pub count: u32,
    /// Its share of a whole word.
    pub weight: f64,
    /// Other index terms that stand for it, each with its weight beside the 1 of `term`.
    pub alternatives: Vec<(String, f64)>,
    /// First code point in the query of its first occurrence.
    pub start: usize,
    /// One past its last code point.
    pub end: usize,
    /// It is in capitals, and the query is not.
    pub is_capitalised: bool,
}

/// The words of a query, in order, each once, without stop words while another word is left.
pub fn query_words(text: &str, languages: &[Language]) -> Vec<QueryWord> {
    let characters: Vec<char> = text.chars().collect();
    let has_lower = characters.iter().any(|c| c.is_lowercase());
    let mut words = assemble(&word_spans(text));
    for word in &mut words {
        let source = &characters[word.start..word.end];
        word.is_capitalised = has_lower
            && !source.iter().any(|c| c.is_lowercase())
            && source.iter().filter(|c| c.is_uppercase()).count() > 1;
    }
    merge(without_stop_words(words, languages))
}

/// The words of the spans of a query; one that occurs twice is there twice.
fn assemble(spans: &[WordSpan]) -> Vec<QueryWord> {
    let mut words: Vec<QueryWord> = Vec::new();
    let mut joined: Option<&WordSpan> = None;
    let mut rest = spans;
    while let Some((span, after)) = rest.split_first() {
        rest = after;
        if joined.is_some_and(|joined| span.start >= joined.end) {
            joined = None;
        }
        match span.role {
            Role::Joined => {
                joined = Some(span);
                continue;
            }
            Role::Variant => {
                if let Some(word) = words.last_mut() {
                    word.alternatives.push((span.term.clone(), VARIANT_WEIGHT));
                }
                continue;
            }
            Role::Single => words.push(new_word(span, CHARACTER_WEIGHT)),
            _ => words.push(new_word(span, 1.0)),
        }
        if let (Some(joined), Some(word)) = (joined, words.last_mut()) {
            word.alternatives.push((joined.term.clone(), 1.0));
        }
        if span.role == Role::Whole {
            let count = rest.iter().take_while(|piece| piece.start < span.end).count();
            let (pieces, others) = rest.split_at(count);
            rest = others;
            if let Some(whole) = words.last_mut() {
                whole.alternatives.extend(other_spelling(&span.term, pieces).map(|spelling| (spelling, 1.0)));
            }
            let weight = PIECES_WEIGHT / count.max(1) as f64;
            words
                .extend(pieces.iter().filter(|piece| piece.role != Role::Variant).map(|piece| new_word(piece, weight)));
        }
    }
    words
}

fn new_word(span: &WordSpan, weight: f64) -> QueryWord {
    QueryWord {
        term: span.term.clone(),
        count: 1,
        weight,
        alternatives: Vec::new(),
        start: span.start,
        end: span.end,
        is_capitalised: false,
    }
}

/// The identifier in the other convention: `getusername` for `get_user_name`, and back.
fn other_spelling(term: &str, pieces: &[WordSpan]) -> Option<String> {
    let joined: String = pieces.iter().map(|piece| piece.term.as_str()).collect();
    if term.contains('_') {
        let plain = term.replace('_', "");
        return (!plain.is_empty()).then_some(plain);
    }
    let is_camel = pieces.len() > 1 && joined == term;
    is_camel.then(|| pieces.iter().map(|piece| piece.term.as_str()).collect::<Vec<_>>().join("_"))
}

/// The words without stop words; all of them if nothing else is left, or if the query is short and
/// doesn't ask.
fn without_stop_words(words: Vec<QueryWord>, languages: &[Language]) -> Vec<QueryWord> {
    let asks = |word: &QueryWord| languages.iter().any(|language| language.is_question_word(&word.term));
    if words.len() <= MAX_KEY_WORDS && !words.iter().any(asks) {
        return words;
    }
    let languages = languages_of(&words, languages);
    let is_stop_word =
        |word: &QueryWord| !word.is_capitalised && languages.iter().any(|language| language.is_stop_word(&word.term));
    if words.iter().all(is_stop_word) {
        return words;
    }
    words.into_iter().filter(|word| !is_stop_word(word)).collect()
}

/// The languages that have the most of the query's words as stop words: an English question keeps
/// `die`, which is a German stop word.
fn languages_of(words: &[QueryWord], languages: &[Language]) -> Vec<Language> {
    let count = |language: &Language| words.iter().filter(|word| language.is_stop_word(&word.term)).count();
    let most = languages.iter().map(count).max().unwrap_or(0);
    languages.iter().copied().filter(|language| count(language) == most).collect()
}

/// Each word once, with its count.
fn merge(words: Vec<QueryWord>) -> Vec<QueryWord> {
    let mut merged: Vec<QueryWord> = Vec::with_capacity(words.len());
    for word in words {
        let Some(known) = merged.iter_mut().find(|known| known.term == word.term) else {
            merged.push(word);
            continue;
        };
        known.count += word.count;
        known.weight = known.weight.max(word.weight);
        known.is_capitalised |= word.is_capitalised;
        for (term, weight) in word.alternatives {
            match known.alternatives.iter_mut().find(|(other, _)| *other == term) {
                Some((_, other)) => *other = other.max(weight),
                None => known.alternatives.push((term, weight)),
            }
        }
    }
    merged
}
