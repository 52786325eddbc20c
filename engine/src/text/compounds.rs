//! Terms of words that are more than a run of letters: identifiers, numbers, hyphens, apostrophes.

use std::ops::Range;

use crate::text::identifiers;
use crate::text::scripts::{self, class, is_arabic, is_hebrew, is_number, is_word, Class};
use crate::text::words::{follows_dot, Role};

/// Longest joined form in bytes: longer ones are paths or sequences that nobody types.
const MAX_JOINED: usize = 64;

/// English endings after an apostrophe that are words without content: `it's`, `we'll`.
const CLITICS: [&str; 6] = ["s", "ll", "ve", "re", "d", "m"];

/// Words and the characters that connect them, such as `state-of-the-art`.
#[derive(Default)]
pub(crate) struct Cluster {
    atoms: Vec<Range<usize>>,
    /// The connecting character before each atom but the first.
    joiners: Vec<char>,
    pieces: Vec<Range<usize>>,
}

/// Connection of a word with the text after it.
enum Connection {
    /// None: the cluster ends.
    End,
    /// The cluster ends, and this number of bytes after it are skipped.
    Skip(usize),
    /// Another word after this number of bytes.
    Next(usize),
    /// More of the same word after this number of bytes.
    More(usize),
    /// This number of bytes belongs to the word and ends it: `C++`.
    Suffix(usize),
}

type Emit<'a> = &'a mut dyn FnMut(&str, Range<usize>, Role);

impl Cluster {
    /// Emits the terms of the cluster that begins at byte `start` of a normalized text. Returns its
    /// end.
    pub(crate) fn scan(&mut self, text: &str, start: usize, term: &mut String, emit: Emit) -> usize {
        let end = self.find_atoms(text, start);
        if let [atom] = &self.atoms[..] {
            let atom = atom.clone();
            if follows_dot(text.as_bytes(), start) {
                emit_dotted(text, atom, term, emit);
            } else {
                self.emit_atom(text, atom, Role::Word, term, emit);
            }
        } else if self.atoms.iter().all(|atom| is_number(&text[atom.clone()])) {
            self.emit_number(text, term, emit);
        } else {
            self.emit_compound(text, term, emit);
        }
        end
    }

    fn find_atoms(&mut self, text: &str, start: usize) -> usize {
        self.atoms.clear();
        self.joiners.clear();
        let mut begin = start;
        let mut end = word_end(text, begin);
        loop {
            let connection = self.connection(text, begin..end);
            match connection {
                Connection::More(skipped) => end = word_end(text, end + skipped),
                Connection::Suffix(length) => end += length,
                Connection::Next(skipped) => {
                    self.joiners.extend(text[end..].chars().next());
                    self.atoms.push(begin..end);
                    begin = end + skipped;
                    end = word_end(text, begin);
                }
                Connection::Skip(_) | Connection::End => {
                    self.atoms.push(begin..end);
                    return end + if let Connection::Skip(skipped) = connection { skipped } else { 0 };
                }
            }
        }
    }

    /// The connection of the word in `range` with the text after it.
    fn connection(&self, text: &str, range: Range<usize>) -> Connection {
        let (word, rest) = (&text[range.clone()], &text[range.end..]);
        let mut following = rest.chars();
        let Some(joiner) = following.next() else { return Connection::End };
        let is_letter = word.len() == 1 && word.as_bytes()[0].is_ascii_alphabetic();
        if is_letter && rest.starts_with("++") {
            return Connection::Suffix(2);
        }
        if is_letter && joiner == '#' && !following.next().is_some_and(is_word) {
            return Connection::Suffix(1);
        }
        let (Some(last), Some(next)) = (word.chars().next_back(), rest.chars().nth(1)) else { return Connection::End };
        let is_suffixed = matches!(last, '+' | '#');
        if !is_word(next) || (is_suffixed && !scripts::is_hyphen(joiner)) {
            return Connection::End;
        }
        let (after_digit, before_digit) = (class(last) == Class::Digit, class(next) == Class::Digit);
        let next_word = Connection::Next(joiner.len_utf8());
        match joiner {
            '.' if after_digit == before_digit || (after_digit && !is_number(word)) => next_word,
            ',' | '\'' if after_digit && before_digit && self.is_group(text, range.clone()) => next_word,
            '&' if is_short_name(word) && is_short_name(&rest[1..word_end(rest, 1)]) => next_word,
            '·' if is_l(last) && is_l(next) => Connection::More(2), // Catalan "col·lecció"
            '"' if is_hebrew(last) && is_hebrew(next) => Connection::More(1),
            _ if scripts::is_hyphen(joiner) && !(after_digit && before_digit) => next_word,
            _ if scripts::is_apostrophe(joiner) && !before_digit => after_apostrophe(rest, joiner, last),
            _ => Connection::End,
        }
    }

    /// Returns true if the number at `range`, alone or the last group of one, continues with three
    /// digits.
    fn is_group(&self, text: &str, range: Range<usize>) -> bool {
        let rest = &text.as_bytes()[range.end..];
        let digits = rest[1..].iter().take(4).take_while(|byte| byte.is_ascii_digit()).count();
        let is_continued = rest.get(4).is_some_and(|&byte| byte.is_ascii_alphabetic() || byte == b'_');
        let continues_group = match self.joiners.last() {
            None => range.len() <= 3,
            Some(&joiner) => range.len() == 3 && joiner == rest[0] as char,
        };
        digits == 3 && !is_continued && continues_group && is_number(&text[range])
    }

    /// Emits a number of several parts: `3,000` as 3000, `3.14` as it is, `3.11.2` also as `3.11`.
    fn emit_number(&self, text: &str, term: &mut String, emit: Emit) {
        let (first, rest) = (&self.atoms[0], &self.atoms[1..]);
        let range = first.start..rest[rest.len() - 1].end;
        self.join(text, term);
        emit(term, range.clone(), Role::Word);
        let has_dots_only = self.joiners.iter().all(|&joiner| joiner == '.');
        if !has_dots_only {
            return;
        }
        let may_be_group = |atom: &Range<usize>| atom.len() == 3;
        if first.len() <= 3 && !text[first.clone()].starts_with('0') && rest.iter().all(may_be_group) {
            let groups = term.replace('.', "");
            emit(&groups, range.clone(), Role::Variant);
        }
        if rest.len() > 1 {
            term.clear();
            scripts::push_term(&text[first.start..rest[0].end], term);
            emit(term, first.start..rest[0].end, Role::Variant);
            for year in self.atoms.iter().filter(|atom| text[(*atom).clone()].chars().count() == 4) {
                term.clear();
                scripts::push_term(&text[year.clone()], term);
                emit(term, year.clone(), Role::Variant);
            }
        }
    }

    /// Emits words that are connected: the joined form, then each.
    fn emit_compound(&mut self, text: &str, term: &mut String, emit: Emit) {
        let range = self.atoms[0].start..self.atoms[self.atoms.len() - 1].end;
        let is_name = self.joiners.iter().any(|&joiner| matches!(joiner, '.' | '&'));
        self.join(text, term);
        if self.joiners.iter().all(|&joiner| joiner == '.')
            && self.atoms.iter().all(|atom| text[atom.clone()].chars().count() == 1)
        {
            return emit(term, range, Role::Word); // `U.S.`
        }
        let is_word = !term.trim_matches('_').is_empty() && !term.contains(['+', '#']);
        if is_word && term.len() <= MAX_JOINED {
            emit(term, range, if is_name { Role::Whole } else { Role::Joined });
        }
        let atoms = std::mem::take(&mut self.atoms);
        for atom in &atoms {
            self.emit_atom(text, atom.clone(), if is_name { Role::Piece } else { Role::Part }, term, emit);
        }
        self.atoms = atoms;
    }

    /// Sets `term` to the cluster without its joiners, except for dots between digits and `&`.
    fn join(&self, text: &str, term: &mut String) {
        term.clear();
        for (i, atom) in self.atoms.iter().enumerate() {
            let word = &text[atom.clone()];
            let after_digit = term.ends_with(|c| class(c) == Class::Digit);
            match i.checked_sub(1).map(|before| self.joiners[before]) {
                Some('.') if after_digit && word.starts_with(|c| class(c) == Class::Digit) => term.push('.'),
                Some('&') => term.push('&'),
                _ => {}
            }
            scripts::push_term(word, term);
        }
    }

    /// Emits a word without connections, and its pieces if it is an identifier.
    fn emit_atom(&mut self, text: &str, atom: Range<usize>, role: Role, term: &mut String, emit: Emit) {
        identifiers::find_pieces(text, &atom, &mut self.pieces);
        term.clear();
        scripts::push_term(&text[atom.clone()], term);
        if term.trim_matches('_').is_empty() {
            return;
        }
        emit(term, atom, if self.pieces.is_empty() { role } else { Role::Whole });
        for piece in &self.pieces {
            term.clear();
            scripts::push_term(&text[piece.clone()], term);
            emit(term, piece.clone(), Role::Piece);
        }
    }
}

/// Emits a name that begins with a dot, and the name without it.
fn emit_dotted(text: &str, atom: Range<usize>, term: &mut String, emit: Emit) {
    term.clear();
    term.push('.');
    scripts::push_term(&text[atom.clone()], term);
    emit(term, atom.start - 1..atom.end, Role::Word);
    emit(&term[1..], atom, Role::Variant);
}

/// The connection after an apostrophe between letters.
fn after_apostrophe(rest: &str, apostrophe: char, last: char) -> Connection {
    let length = apostrophe.len_utf8();
    let end = word_end(rest, length);
    let ending = &rest[length..end];
    if CLITICS.iter().any(|clitic| ending.eq_ignore_ascii_case(clitic)) {
        Connection::Skip(end)
    } else if ending.eq_ignore_ascii_case("t") || !matches!(last, '\0'..='\u{24F}') {
        Connection::More(length) // "don't"; and the apostrophe is a letter of Ukrainian and Hebrew
    } else {
        Connection::Next(length)
    }
}

/// The end of the letters, digits, underscores and marks from byte `start`.
fn word_end(text: &str, start: usize) -> usize {
    let ascii = text.as_bytes()[start..].iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_');
    let mut at = start + ascii.count();
    let mut end = at;
    for c in text[at..].chars() {
        match class(c) {
            Class::Other | Class::Cjk | Class::Complex => break,
            Class::Dropped if c == scripts::ZWNJ && is_arabic(text[..at].chars().next_back()) => {
                if is_arabic(text[at..].chars().nth(1)) {
                    break;
                }
            }
            Class::Dropped => {}
            _ => end = at + c.len_utf8(),
        }
        at += c.len_utf8();
    }
    end
}

/// Returns true for one side of `R&D`.
fn is_short_name(word: &str) -> bool {
    word.len() <= 3 && word.bytes().all(|byte| byte.is_ascii_alphabetic())
}

fn is_l(c: char) -> bool {
    matches!(c, 'l' | 'L')
}
