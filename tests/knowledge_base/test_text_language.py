"""A text has a language if it is prose: a detector alone names one for lists of names, too."""

import random
from pydoc_data import topics

import pytest

from spaniel._engine import detect_language
from spaniel.knowledge_base.text_language import recognise_language

GERMAN = (
    "Die Bibliothek liest die Dateien eines Ordners und teilt sie an ihren Überschriften. Wer eine Frage stellt, bekommt "
    "die besten Stellen mit dem Grund dafür."
)
FRENCH = (
    "La bibliothèque lit les fichiers d'un dossier et les coupe à leurs titres. Qui pose une question reçoit les meilleurs "
    "passages avec la raison de leur choix."
)
SPANISH = (
    "La biblioteca lee los archivos de una carpeta y los divide por sus títulos. Quien hace una pregunta recibe los mejores "
    "pasajes con la razón de cada uno."
)
NOUNS = "apple pear plum tree house garden river stone salad casa cat data list node index page file line".split()  # noqa: SIM905


@pytest.mark.parametrize(("text", "language"), [(GERMAN, "german"), (FRENCH, "french"), (SPANISH, "spanish")])
def test_prose_has_its_language(text: str, language: str) -> None:
    assert recognise_language(text) == language


def test_python_s_help_is_english() -> None:
    assert {recognise_language(text) for text in topics.topics.values()} == {"english"}


def test_repeated_names_seldom_have_a_language() -> None:
    draw = random.Random(2)
    texts = [
        " ".join(draw.choices(draw.sample(NOUNS, kinds), k=draw.randint(5, 400)))
        for kinds in (1, 2, 3, 4, 6)
        for _ in range(100)
    ]
    labelled = [text for text in texts if recognise_language(text) is not None]
    assert len(labelled) <= 5 < sum(detect_language(text) is not None for text in texts)


@pytest.mark.parametrize("text", ["", " ", "\ud800", "x = f(y) + 12;", "7 8 9", "needle " * 50])
def test_other_text_has_no_language(text: str) -> None:
    assert recognise_language(text) is None


def test_scripts_without_stop_words_are_kept() -> None:
    assert recognise_language("谁可以使用这个系统") == "cjk"
