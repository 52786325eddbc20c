"""Cuts documents at the largest separators that give chunks short enough."""

import logging
from collections.abc import Sequence
from typing import Any, Literal

from spaniel.components.preprocessors.pages import leading_page_breaks, page_at, page_breaks
from spaniel.components.preprocessors.recursive_pieces import (
    SENTENCE,
    Measure,
    RecursivePieces,
    char_measure,
    char_overlaps,
    token_measure,
    token_overlaps,
    word_measure,
    word_overlaps,
)
from spaniel.components.preprocessors.sentence_tokenizer import SentenceSplitter
from spaniel.components.preprocessors.tokens import TokenBounds, encoding_bounds
from spaniel.core.component import component
from spaniel.core.serialization import Serializable
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value

logger = logging.getLogger(__name__)

_UNITS = ("word", "char", "token")
_ENCODING = "o200k_base"


@component
class RecursiveDocumentSplitter(Serializable):
    r"""Cuts documents at passages; what is too long then at sentences, then at lines, then at words.

    Neighbouring pieces are joined as long as they fit. Chunks without overlap, joined, are the text.

    Each chunk's metadata has ``source_id``, ``parent_id`` (the same), ``split_id`` (0, 1, ...), ``split_idx_start`` (its
    offset), ``page_number`` and ``_split_overlap`` (None without an overlap).

    :param split_length: units a chunk.
    :param split_overlap: units that a chunk shares with the one before.
    :param split_unit: ``word`` (what lies between spaces), ``char``, or ``token`` (of ``o200k_base``).
    :param separators: tried in this order, literally; ``sentence`` stands for the end of a sentence. None or empty:
        blank line, ``sentence``, line break, space.
    :param sentence_splitter_params: of `SentenceSplitter`; None: ``{"keep_white_spaces": True}``.
    :raises ValueError: a length, unit or separator that can't be.
    :raises ImportError: when it runs: sentences or tokens need a package that is not installed.

    >>> splitter = RecursiveDocumentSplitter(split_length=4, separators=["\n", " "])
    >>> chunks = splitter.run([Document(content="The sun rose.\nIt cast a warm glow.")])["documents"]
    >>> [chunk.content for chunk in chunks]
    ['The sun rose.\n', 'It cast a warm ', 'glow.']
    """

    _own_options = frozenset()

    def __init__(
        self,
        *,
        split_length: int = 200,
        split_overlap: int = 0,
        split_unit: Literal["word", "char", "token"] = "word",
        separators: list[str] | None = None,
        sentence_splitter_params: dict[str, Any] | None = None,
    ) -> None:
        self.split_length = split_length
        self.split_overlap = split_overlap
        self.split_unit = split_unit
        self.separators = copy_value(separators) or ["\n\n", SENTENCE, "\n", " "]
        _check_lengths(split_length, split_overlap)
        if split_unit not in _UNITS:
            raise ValueError(f"split_unit must be one of {', '.join(_UNITS)}; it is {split_unit!r}.")
        if not all(isinstance(separator, str) for separator in self.separators):
            raise ValueError(f"All separators must be strings. They are {self.separators!r}.")
        self.sentence_splitter_params = (
            {"keep_white_spaces": True} if sentence_splitter_params is None else copy_value(sentence_splitter_params)
        )
        self._sentences: SentenceSplitter | None = None
        self._token_bounds: TokenBounds | None = None

    @property
    def split_units(self) -> str:
        """The unit, under the name that Haystack gives it."""
        return self.split_unit

    def warm_up(self) -> None:
        """Load what finds sentences and tokens. `run` does that too, if need be."""
        if SENTENCE in self.separators and self._sentences is None:
            self._sentences = SentenceSplitter(**self.sentence_splitter_params)
        if self.split_unit == "token" and self._token_bounds is None:
            self._token_bounds = encoding_bounds(_ENCODING)

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Return the chunks of each document in turn.

        :param documents: documents with text; those without are left out, with a warning.
        :returns: ``{"documents": [...]}``. The chunks share nothing mutable with the input or with one another.
        :raises TypeError: the input is no list of documents.
        """
        if not isinstance(documents, list) or not all(isinstance(document, Document) for document in documents):
            raise TypeError("RecursiveDocumentSplitter expects a List of Documents as input.")
        self.warm_up()
        chunks = []
        for document in documents:
            if document.content:
                chunks.extend(self._split(document, document.content))
            else:
                logger.warning("Document ID %s has an empty content. Skipping this document.", document.id)
        return {"documents": chunks}

    def _split(self, document: Document, text: str) -> list[Document]:
        bounds = self._sentences.bounds if self._sentences else lambda _: [0]
        pieces = RecursivePieces(self.separators, self.split_length, self._measure(), bounds)(text)
        spans = self._spans(pieces)
        chunks = _chunk_documents(document, text, spans, overlap_key=[] if self.split_overlap else None)
        if self.split_overlap:
            _link_overlaps(chunks, spans)
        breaks = page_breaks(text)
        for chunk, (start, _) in zip(chunks, spans, strict=True):  # after the id is made, which it is no part of
            chunk.meta["page_number"] = page_at(breaks, start) + leading_page_breaks(chunk.content or "")
        return chunks

    def _measure(self) -> Measure:
        if self._token_bounds:
            return token_measure(self._token_bounds)
        return word_measure() if self.split_unit == "word" else char_measure()

    def _spans(self, pieces: Sequence[str]) -> list[tuple[int, int]]:
        length, overlap = self.split_length, self.split_overlap
        if overlap == 0:
            spans, at = [], 0
            for piece in pieces:
                spans.append((at, at + len(piece)))
                at += len(piece)
            return spans
        if self._token_bounds:
            return token_overlaps(pieces, length=length, overlap=overlap, token_bounds=self._token_bounds)
        runs = word_overlaps if self.split_unit == "word" else char_overlaps
        return runs(pieces, length=length, overlap=overlap)


def _chunk_documents(
    source: Document, text: str, spans: Sequence[tuple[int, int]], *, overlap_key: list[Any] | None
) -> list[Document]:
    chunks = []
    for index, (start, end) in enumerate(spans):
        meta = copy_value(source.meta)
        place = {"source_id": source.id, "parent_id": source.id, "split_id": index, "split_idx_start": start}
        meta.update(place, _split_overlap=copy_value(overlap_key))
        chunks.append(Document(content=text[start:end], meta=meta))
    return chunks


def _link_overlaps(chunks: Sequence[Document], spans: Sequence[tuple[int, int]]) -> None:
    for index in range(1, len(chunks)):
        before, chunk = chunks[index - 1], chunks[index]
        length = spans[index - 1][1] - spans[index - 1][0]
        shared = spans[index - 1][1] - spans[index][0]
        if shared > 0:
            before.meta["_split_overlap"].append({"doc_id": chunk.id, "range": (0, shared)})
            chunk.meta["_split_overlap"].append({"doc_id": before.id, "range": (length - shared, length)})


def _check_lengths(split_length: int, split_overlap: int) -> None:
    if split_length < 1:
        raise ValueError(f"Split length must be at least 1. It is {split_length}.")
    if split_overlap < 0:
        raise ValueError(f"split_overlap must be greater than or equal to 0. It is {split_overlap}.")
    if split_overlap >= split_length:
        raise ValueError(
            f"Overlap cannot be greater than or equal to the chunk size. They are {split_overlap} and {split_length}."
        )
