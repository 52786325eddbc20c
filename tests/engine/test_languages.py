import json
import random
import unicodedata

import pytest
import Stemmer
from hypothesis import given, settings
from hypothesis import strategies as st

from spaniel._engine import analyze, detect_language, languages, stem
from tests.collection import SHARED, needs_shared_data

NOT_STEMMED = {"hindi", "cjk", "code"}
# Snowball 3.1 changed rules of the first three; PyStemmer lacks the last.
OTHER_VERSION = {"czech", "danish", "finnish", "ukrainian"}
ASCII_WORDS = st.text("abcdefghijklmnopqrstuvwxyz", max_size=20)


def texts_of(name: str) -> list[str]:
    documents = SHARED / name / "documents.jsonl"
    file = documents if documents.is_file() else SHARED / name / "corpus.jsonl"
    return [json.loads(line)["text"] for line in file.read_text(encoding="utf-8").splitlines()]


def vocabulary(name: str) -> list[str]:
    return sorted({term for text in texts_of(name) for term in analyze(text, "auto")})


@needs_shared_data
@pytest.mark.parametrize("name", ["hotpotqa100", "musique100", "scifact", "xquad_en"])
def test_english_stems_are_those_of_snowball(name):
    words = [word for word in vocabulary(name) if word.isascii()]

    assert [stem(word, "english") for word in words] == Stemmer.Stemmer("english").stemWords(words)


@needs_shared_data
def test_german_stems_are_those_of_snowball():
    words = [word for word in vocabulary("xquad_de") if set(word) <= set("abcdefghijklmnopqrstuvwxyzäöü")]
    different = {word for word in words if stem(word, "german") != Stemmer.Stemmer("german").stemWord(word)}

    assert different <= {"für", "fürs", "können", "könnte", "während", "würde", "würden", "über"}  # stop words


@pytest.mark.parametrize("language", sorted(set(languages()) - NOT_STEMMED - OTHER_VERSION))
@given(word=ASCII_WORDS)
@settings(deadline=None)
def test_stems_of_plain_words_are_those_of_snowball(language, word):
    assert stem(word, language) == Stemmer.Stemmer(language).stemWord(word)


@pytest.mark.parametrize("language", languages())
@given(word=st.text(max_size=20))
@settings(deadline=None)
def test_any_text_has_a_stem(language, word):
    assert isinstance(stem(word, language), str)


@pytest.mark.parametrize("language", sorted(NOT_STEMMED))
def test_languages_without_stems(language):
    assert [stem(word, language) for word in ["कला", "languages", "日本"]] == ["कला", "languages", "日本"]


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("english", "café", "cafe"),
        ("english", "résumés", "resumes"),
        ("french", "économie", "economie"),
        ("french", "cœur", "coeur"),
        ("spanish", "canción", "cancion"),
        ("german", "Gärten", "Garten"),
        ("german", "protestantisch", "protestantische"),
        ("russian", "ещё", "еще"),
        ("greek", "γάτα", "γατα"),
    ],
)
def test_forms_of_one_word_share_a_stem(language, one, other):
    (first,), (second,) = analyze(one, language), analyze(other, language)

    assert stem(first, language) == stem(second, language)


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("german", "für", "fur"),
        ("french", "où", "ou"),
        ("spanish", "año", "ano"),
        ("swedish", "får", "far"),
        ("hindi", "कला", "कल"),
    ],
)
def test_different_words_keep_different_stems(language, one, other):
    assert stem(one, language) != stem(other, language)


def test_the_stem_of_an_unknown_language_is_rejected():
    with pytest.raises(ValueError, match="language must be one of arabic, .*, got 'klingon'"):
        stem("nuqneH", "klingon")


@needs_shared_data
@pytest.mark.parametrize(
    ("name", "language"), [("xquad_en", "english"), ("xquad_de", "german"), ("xquad_zh", "cjk"), ("peps_mini", "english")]
)
def test_languages_of_files_are_recognized(name, language):
    found = [detect_language(text) for text in texts_of(name)]

    assert set(found) <= {language, None}
    assert found.count(language) > 0.98 * len(found)


@needs_shared_data
@pytest.mark.parametrize(("name", "language"), [("xquad_en", "english"), ("xquad_de", "german"), ("xquad_zh", "cjk")])
def test_languages_of_two_hundred_characters_are_recognized(name, language):
    rows = [text[:200] for text in texts_of(name)]
    found = [detect_language(row) for row in rows]

    assert found.count(language) > 0.96 * len(rows)
    assert len(rows) - found.count(language) - found.count(None) <= 2


def test_text_without_words_has_no_language():
    symbols = [chr(c) for c in range(0x2190, 0x2400) if unicodedata.category(chr(c)).startswith("S")]

    assert detect_language("") is None
    assert detect_language("".join(random.Random(1).choices(symbols, k=200))) is None
