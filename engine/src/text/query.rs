//! A query text to its words, each with the index terms that stand for it.

use std::collections::{HashMap, HashSet};

use crate::text::language::Language;
use crate::text::scripts;
use crate::text::spans::{word_spans, WordSpan};
use crate::text::stop_words;
use crate::text::words::Role;

/// Weight of one character of a run of a script without spaces, beside its pairs.
const CHARACTER_WEIGHT: f64 = 0.5;
/// Weight of all pieces of an identifier together, beside the identifier.
const PIECES_WEIGHT: f64 = 1.0;
/// Weight of another form of a word: `3.11` for `3.11.2`.
const VARIANT_WEIGHT: f64 = 0.5;
/// Weight of a pair with a Chinese character without content.
// XQuAD Chinese with these pairs at 1: nDCG@10 .9668; at .5: .9706; without them .9693.
const FUNCTION_PAIR_WEIGHT: f64 = 0.5;
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
    merge(without_stop_words(words, languages, &characters))
}

/// The words of the spans of a query; one that occurs twice is there twice.
fn assemble(spans: &[WordSpan]) -> Vec<QueryWord> {
    let is_chinese = !spans.iter().any(|span| span.term.contains(|c| matches!(c, 'ぁ'..='ヿ')));
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
            Role::Pair if is_chinese && span.term.contains(stop_words::is_function_character) => {
                words.push(new_word(span, FUNCTION_PAIR_WEIGHT));
            }
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

/// The words without stop words. If only function words are left, or if the query is short and
/// doesn't ask, all of them but question words.
fn without_stop_words(words: Vec<QueryWord>, languages: &[Language], query: &[char]) -> Vec<QueryWord> {
    let languages = languages_of(&words, languages);
    let is_function_word = |word: &QueryWord| languages.iter().any(|language| language.is_function_word(&word.term));
    let contents: HashSet<&str> =
        words.iter().filter(|word| !is_function_word(word)).filter_map(|word| hyphenated(word, query)).collect();
    let in_any = |word: &QueryWord, is_listed: fn(Language, &str) -> bool| {
        let is_content = word.is_capitalised || hyphenated(word, query).is_some_and(|joined| contents.contains(joined));
        !is_content && languages.iter().any(|&language| is_listed(language, &word.term))
    };
    let asks = words.iter().any(|word| in_any(word, Language::is_question_word));
    let is_short = words.iter().filter(|word| word.weight == 1.0).count() <= MAX_KEY_WORDS;
    let has_content = words.iter().any(|word| !in_any(word, Language::is_function_word));
    let is_listed =
        if has_content && (asks || !is_short) { Language::is_stop_word } else { Language::is_question_word };
    let kept: Vec<QueryWord> = words.iter().filter(|word| !in_any(word, is_listed)).cloned().collect();
    if kept.is_empty() {
        return words;
    }
    kept
}

/// The joined form of the words that a word is connected with by a hyphen: `upregulation` for `up`
/// of `up-regulation`, which then counts as content.
fn hyphenated<'a>(word: &'a QueryWord, query: &[char]) -> Option<&'a str> {
    let is_hyphen = |at: usize| query.get(at).is_some_and(|&c| scripts::is_hyphen(c));
    let (joined, _) = word.alternatives.first()?;
    (is_hyphen(word.end) || is_hyphen(word.start.wrapping_sub(1))).then_some(joined)
}

/// The languages that have the most of the query's words as function words: an English question
/// keeps `die`, which is a German stop word.
//
// An index of HotpotQA, MuSiQue and XQuAD German (nDCG@10): .785, .595, .931 as with the query's
// own language; with the stop words of either language .781, .596, .931; of both .783, .571, .915.
fn languages_of(words: &[QueryWord], languages: &[Language]) -> Vec<Language> {
    let count = |language: &Language| words.iter().filter(|word| language.is_function_word(&word.term)).count();
    let most = languages.iter().map(count).max().unwrap_or(0);
    languages.iter().copied().filter(|language| count(language) == most).collect()
}

/// Each word once, with its count.
fn merge(words: Vec<QueryWord>) -> Vec<QueryWord> {
    let mut merged: Vec<QueryWord> = Vec::with_capacity(words.len());
    let mut places: HashMap<String, usize> = HashMap::with_capacity(words.len());
    for word in words {
        let place = *places.entry(word.term.clone()).or_insert(merged.len());
        let Some(known) = merged.get_mut(place) else {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(query: &str, languages: &[Language]) -> Vec<String> {
        query_words(query, languages).into_iter().map(|word| word.term).collect()
    }

    fn english(query: &str) -> Vec<String> {
        terms(query, &[Language::English])
    }

    #[test]
    fn a_question_loses_its_stop_words() {
        assert_eq!(english("what is ownership"), ["ownership"]);
        assert_eq!(english("How do I publish a package?"), ["publish", "package"]);
    }

    #[test]
    fn short_queries_without_a_question_word_stay_whole() {
        assert_eq!(english("while loop"), ["while", "loop"]);
        assert_eq!(english("this"), ["this"]);
    }

    #[test]
    fn a_query_of_function_words_keeps_them_but_for_question_words() {
        assert_eq!(english("to be or not to be"), ["to", "be", "or", "not"]);
        assert_eq!(english("what is this"), ["is", "this"]);
        assert_eq!(english("why"), ["why"]);
    }

    #[test]
    fn capitals_are_no_stop_words_unless_all_are() {
        assert_eq!(english("US economy in the 1990s"), ["us", "economy", "1990s"]);
        assert_eq!(english("When was WHO founded in Geneva"), ["who", "founded", "geneva"]);
        assert_eq!(english("HOW DO IT TEAMS WORK"), ["teams", "work"]);
    }

    #[test]
    fn a_stop_word_of_another_language_stays() {
        let both = [Language::English, Language::German];
        assert_eq!(terms("what is the size of a die", &both), ["size", "die"]);
        assert_eq!(terms("wer hat die Mauer gebaut", &both), ["mauer", "gebaut"]);
    }

    #[test]
    fn connected_words_are_words_that_the_joined_form_stands_for() {
        let words = query_words("up-regulation of e-mail", &[Language::English]);
        let found: Vec<_> = words.iter().map(|word| (&word.term[..], &word.alternatives[0].0[..])).collect();
        assert_eq!(found, [("up", "upregulation"), ("regulation", "upregulation"), ("e", "email"), ("mail", "email")]);
    }

    #[test]
    fn an_identifier_weighs_as_much_as_its_pieces_together() {
        let words = query_words("get_user getUser", &[Language::English]);
        let found: Vec<_> = words.iter().map(|word| (&word.term[..], word.count, word.weight)).collect();
        assert_eq!(found, [("get_user", 1, 1.0), ("get", 2, 0.5), ("user", 2, 0.5), ("getuser", 1, 1.0)]);
        assert_eq!(words[0].alternatives, [("getuser".to_owned(), 1.0)]);
    }

    #[test]
    fn characters_weigh_half_of_their_pairs() {
        let words = query_words("日本 猫", &[Language::Cjk]);
        let found: Vec<_> = words.iter().map(|word| (&word.term[..], word.weight)).collect();
        assert_eq!(found, [("日", 0.5), ("日本", 1.0), ("本", 0.5), ("猫", 1.0)]);
    }
}
