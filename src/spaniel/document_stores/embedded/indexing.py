"""The settings of the indexes: the searched text of a document, and its words."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from pathlib import PurePosixPath
from typing import Any, Literal

from spaniel._engine import Batch, KeywordIndex, analyze, languages, word_sequence
from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import CHILDREN, ROOT
from spaniel.document_stores.embedded.tokenizers import DEFAULT_REGEX, Tokenizer, make_tokenizer
from spaniel.document_stores.validation import validate_number
from spaniel.filters.equality import plain
from spaniel.filters.field import meta_value
from spaniel.json_types import Meta

Analyzer = str | re.Pattern[str] | Tokenizer
SearchScope = Literal["all", "leaves"]

SEARCH_SCOPES: Mapping[str, Callable[[Document], bool]] = {
    "all": lambda _: True,
    "leaves": lambda document: not plain(document.meta.get(CHILDREN)),
}
"""Predicates of searched documents by scope; the others are only filtered and fetched."""

STANDARD = "standard"
FILE_NAME = "file_name"
"""A field of every file: the last part of its ``path`` without the suffix."""
_HEADINGS = "section"
LANGUAGE = "__language"
"""The metadata key of the language of the text that a document is a part of."""
WORD_ANALYZERS = ("auto", *languages())
ANALYZERS = (STANDARD, *WORD_ANALYZERS)
_MAX_FIELDS = 8
_MAX_WEIGHT = 1e6


@dataclass(frozen=True)
class IndexedText:
    """The searched text of a document.

    :param content: its content.
    :param others: for each further field of the index, the text of its metadata keys.
    :param names: for each further field, the lines of this text that are names of the document.
    :param root: the id of the document that it is a part of.
    :param language: its language, if the analyzer is ``auto`` and the language is known.
    """

    content: str
    others: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    root: str | None = None
    language: str | None = None


@dataclass(frozen=True)
class IndexSettings:
    """Settings of the indexes; stores that share their documents must agree on them.

    :param search_scope: the documents that are searched.
    :param analyzer: a name of `ANALYZERS`, a pattern of tokens, or a function from text to tokens.
    :param bm25_tokenization_regex: Haystack's pattern of tokens, for the analyzer ``standard``.
    :param fields: metadata keys whose text is searched too, with their weights.
    """

    search_scope: SearchScope
    analyzer: Analyzer = STANDARD
    bm25_tokenization_regex: str = DEFAULT_REGEX
    fields: tuple[tuple[str, float], ...] = ()

    @cached_property
    def scores_words(self) -> bool:
        """True if a query is scored by the forms and fields of its words, False if by terms."""
        return bool(self.fields) or self.has_words

    @property
    def has_words(self) -> bool:
        """True if the analyzer is one of words, which belong to languages and scripts."""
        return isinstance(self.analyzer, str) and self.analyzer != STANDARD

    @cached_property
    def tokenizer(self) -> Tokenizer | None:
        """Text to tokens; None: the engine's own."""
        return (
            None
            if self.has_words
            else make_tokenizer(None if isinstance(self.analyzer, str) else self.analyzer, self.bm25_tokenization_regex)
        )

    def engine_tokenizer(self, text: str) -> list[str]:
        """Return the tokens of a text by the engine."""
        return analyze(text, "auto" if self.has_words else STANDARD)

    @cached_property
    def languages(self) -> list[str] | None:
        """The languages of the stems; None: those of the documents."""
        if self.analyzer == "auto":
            return None
        return [self.analyzer] if isinstance(self.analyzer, str) and self.analyzer in languages() else []

    @cached_property
    def weights(self) -> list[float]:
        """The weight of each field of the index; the first is the content."""
        return [1.0, *self._keys_by_weight]

    @cached_property
    def _keys_by_weight(self) -> dict[float, list[str]]:
        """The keys by weight: those of one weight are a single field."""
        keys: dict[float, list[str]] = {}
        for key, weight in self.fields:
            keys.setdefault(weight, []).append(key)
        return keys

    def make_index(self) -> KeywordIndex:
        """Return an index without documents."""
        tokens: Literal["standard", "words"] = "words" if self.has_words else "standard"
        return KeywordIndex(tokens, len(self.weights) if self.scores_words else None)

    def read_texts(self, documents: Iterable[tuple[int, Document]]) -> list[tuple[int, IndexedText]]:
        """Return the searched texts of documents that have content, with their slots."""
        return [
            (slot, self.read_text(document.id, document.content, document.meta))
            for slot, document in documents
            if document.content is not None
        ]

    def read_text(self, id: str, content: str, meta: Meta) -> IndexedText:
        """Return the searched text of a document.

        :param meta: may be empty unless `scores_words`.
        """
        if not self.scores_words:
            return IndexedText(content)
        fields = [{key: list_field_texts(meta, key) for key in keys} for keys in self._keys_by_weight.values()]
        others = tuple("\n".join(dict.fromkeys(chain(*texts.values()))) for texts in fields)
        names = tuple("\n".join(dict.fromkeys(chain(*map(_list_names, texts.items())))) for texts in fields)
        root = meta.get(ROOT)
        language = meta.get(LANGUAGE) if self.analyzer == "auto" else None
        return IndexedText(
            content,
            others,
            names if self.has_words else (),
            _make_label(root) if isinstance(root, str) and root != id else None,
            language if isinstance(language, str) and language in languages() else None,
        )

    def list_texts(self, documents: Sequence[Document]) -> list[object]:
        """Return the searched text of documents, to be compared after a change of metadata."""
        is_searched = SEARCH_SCOPES[self.search_scope]
        texts = self.read_texts(enumerate(documents)) if self.scores_words else []
        return [[is_searched(document) for document in documents], texts]

    def prepare(self, index: KeywordIndex, texts: Sequence[tuple[int, IndexedText]]) -> Batch:
        """Return texts with their slots as a batch for an index."""
        slots = [slot for slot, _ in texts]
        contents = [self._tokenize(text.content) for _, text in texts]
        if not self.scores_words:
            return index.prepare(slots, contents)
        return index.prepare(
            slots,
            contents,
            others=[[self._tokenize(text.others[at]) for _, text in texts] for at in range(len(self.weights) - 1)],
            names=[list(each) for each in zip(*(text.names for _, text in texts), strict=True)],
            roots=[text.root for _, text in texts],
            languages=[text.language for _, text in texts],
        )

    def list_sequences(self, document: Document) -> list[list[str]]:
        """Return the words of the content, and of each text of a field, one after the other."""
        texts = [text for key, _ in self.fields for text in list_field_texts(document.meta, key)]
        return [self.split(text) for text in (document.content or "", *texts)]

    def split(self, text: str) -> list[str]:
        """Return the words of a text one after the other, for phrases."""
        return word_sequence(text) if self.has_words else (self.tokenizer or self.engine_tokenizer)(text)

    def list_terms(self, text: str) -> list[str]:
        """Return the index terms of a text."""
        return (self.tokenizer or self.engine_tokenizer)(text)

    def _tokenize(self, text: str) -> str | list[str]:
        return text if self.tokenizer is None else self.tokenizer(text)


def validate_fields(fields: Mapping[str, float] | None) -> tuple[tuple[str, float], ...]:
    """Return the weights of metadata keys in the order of the keys.

    :raises ValueError: a key is empty, a weight is not a number above 0, or there are too many.
    """
    if not isinstance(fields or {}, Mapping):
        raise ValueError(f"fields must be metadata keys with their weights, got {fields!r}. Pass {{'title': 2.0}}.")
    checked = []
    for key, weight in (fields or {}).items():
        if not isinstance(key, str) or not key:
            raise ValueError(f"fields must name metadata keys, got {key!r}. Pass {{'title': 2.0}}.")
        number = validate_number(f"fields[{key!r}]", weight)
        if not 0 < number <= _MAX_WEIGHT:
            raise ValueError(f"fields[{key!r}] must be above 0 and at most {_MAX_WEIGHT:,.0f}, got {weight}.")
        checked.append((key, float(number)))
    if len({weight for _, weight in checked}) >= _MAX_FIELDS:
        raise ValueError(f"fields have at most {_MAX_FIELDS - 1} different weights: keys of one weight are one field.")
    return tuple(sorted(checked))


def validate_analyzer(analyzer: Any) -> None:
    """Raise ValueError unless an analyzer is a known name, a pattern or a function."""
    if isinstance(analyzer, str) and analyzer not in ANALYZERS:
        raise ValueError(
            f"analyzer must be one of {', '.join(ANALYZERS)}, a compiled regular expression, or a function from text "
            f"to tokens, got '{analyzer}'."
        )
    if not isinstance(analyzer, str | re.Pattern) and not callable(analyzer):
        raise ValueError(f"analyzer must be a name, a compiled regular expression or a function, got {analyzer!r}.")
    if isinstance(analyzer, re.Pattern) and not isinstance(analyzer.pattern, str):
        raise ValueError(f"analyzer must be a regular expression of text, not of bytes, got {analyzer!r}.")


def _make_label(root: str) -> str:
    """Return the label of the parts of a document: the engine can't tell lone surrogates apart."""
    try:
        root.encode()
    except UnicodeEncodeError:
        return "\0" + ascii(root)
    return root


def _list_names(field: tuple[str, list[str]]) -> list[str]:
    """Return the texts of a field that are names: of headings, which name parts of a document and
    are often alike, those that are identifiers.
    """
    key, texts = field
    return [text for text in texts if _is_identifier(text)] if key == _HEADINGS else texts


@lru_cache(maxsize=4096)
def _is_identifier(text: str) -> bool:
    return len(word_sequence(text)) == 1 < len(analyze(text, "auto"))


def list_field_texts(meta: Meta, key: str) -> list[str]:
    """Return the texts of a searched key in the metadata of a document."""
    value = meta[key] if key in meta else meta_value(meta, tuple(key.removeprefix("meta.").split(".")))
    if key == FILE_NAME and value is None and isinstance(path := meta.get("path"), str):
        value = PurePosixPath(path).stem
    values = value if isinstance(value, list) else [value]
    return [text for text in values if isinstance(text, str) and text]
