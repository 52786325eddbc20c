//! The fields of an index. A term belongs to one field: its name begins with the mark of the field,
//! and has none in the first. So one dictionary and one set of postings hold all fields, and a
//! document is found by a word of its headings as by one of its text.

/// The maximum number of text fields.
pub const MAX_FIELDS: usize = 8;

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
            Some(&mark) if self.marked && (mark as usize) < MAX_FIELDS => TermKind::Word(mark as usize),
            _ => TermKind::Word(0),
        }
    }

    /// The word of a name, without its mark.
    pub fn word(self, name: &str) -> &str {
        if self.kind(name) == TermKind::Word(0) {
            name
        } else {
            &name[1..]
        }
    }
}

/// The name of a word in a field.
pub fn name_in_field(field: usize, word: &str) -> String {
    if field == 0 {
        word.to_owned()
    } else {
        format!("{}{word}", char::from(field as u8))
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
        assert_eq!(layout.kind(&name_in_field(1, "dog")), TermKind::Word(1));
        assert_eq!(layout.word(&name_in_field(1, "dog")), "dog");
        assert_eq!((layout.kind("dog"), layout.word("dog")), (TermKind::Word(0), "dog"));
        assert_eq!(layout.kind(&root_name("a.md")), TermKind::Root);
        assert_eq!(layout.kind(&language_name("german")), TermKind::Language);
        assert_eq!(Layout::default().kind("\u{E}x"), TermKind::Word(0));
    }
}
