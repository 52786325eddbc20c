//! Any text cut into tokens and into words, with and without their places, and as a query.

use _engine::text::language::{detect, Language};
use _engine::text::query::query_words;
use _engine::text::spans::{spans, word_spans};
use _engine::text::tokenizer::{Cjk, Tokenizer};
use _engine::text::words::WordTokenizer;

/// The first byte chooses the mode and a place; the rest is the text.
pub fn run(data: &[u8]) {
    let Some((&first, bytes)) = data.split_first() else { return };
    let cjk = Cjk::NAMES[first as usize % 2].1;
    let text = String::from_utf8_lossy(bytes);
    check_words(&text, Language::ALL[first as usize % Language::ALL.len()]);
    let mut tokenizer = Tokenizer::new(cjk);
    let tokens = tokenizer.list(&text);
    assert!(tokens.iter().all(|token| !token.is_empty()));

    let characters: Vec<char> = text.chars().collect();
    let spans = spans(&text, cjk);
    assert!(spans.iter().map(|span| &span.token).eq(&tokens), "the same tokens with and without their places");
    let mut before = (0, 0);
    for span in &spans {
        assert!(span.start < span.end && span.end <= characters.len());
        assert!(before.0 <= span.start && before.1 <= span.end, "in order");
        assert!(cjk == Cjk::Bigrams || before.1 <= span.start, "only bigrams overlap");
        before = (span.start, span.end);
        let slice: String = characters[span.start..span.end].iter().collect();
        assert_eq!(tokenizer.list(&slice), [span.token.as_str()], "the slice of a span is its token");
    }

    let middle = usize::from(first / 2) * characters.len() / 128;
    let parts = [&characters[..middle], &characters[middle..]].map(|part| part.iter().collect::<String>());
    let apart: Vec<String> = parts.iter().flat_map(|part| tokenizer.list(part)).collect();
    assert_eq!(tokenizer.list(&parts.join(" ")), apart, "a space separates");
}

/// The words of a text, their places, its words as a query, and their stems.
fn check_words(text: &str, language: Language) {
    let terms = WordTokenizer::default().list(text);
    let length = text.chars().count();
    let spans = word_spans(text);
    assert!(spans.iter().map(|span| &span.term).eq(&terms), "the same terms with and without their places");
    for span in &spans {
        assert!(!span.term.is_empty() && span.start < span.end && span.end <= length);
        language.stem(&span.term);
    }
    let words = query_words(text, &[language, Language::English]);
    assert_eq!(words.is_empty(), terms.is_empty());
    assert!(words.iter().all(|word| terms.contains(&word.term) && word.count > 0 && word.weight > 0.0));
    detect(text);
}
