//! Names of documents: a title, a heading or a file name as one term, so that a query which
//! contains it whole finds the documents that bear it, not only those that have its words.

use crate::text::words::WordTokenizer;

/// The first character of a name as a term; no text has it in a word.
pub const MARK: char = '\u{11}';

/// The maximum number of words of a name.
const MAX_WORDS: usize = 8;

/// Punctuation between the parts of a title, each of which is a name too: `Mercury (planet)`,
/// `json: Encode data`.
const SEPARATORS: [char; 9] = ['–', '—', '|', ':', '：', '(', ')', '[', ']'];

/// A hyphen between blanks separates as well.
const HYPHEN: &str = " - ";

/// Finds the names in the texts of a field. Those of the last text are kept: the passages of a
/// section have the same headings.
#[derive(Default)]
pub struct NameFinder {
    tokenizer: WordTokenizer,
    text: String,
    names: Vec<String>,
}

impl NameFinder {
    /// The distinct names in a text: its lines, and the parts of each.
    pub fn find(&mut self, text: &str) -> &[String] {
        if self.text != text {
            text.clone_into(&mut self.text);
            self.names.clear();
            for line in text.lines() {
                let parts = line.split(HYPHEN).flat_map(|part| part.split(SEPARATORS));
                for name in std::iter::once(line).chain(parts) {
                    let words = self.tokenizer.sequence(name);
                    if (1..=MAX_WORDS).contains(&words.len()) {
                        self.names.push(join(&words));
                    }
                }
            }
            self.names.sort_unstable();
            self.names.dedup();
        }
        &self.names
    }
}

/// Calls `each` with the terms of all names that a query may contain, and their words.
pub fn each_in<E>(query: &str, mut each: impl FnMut(&str, &[String]) -> Result<(), E>) -> Result<(), E> {
    let words = WordTokenizer::default().sequence(query);
    for start in 0..words.len() {
        for end in start + 1..=words.len().min(start + MAX_WORDS) {
            each(&join(&words[start..end]), &words[start..end])?;
        }
    }
    Ok(())
}

/// True if a term is a name.
pub fn is_name(term: &str) -> bool {
    term.starts_with(MARK)
}

/// The term of a name of these words.
fn join(words: &[String]) -> String {
    format!("{MARK}{}", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_and_its_parts_are_names() {
        let mut finder = NameFinder::default();
        let mut names = |text| finder.find(text).join(",").replace(MARK, "");
        assert_eq!(names("Robert Young (musician)"), "musician,robert young,robert young musician");
        assert_eq!(names("git-log - Show it\nOPTIONS"), "git log,git log show it,options,show it");
        assert_eq!(names("ALLOWED_HOSTS\n(?)"), "allowed_hosts");
        assert_eq!(names(""), "");
    }

    #[test]
    fn a_query_contains_each_sequence_of_its_words() {
        let mut names = Vec::new();
        each_in("Dogs of war", |name, words| {
            assert_eq!(name, join(words));
            names.push(words.join(" "));
            Ok::<_, ()>(())
        })
        .unwrap();
        assert_eq!(names, ["dogs", "dogs of", "dogs of war", "of", "of war", "war"]);
    }
}
