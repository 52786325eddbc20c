//! The language of a text.

use whatlang::Lang;

use crate::text::language::Language;

/// The language that most of `text` is written in, if it is one of [`Language`].
pub fn detect(text: &str) -> Option<Language> {
    language_of(whatlang::detect_lang(text)?)
}

fn language_of(lang: Lang) -> Option<Language> {
    Some(match lang {
        Lang::Ara => Language::Arabic,
        Lang::Hye => Language::Armenian,
        Lang::Cat => Language::Catalan,
        Lang::Ces => Language::Czech,
        Lang::Cmn | Lang::Jpn | Lang::Kor => Language::Cjk,
        Lang::Dan => Language::Danish,
        Lang::Nld => Language::Dutch,
        Lang::Eng => Language::English,
        Lang::Epo => Language::Esperanto,
        Lang::Est => Language::Estonian,
        Lang::Fin => Language::Finnish,
        Lang::Fra => Language::French,
        Lang::Deu => Language::German,
        Lang::Ell => Language::Greek,
        Lang::Hin => Language::Hindi,
        Lang::Hun => Language::Hungarian,
        Lang::Ind => Language::Indonesian,
        Lang::Ita => Language::Italian,
        Lang::Lit => Language::Lithuanian,
        Lang::Nep => Language::Nepali,
        Lang::Nob => Language::Norwegian,
        Lang::Pes => Language::Persian,
        Lang::Pol => Language::Polish,
        Lang::Por => Language::Portuguese,
        Lang::Ron => Language::Romanian,
        Lang::Rus => Language::Russian,
        Lang::Srp => Language::Serbian,
        Lang::Spa => Language::Spanish,
        Lang::Swe => Language::Swedish,
        Lang::Tam => Language::Tamil,
        Lang::Tur => Language::Turkish,
        Lang::Ukr => Language::Ukrainian,
        Lang::Yid => Language::Yiddish,
        _ => return None,
    })
}
