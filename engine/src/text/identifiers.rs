//! The pieces of an identifier.

use std::ops::Range;

use crate::text::scripts::{class, is_word, Class};

/// Finds the pieces of an identifier: `get`, `user`, `name` of `getUserName`, `get_user_name`;
/// of `_user_name_` also `user_name`.
/// Pieces of one character are left out, and a lone piece of two (`iPhone`, but not `PhD`).
pub(crate) fn find_pieces(text: &str, outer: &Range<usize>, pieces: &mut Vec<Range<usize>>) {
    pieces.clear();
    let word = &text[outer.clone()];
    let start = outer.start + word.len() - word.trim_start_matches('_').len();
    let atom = start..start + word.trim_matches('_').len();
    find_inner_pieces(text, &atom, pieces);
    if atom != *outer && text[atom.clone()].starts_with(is_word) {
        pieces.insert(0, atom);
    }
}

fn find_inner_pieces(text: &str, atom: &Range<usize>, pieces: &mut Vec<Range<usize>>) {
    let mut begin = atom.start;
    let mut before = (Class::Other, atom.start);
    let mut capitals = 0; // adjacent ones before the current character
    for (at, c) in text[atom.clone()].char_indices().map(|(at, c)| (atom.start + at, c)) {
        let kind = class(c);
        match kind {
            Class::Underscore => {
                pieces.push(begin..at);
                begin = at + 1;
            }
            Class::Upper if before.0 == Class::Lower => {
                pieces.push(begin..at);
                begin = at;
            }
            Class::Upper if before.0 == Class::Digit && is_capitalized(&text[at..atom.end]) => {
                pieces.push(begin..at);
                begin = at;
            }
            Class::Lower if capitals > 1 && !is_plural_ending(&text[at..atom.end]) => {
                pieces.push(begin..before.1);
                begin = before.1;
            }
            Class::Mark | Class::Dropped => {
                if begin == at {
                    begin += c.len_utf8(); // a mark without a letter
                }
                continue;
            }
            _ => {}
        }
        capitals = if kind == Class::Upper { capitals + 1 } else { 0 };
        before = (kind, at);
    }
    if begin == atom.start {
        return pieces.clear();
    }
    pieces.push(begin..atom.end);
    let length = |piece: &Range<usize>| text[piece.clone()].chars().filter(|&c| is_word(c)).count();
    pieces.retain(|piece| length(piece) > 1);
    if matches!(&pieces[..], [piece] if length(piece) < 3) {
        pieces.clear();
    }
}

/// Returns true for a capital and a letter in lower case.
fn is_capitalized(text: &str) -> bool {
    text.chars().nth(1).is_some_and(|c| class(c) == Class::Lower)
}

/// Returns true for the last letter of `URLs`.
fn is_plural_ending(text: &str) -> bool {
    text == "s"
}
