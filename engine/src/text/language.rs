//! Languages: stems, stop words and question words.

use std::borrow::Cow;

use snowball_stemmers_rs::{Algorithm, Stemmer};

pub use crate::text::detection::detect;
use crate::text::{accents, stop_words};

/// An analysis of words that the index holds: one of a natural language, or of none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Language {
    Arabic,
    Armenian,
    Basque,
    Catalan,
    Czech,
    Danish,
    Dutch,
    English,
    Esperanto,
    Estonian,
    Finnish,
    French,
    German,
    Greek,
    Hindi,
    Hungarian,
    Indonesian,
    Irish,
    Italian,
    Lithuanian,
    Nepali,
    Norwegian,
    Persian,
    Polish,
    Portuguese,
    Romanian,
    Russian,
    Serbian,
    Sesotho,
    Spanish,
    Swedish,
    Tamil,
    Turkish,
    Ukrainian,
    Yiddish,
    /// Chinese, Japanese and Korean: no stems, no stop words.
    Cjk,
    /// Program text: no stems, no stop words.
    Code,
}

/// Properties of a language.
struct Properties {
    language: Language,
    name: &'static str,
    /// ISO 639-1, for the list of stop words.
    code: &'static str,
    /// None: words are their own stems.
    stemmer: Option<Algorithm>,
    /// Letters with accents that the stemmer knows: other accents are removed before it.
    alphabet: &'static str,
    /// Letters with accents that stay apart from those without: other accents are removed after it.
    distinct: &'static str,
}

const fn row(
    language: Language,
    name: &'static str,
    code: &'static str,
    stemmer: Option<Algorithm>,
    alphabet: &'static str,
    distinct: &'static str,
) -> Properties {
    Properties { language, name, code, stemmer, alphabet, distinct }
}

/// Hindi is not stemmed: its Snowball stemmer joins कला (art) and कल (yesterday).
const PROPERTIES: [Properties; 37] = {
    use Algorithm as A;
    use Language as L;
    [
        row(L::Arabic, "arabic", "ar", Some(A::Arabic), "", ""),
        row(L::Armenian, "armenian", "hy", Some(A::Armenian), "", ""),
        row(L::Basque, "basque", "eu", Some(A::Basque), "ñ", "ñ"),
        row(L::Catalan, "catalan", "ca", Some(A::Catalan), "àáçèéíïòóúü", ""),
        row(L::Czech, "czech", "cs", Some(A::Czech), "áčďéěíňóřšťúůýž", "áčďéěíňóřšťúůýž"),
        row(L::Danish, "danish", "da", Some(A::Danish), "æøå", "æøå"),
        row(L::Dutch, "dutch", "nl", Some(A::Dutch), "äëïöüáéíóúè", ""),
        row(L::English, "english", "en", Some(A::English), "", ""),
        row(L::Esperanto, "esperanto", "eo", Some(A::Esperanto), "ĉĝĥĵŝŭ", "ĉĝĥĵŝŭ"),
        row(L::Estonian, "estonian", "et", Some(A::Estonian), "äõöüšž", "äõöüšž"),
        row(L::Finnish, "finnish", "fi", Some(A::Finnish), "äöå", "äöå"),
        row(L::French, "french", "fr", Some(A::French), "àâæçèéêëîïôœùûüÿ", ""),
        row(L::German, "german", "de", Some(A::German), "äöü", "äöü"),
        row(L::Greek, "greek", "el", Some(A::Greek), "", ""),
        row(L::Hindi, "hindi", "hi", None, "", ""),
        row(L::Hungarian, "hungarian", "hu", Some(A::Hungarian), "áéíóöőúüű", "áéíóöőúüű"),
        row(L::Indonesian, "indonesian", "id", Some(A::Indonesian), "", ""),
        row(L::Irish, "irish", "ga", Some(A::Irish), "áéíóú", "áéíóú"),
        row(L::Italian, "italian", "it", Some(A::Italian), "àèéìíîòóùú", ""),
        row(L::Lithuanian, "lithuanian", "lt", Some(A::Lithuanian), "ąčęėįšųūž", "ąčęėįšųūž"),
        row(L::Nepali, "nepali", "ne", Some(A::Nepali), "", ""),
        row(L::Norwegian, "norwegian", "no", Some(A::Norwegian), "æøåêòô", "æøå"),
        row(L::Persian, "persian", "fa", Some(A::Persian), "", ""),
        row(L::Polish, "polish", "pl", Some(A::Polish), "ąćęłńóśźż", "ąćęłńóśźż"),
        row(L::Portuguese, "portuguese", "pt", Some(A::Portuguese), "áâãàçéêíóôõúü", ""),
        row(L::Romanian, "romanian", "ro", Some(A::Romanian), "ăâîșşțţ", ""),
        row(L::Russian, "russian", "ru", Some(A::Russian), "", ""),
        row(L::Serbian, "serbian", "sr", Some(A::Serbian), "čćđšž", "čćđšž"),
        row(L::Sesotho, "sesotho", "st", Some(A::Sesotho), "", ""),
        row(L::Spanish, "spanish", "es", Some(A::Spanish), "áéíñóúü", "ñ"),
        row(L::Swedish, "swedish", "sv", Some(A::Swedish), "åäöé", "åäö"),
        row(L::Tamil, "tamil", "ta", Some(A::Tamil), "", ""),
        row(L::Turkish, "turkish", "tr", Some(A::Turkish), "çğıöşüâîû", "çğıöşü"),
        row(L::Ukrainian, "ukrainian", "uk", Some(A::Ukrainian), "", ""),
        row(L::Yiddish, "yiddish", "yi", Some(A::Yiddish), "", ""),
        row(L::Cjk, "cjk", "", None, "", ""),
        row(L::Code, "code", "", None, "", ""),
    ]
};

impl Language {
    /// All languages, in the order of their names; `cjk` and `code` are last.
    pub const ALL: [Language; PROPERTIES.len()] = {
        let mut all = [Language::Arabic; PROPERTIES.len()];
        let mut i = 0;
        while i < all.len() {
            all[i] = PROPERTIES[i].language;
            i += 1;
        }
        all
    };

    /// The language of an English name in lower case.
    pub fn by_name(name: &str) -> Option<Language> {
        PROPERTIES.iter().find(|row| row.name == name).map(|row| row.language)
    }

    fn properties(self) -> &'static Properties {
        &PROPERTIES[self as usize]
    }

    /// The English name, in lower case.
    pub fn name(self) -> &'static str {
        self.properties().name
    }

    /// The ISO 639-1 code; empty if this is not a natural language.
    pub(crate) fn code(self) -> &'static str {
        self.properties().code
    }

    /// The stem of an index term. Accents are folded where writers of the language leave them out;
    /// a stop word with an accent is its own stem, so that `für` and `fur` stay apart.
    pub fn stem(self, term: &str) -> Cow<'_, str> {
        let properties = self.properties();
        let Some(algorithm) = properties.stemmer else { return Cow::Borrowed(term) };
        let stemmer = Stemmer::create(algorithm);
        if term.is_ascii() {
            return stemmer.stem(term);
        }
        if accents::has_any(term) && self.is_stop_word(term) {
            return Cow::Borrowed(term);
        }
        let known = accents::fold(term, properties.alphabet);
        Cow::Owned(accents::fold(&stemmer.stem(&known), properties.distinct).into_owned())
    }

    /// Returns true if the language writes compounds as one word.
    pub fn has_compounds(self) -> bool {
        use Language as L;
        matches!(
            self,
            L::Danish | L::Dutch | L::Estonian | L::Finnish | L::German | L::Hungarian | L::Norwegian | L::Swedish
        )
    }

    /// Returns true for an index term that queries may leave out: a stop word or a question word.
    pub fn is_stop_word(self, term: &str) -> bool {
        stop_words::is_stop_word(self, term)
    }

    /// Returns true for a stop word, or a function word with a meaning of its own: `not`, `over`.
    pub fn is_function_word(self, term: &str) -> bool {
        stop_words::is_function_word(self, term)
    }

    /// Returns true for a question word, such as `why`.
    pub fn is_question_word(self, term: &str) -> bool {
        stop_words::is_question_word(self, term)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_languages() {
        for (i, language) in Language::ALL.into_iter().enumerate() {
            assert_eq!(language as usize, i);
            assert_eq!(Language::by_name(language.name()), Some(language));
        }
        assert_eq!(Language::by_name("klingon"), None);
    }

    #[test]
    fn accents_fold_where_writers_leave_them_out() {
        for (language, with, without) in [
            (Language::English, "résumés", "resumes"),
            (Language::French, "économie", "economie"),
            (Language::Spanish, "canción", "cancion"),
            (Language::German, "café", "cafe"),
            (Language::Greek, "γάτα", "γατα"),
        ] {
            assert_eq!(language.stem(with), language.stem(without), "{with}");
        }
        for (language, with, without) in [
            (Language::German, "für", "fur"),
            (Language::Spanish, "año", "ano"),
            (Language::Swedish, "får", "far"),
            (Language::Hindi, "कला", "कल"),
        ] {
            assert_ne!(language.stem(with), language.stem(without), "{with}");
        }
    }

    #[test]
    fn plurals_with_umlauts_meet_their_singular() {
        assert_eq!(Language::German.stem("gärten"), Language::German.stem("garten"));
    }
}
