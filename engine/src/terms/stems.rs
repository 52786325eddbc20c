//! The stems of the words of a dictionary layer as they are stored: a byte each, as nearly all are
//! the beginning of the word, some with another ending. To compute them takes a microsecond each,
//! too long for the first search of a large vocabulary.

use crate::error::Error;
use crate::files::array::Array;
use crate::index::layout::{Layout, TermKind};
use crate::terms::keys::{hash, stem};
use crate::terms::layer::Layer;
use crate::text::language::Language;

/// The endings of stems after the common beginning with the word.
const ENDINGS: [&str; 7] = ["", "e", "i", "y", "a", "o", "s"];

/// Bits of a code for the number of bytes that are cut off.
const CUT_BITS: u32 = 5;

/// The code of a stem of another form, whose hash is stored.
const OTHER: u8 = u8::MAX;

/// The stems of consecutive names in some languages.
#[derive(Debug, Default)]
pub(crate) struct Stems {
    /// For each language the hash of its name, and the end of its `others`.
    pub(crate) languages: Array<u32>,
    /// For each language, the code of each name.
    pub(crate) codes: Array<u8>,
    /// The hashes of stems without a code, by language and name.
    pub(crate) others: Array<u32>,
}

/// The codes of some names, and the hashes of the stems without one.
type Stored<'a> = (&'a [u8], &'a [u32]);

/// Stems under construction.
pub(crate) struct StemsBuilder<'a> {
    layout: Layout,
    languages: &'a [Language],
    codes: Vec<Vec<u8>>,
    others: Vec<Vec<u32>>,
}

/// The parameters of the stems of an index.
#[derive(Clone, Copy)]
pub(crate) struct StemSettings<'a> {
    pub(crate) layout: Layout,
    pub(crate) languages: &'a [Language],
}

impl<'a> StemsBuilder<'a> {
    pub(crate) fn new(StemSettings { layout, languages }: StemSettings<'a>) -> Self {
        let count = languages.len();
        StemsBuilder { layout, languages, codes: vec![Vec::new(); count], others: vec![Vec::new(); count] }
    }

    /// Adds a name.
    pub(crate) fn push(&mut self, name: &str) {
        (0..self.languages.len()).for_each(|at| self.add(at, name));
    }

    fn add(&mut self, at: usize, name: &str) {
        let mut code = 0;
        if let TermKind::Word(_) = self.layout.kind(name) {
            let word = self.layout.word(name);
            let stem = stem(self.languages[at], word);
            code = encode(word, &stem);
            if code == OTHER {
                self.others[at].push(hash(&stem));
            }
        }
        self.codes[at].push(code);
    }

    /// Adds the names of a layer. Stems that it has are copied.
    pub(crate) fn extend(&mut self, layer: &Layer) -> Result<(), Error> {
        for (at, &language) in self.languages.iter().enumerate() {
            if let Some((codes, others)) = layer.stems.of(language, layer.len())? {
                self.codes[at].extend_from_slice(codes);
                self.others[at].extend_from_slice(others);
            } else {
                layer.each_in(0..layer.len(), |name| self.add(at, name))?;
            }
        }
        Ok(())
    }

    pub(crate) fn finish(self) -> Stems {
        let (mut languages, mut end) = (Vec::new(), 0);
        for (language, others) in self.languages.iter().zip(&self.others) {
            end += others.len() as u32;
            languages.extend([hash(language.name()), end]);
        }
        Stems { languages: languages.into(), codes: self.codes.concat().into(), others: self.others.concat().into() }
    }
}

impl Stems {
    /// The place of a language.
    fn place(&self, language: Language) -> Result<Option<usize>, Error> {
        let name = hash(language.name());
        Ok(self.languages.all()?.chunks_exact(2).position(|pair| pair[0] == name))
    }

    /// Returns true if the stems of a language are known.
    pub(crate) fn has(&self, language: Language) -> Result<bool, Error> {
        Ok(self.place(language)?.is_some())
    }

    /// Returns true if the lengths of all arrays agree, for `names` names.
    pub(crate) fn is_consistent(&self, names: usize) -> bool {
        self.codes.len() == self.languages.len() / 2 * names && self.languages.len().is_multiple_of(2)
    }

    /// The codes of `names` names in a language, and the stems of those without one; None if they
    /// are unknown.
    fn of(&self, language: Language, names: usize) -> Result<Option<Stored<'_>>, Error> {
        let Some(place) = self.place(language)? else { return Ok(None) };
        let codes = self.codes.get(place * names..(place + 1) * names)?;
        let start = if place == 0 { 0 } else { self.languages.at(2 * place - 1)? as usize };
        let others = self.others.get(start..self.languages.at(2 * place + 1)? as usize)?;
        if count_others(codes) == others.len() {
            Ok(Some((codes, others)))
        } else {
            Err(self.others.wrong())
        }
    }

    /// A reader of the stems in a language, from the number `first` on of `names` names; None if
    /// they are unknown.
    pub(crate) fn read(&self, language: Language, first: usize, names: usize) -> Result<Option<StemReader<'_>>, Error> {
        Ok(self.of(language, names)?.map(|(codes, others)| StemReader {
            codes: codes[first..].iter(),
            others: others[count_others(&codes[..first])..].iter(),
            stem: String::new(),
            is_wrong: false,
        }))
    }
}

fn count_others(codes: &[u8]) -> usize {
    codes.iter().map(|&code| usize::from(code == OTHER)).sum()
}

/// The hashes of the stems of consecutive names.
pub(crate) struct StemReader<'a> {
    codes: std::slice::Iter<'a, u8>,
    others: std::slice::Iter<'a, u32>,
    stem: String,
    /// True if the words are not those that were stored.
    pub(crate) is_wrong: bool,
}

impl StemReader<'_> {
    /// The hash of the stem of the next name, which is that of `word`.
    pub(crate) fn next(&mut self, word: &str) -> u32 {
        self.try_next(word).unwrap_or_else(|| {
            self.is_wrong = true;
            0
        })
    }

    fn try_next(&mut self, word: &str) -> Option<u32> {
        let &code = self.codes.next()?;
        if code == OTHER {
            return self.others.next().copied();
        }
        let beginning = word.get(..word.len().checked_sub(usize::from(code) & ((1 << CUT_BITS) - 1))?)?;
        let ending = ENDINGS.get(usize::from(code >> CUT_BITS))?;
        if ending.is_empty() {
            return Some(hash(beginning));
        }
        self.stem.clear();
        self.stem.push_str(beginning);
        self.stem.push_str(ending);
        Some(hash(&self.stem))
    }
}

/// The code of a stem.
fn encode(word: &str, stem: &str) -> u8 {
    let same = word.chars().zip(stem.chars()).take_while(|(one, other)| one == other);
    let common: usize = same.map(|(letter, _)| letter.len_utf8()).sum();
    match ENDINGS.iter().position(|ending| *ending == &stem[common..]) {
        Some(ending) if word.len() - common < 1 << CUT_BITS => (ending << CUT_BITS | (word.len() - common)) as u8,
        _ => OTHER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::layer::{LayerBuilder, Seed};

    const WORDS: [(Language, &str); 3] = [
        (Language::English, "walk walks walking happy happier hoping dying relational sky skies x \u{1}ponies"),
        (Language::German, "gärten garten häuser straßen für fur großzügigkeiten"),
        (Language::Arabic, "والكتاب كتاب كتب"),
    ];

    #[test]
    fn stored_stems_are_those_that_are_computed() {
        let layout = Layout::with_labels(2);
        let languages = WORDS.map(|(language, _)| language);
        let names: Vec<&str> = WORDS.iter().flat_map(|(_, words)| words.split(' ')).chain(["\u{F}english"]).collect();
        let settings = StemSettings { layout, languages: &languages };
        let mut builder = LayerBuilder::new(Seed::random(), names.len(), settings);
        names.iter().for_each(|name| builder.push(name));
        let layer = builder.finish().unwrap();
        let mut copy = StemsBuilder::new(settings);
        copy.extend(&layer).unwrap();
        for stems in [&layer.stems, &copy.finish()] {
            assert!(stems.is_consistent(names.len()) && stems.others.len() > 2);
            for language in languages {
                for first in [0, 3] {
                    let mut reader = stems.read(language, first, names.len()).unwrap().unwrap();
                    for name in &names[first..names.len() - 1] {
                        let word = layout.word(name);
                        assert_eq!(reader.next(word), hash(&stem(language, word)), "{word}");
                    }
                }
            }
            assert!(!stems.has(Language::French).unwrap() && stems.read(Language::French, 0, 1).unwrap().is_none());
        }
    }

    /// Index files hold stems: if this fails, the format must rise.
    #[test]
    fn stems_stay_as_they_are() {
        let words = "walking happiness generously gärten häuser nationalités aimerions canciones niñas órgãos \
            bambini flickorna kirjastoissa kitaplarımızda книгами читающий والكتاب kedvesebben βιβλία książkami";
        let of = |language: Language| words.split_whitespace().map(move |word| hash(&stem(language, word)));
        let all = Language::ALL.into_iter().flat_map(of).fold(0_u32, |sum, key| sum.rotate_left(5) ^ key);
        assert_eq!(all, 1_696_145_068);
    }
}
