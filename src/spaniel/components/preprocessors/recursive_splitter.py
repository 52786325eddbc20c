"""Splits documents at the largest separators that give short enough chunks."""

import logging
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Literal, get_args

from spaniel.components.preprocessors.chunks import Chunk, cut_spans, link_overlaps
from spaniel.components.preprocessors.recursive_pieces import (
    CHARACTERS,
    SENTENCE,
    WORDS,
    LengthUnit,
    RecursiveCutter,
    make_token_unit,
    overlap_characters,
    overlap_tokens,
    overlap_words,
)
from spaniel.components.preprocessors.sentence_tokenizer import SentenceSplitter
from spaniel.components.preprocessors.text_splitter import TextSplitter, validate_documents
from spaniel.components.preprocessors.tokens import TokenBounds, make_encoding_bounds
from spaniel.core.component import component
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value
from spaniel.json_types import JsonObject

logger = logging.getLogger(__name__)

SplitUnit = Literal["word", "char", "token"]
_ENCODING = "o200k_base"


@component
class RecursiveDocumentSplitter(TextSplitter):
    r"""Splits documents at passages; pieces that are too long at sentences, lines, then words.

    Neighbouring pieces are joined while they fit. Chunks without overlap, joined, are the text.
    Documents without text are omitted, with a warning.

    Each chunk's metadata has ``source_id``, ``parent_id`` (the same), ``split_id`` (0, 1, ...),
    ``split_idx_start`` (its offset), ``page_number`` and ``_split_overlap`` (None without an
    overlap).

    :param split_length: the maximum number of units per chunk.
    :param split_overlap: the number of units that a chunk shares with the previous chunk.
    :param split_unit: ``word`` (separated by spaces), ``char``, or ``token`` (of ``o200k_base``).
    :param separators: tried in this order, literally; ``sentence`` means the end of a sentence.
        None or empty: blank line, ``sentence``, line break, space.
    :param sentence_splitter_params: of `SentenceSplitter`; None: ``{"keep_white_spaces": True}``.
    :raises ValueError: an invalid length, unit or separator.
    :raises ImportError: when it runs: sentences or tokens require a package that is not installed.

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
        split_unit: SplitUnit = "word",
        separators: list[str] | None = None,
        sentence_splitter_params: JsonObject | None = None,
    ) -> None:
        if split_length < 1:
            raise ValueError(f"Split length must be at least 1, got {split_length}.")
        if split_overlap < 0:
            raise ValueError(f"split_overlap must be greater than or equal to 0, got {split_overlap}.")
        if split_overlap >= split_length:
            raise ValueError(
                f"Overlap cannot be greater than or equal to the chunk size, got {split_overlap} and {split_length}."
            )
        if split_unit not in (units := get_args(SplitUnit)):
            raise ValueError(f"split_unit must be one of {', '.join(units)}, got {split_unit!r}.")
        self.split_length = split_length
        self.split_overlap = split_overlap
        self.split_unit = split_unit
        self.separators = copy_value(separators) or ["\n\n", SENTENCE, "\n", " "]
        if not all(isinstance(separator, str) for separator in self.separators):
            raise ValueError(f"All separators must be strings, got {self.separators!r}.")
        self.sentence_splitter_params = (
            {"keep_white_spaces": True} if sentence_splitter_params is None else copy_value(sentence_splitter_params)
        )
        self._sentences: SentenceSplitter | None = None
        self._token_bounds: TokenBounds | None = None

    @property
    def split_units(self) -> str:
        """The unit, under Haystack's name."""
        return self.split_unit

    def warm_up(self) -> None:
        """Load the models of sentences and tokens. `run` does so on its own."""
        if SENTENCE in self.separators and self._sentences is None:
            self._sentences = SentenceSplitter(**self.sentence_splitter_params)
        if self.split_unit == "token" and self._token_bounds is None:
            self._token_bounds = make_encoding_bounds(_ENCODING)

    def _validate(self, documents: list[Document]) -> None:
        validate_documents(self, documents)

    def _split(self, document: Document) -> list[Document]:
        text = document.content
        if not text:
            logger.warning("Document ID %s has an empty content. Skipping this document.", document.id)
            return []
        self.warm_up()
        bounds = self._sentences.bounds if self._sentences else lambda _: [0]
        pieces = RecursiveCutter(self.separators, self.split_length, self._length_unit(), bounds).cut(text)
        chunks = cut_spans(text, self._overlap(pieces))
        documents = _build_chunk_documents(document, chunks, overlaps=[] if self.split_overlap else None)
        if self.split_overlap:
            link_overlaps(documents, chunks)
        for built, chunk in zip(documents, chunks, strict=True):
            built.meta["page_number"] = chunk.page  # not part of the id
        return documents

    def _length_unit(self) -> LengthUnit:
        if self._token_bounds:
            return make_token_unit(self._token_bounds)
        return WORDS if self.split_unit == "word" else CHARACTERS

    def _overlap(self, pieces: Sequence[str]) -> list[tuple[int, int]]:
        length, overlap = self.split_length, self.split_overlap
        if overlap == 0:
            return list(pairwise(accumulate(map(len, pieces), initial=0)))
        if self._token_bounds:
            return overlap_tokens(pieces, length=length, overlap=overlap, token_bounds=self._token_bounds)
        overlap_pieces = overlap_words if self.split_unit == "word" else overlap_characters
        return overlap_pieces(pieces, length=length, overlap=overlap)


def _build_chunk_documents(
    source: Document, chunks: Sequence[Chunk], *, overlaps: list[object] | None
) -> list[Document]:
    documents = []
    for index, chunk in enumerate(chunks):
        meta = copy_value(source.meta)
        place = {"source_id": source.id, "parent_id": source.id, "split_id": index, "split_idx_start": chunk.start}
        meta.update(place, _split_overlap=copy_value(overlaps))
        documents.append(Document(content=chunk.text, meta=meta))
    return documents
