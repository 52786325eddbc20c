"""The language of files and rows, noted in the leaves that are searched."""

from collections.abc import Iterable

from spaniel._engine import analyze, detect_language, query_words
from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import CHILDREN
from spaniel.document_stores.embedded.indexing import LANGUAGE

_MAX_CHARACTERS = 4000
_MIN_SHARE = 0.05
"""The least share of stop words among the words of a text."""
_WITHOUT_STOP_WORDS = frozenset({"cjk", "serbian", "yiddish"})


def recognise_language(text: str) -> str | None:
    """Return the language of a text, or None if unsure: lists of names look like any language.

    >>> recognise_language("Who has the right to see the documents of the house?")
    'english'
    >>> recognise_language("casa apple casa garden " * 50) is None
    True
    """
    language = detect_language(text)
    if language is None or language in _WITHOUT_STOP_WORDS:
        return language
    start = text[:_MAX_CHARACTERS]
    words, content = analyze(start, language), {word.term for word in query_words(start, [language])}
    is_prose = sum(word not in content for word in words) >= _MIN_SHARE * len(words)
    return language if is_prose and words else None


def label_language(documents: Iterable[Document], language: str | None) -> None:
    """Note the language of a text in its leaves.

    :param language: None: it was not recognised.
    """
    for document in documents:
        if language is not None and not document.meta.get(CHILDREN):
            document.meta[LANGUAGE] = language
