//! Any text cut into tokens, with and without their places.

use _engine::text::spans::spans;
use _engine::text::tokenizer::{Cjk, Tokenizer};

/// The first byte chooses the mode and a place; the rest is the text.
pub fn run(data: &[u8]) {
    let Some((&first, bytes)) = data.split_first() else { return };
    let cjk = Cjk::NAMES[first as usize % 2].1;
    let text = String::from_utf8_lossy(bytes);
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
