//! The fields of an index. A term belongs to one field: its name begins with the mark of the field,
//! and has none in the first. So one dictionary and one set of postings hold all fields, and a
//! document is found by a word of its headings as by one of its text. A word of the first field
//! that begins like a mark has a mark of its own.

use std::borrow::Cow;

use crate::text::names::is_name;

/// The maximum number of text fields.
pub const MAX_FIELDS: usize = 8;

/// The mark of a word of the first field that begins like a mark.
const ESCAPE: char = '\u{8}';

/// The greatest mark.
const LAST_MARK: u8 = LANGUAGE as u8;

/// Marks of terms that are labels of a document, not words.
const ROOT: char = '\u{E}';
const LANGUAGE: char = '\u{F}';

/// The fields of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The number of text fields.
    pub fields: usize,
    /// True if names can begin with a mark. Otherwise every name is a word.
    pub marked: bool,
}

impl Default for Layout {
    /// One field, and names as they are.
    fn default() -> Self {
        Layout { fields: 1, marked: false }
    }
}

/// The meaning of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TermKind {
    /// A word of this field.
    Word(usize),
    /// A name of the document.
    Name,
    /// The document that a document is a part of.
    Root,
    /// A language.
    Language,
}

impl Layout {
    /// Some text fields, and labels.
    pub fn with_labels(fields: usize) -> Layout {
        Layout { fields, marked: true }
    }

    /// The kind of the term of this name.
    pub fn kind(self, name: &str) -> TermKind {
        match name.as_bytes().first() {
            Some(&mark) if self.marked && mark == ROOT as u8 => TermKind::Root,
            Some(&mark) if self.marked && mark == LANGUAGE as u8 => TermKind::Language,
            Some(&field) if self.marked && field > 0 && field < MAX_FIELDS as u8 => {
                if is_name(&name[1..]) {
                    TermKind::Name
                } else {
                    TermKind::Word(field.into())
                }
            }
            _ => TermKind::Word(0),
        }
    }

    /// The word of a name, without its mark.
    pub fn word(self, name: &str) -> &str {
        if self.is_marked(name) {
            &name[1..]
        } else {
            name
        }
    }

    /// The name of a word in a field.
    pub fn name(self, field: usize, word: &str) -> Cow<'_, str> {
        match field {
            0 if !self.is_marked(word) => Cow::Borrowed(word),
            0 => Cow::Owned(format!("{ESCAPE}{word}")),
            field => Cow::Owned(format!("{}{word}", char::from(field as u8))),
        }
    }

    /// True if a name begins with a mark.
    #[inline]
    pub fn is_marked(self, name: &str) -> bool {
        self.marked && name.as_bytes().first().is_some_and(|&first| first != 0 && first <= LAST_MARK)
    }
}

/// The name of the label of documents with this root.
pub fn root_name(root: &str) -> String {
    format!("{ROOT}{root}")
}

/// The name of the label of documents in this language.
pub fn language_name(language: &str) -> String {
    format!("{LANGUAGE}{language}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_tells_the_field() {
        let layout = Layout::with_labels(2);
        assert_eq!(layout.kind(&layout.name(1, "dog")), TermKind::Word(1));
        assert_eq!(layout.word(&layout.name(1, "dog")), "dog");
        assert_eq!((layout.kind("dog"), layout.word("dog")), (TermKind::Word(0), "dog"));
        assert_eq!(layout.kind(&root_name("a.md")), TermKind::Root);
        assert_eq!(layout.kind(&language_name("german")), TermKind::Language);
        assert_eq!(Layout::default().kind("\u{E}x"), TermKind::Word(0));
    }

    #[test]
    fn a_word_that_begins_like_a_mark_is_a_word() {
        let layout = Layout::with_labels(2);
        for mark in 0..=0x10 {
            let word = format!("{}dog", char::from(mark));
            for field in 0..2 {
                let name = layout.name(field, &word);
                assert_eq!((layout.kind(&name), layout.word(&name)), (TermKind::Word(field), word.as_str()));
            }
            assert_eq!(Layout::default().name(0, &word), word);
        }
    }
}
