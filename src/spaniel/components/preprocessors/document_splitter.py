"""Cuts documents into chunks of words, lines, passages, pages, ..."""

import logging
from collections.abc import Callable
from typing import Any, Literal, Self

from spaniel.components.preprocessors.chunks import chunk_documents, chunks_of_pieces, chunks_of_units
from spaniel.components.preprocessors.units import DELIMITERS
from spaniel.core.callables import deserialize_callable, serialize_callable
from spaniel.core.component import component
from spaniel.core.serialization import Serializable, default_from_dict
from spaniel.dataclasses import Document

logger = logging.getLogger(__name__)

SplitBy = Literal["function", "page", "passage", "period", "word", "line", "sentence", "token"]

_MODES = ("function", *DELIMITERS)
_LATER_MODES = ("sentence", "token")


@component
class DocumentSplitter(Serializable):
    """Cuts documents into chunks that keep the metadata of their source and know their place in it.

    Each chunk's metadata has ``source_id``, ``split_id`` (0, 1, ...), ``split_idx_start`` (its offset in the source's
    content) and ``page_number``; with an overlap also ``_split_overlap``: which characters it shares with its neighbours.

    :param split_by: the unit: ``word`` (ends at a space), ``line``, ``passage`` (ends at a blank line), ``page`` (ends at a
        form feed), ``period`` (ends at a dot), or ``function``. ``sentence`` and ``token`` are not available yet.
    :param split_length: units a chunk.
    :param split_overlap: units that a chunk shares with the one before.
    :param split_threshold: a chunk of fewer units is joined to the one before.
    :param splitting_function: for ``function``: takes the text, returns its pieces.
    :param respect_sentence_boundary: not available yet.
    :param language: for sentences.
    :param use_split_rules: for sentences.
    :param extend_abbreviations: for sentences.
    :param skip_empty_documents: leave out documents and chunks without text.
    :param tokenizer_encoding: for tokens.
    :raises ValueError: a mode or length that can't be.

    >>> from spaniel import Document
    >>> splitter = DocumentSplitter(split_by="word", split_length=3)
    >>> chunks = splitter.run([Document(content="The sun rose early in the morning.")])["documents"]
    >>> [(chunk.content, chunk.meta["split_idx_start"]) for chunk in chunks]
    [('The sun rose ', 0), ('early in the ', 13), ('morning.', 26)]
    """

    _always_written = frozenset({"skip_empty_documents", "tokenizer_encoding"})

    def __init__(
        self,
        split_by: SplitBy = "word",
        split_length: int = 200,
        split_overlap: int = 0,
        split_threshold: int = 0,
        splitting_function: Callable[[str], list[str]] | None = None,
        respect_sentence_boundary: bool = False,
        language: str = "en",
        use_split_rules: bool = True,
        extend_abbreviations: bool = True,
        *,
        skip_empty_documents: bool = True,
        tokenizer_encoding: str = "o200k_base",
    ) -> None:
        _check_mode(split_by, splitting_function)
        _check_lengths(split_length, split_overlap)
        if respect_sentence_boundary:
            _check_sentence_boundary(split_by)
        self.split_by = split_by
        self.split_length = split_length
        self.split_overlap = split_overlap
        self.split_threshold = split_threshold
        self.splitting_function = splitting_function
        self.respect_sentence_boundary = False
        self.language = language
        self.use_split_rules = use_split_rules
        self.extend_abbreviations = extend_abbreviations
        self.skip_empty_documents = skip_empty_documents
        self.tokenizer_encoding = tokenizer_encoding

    def warm_up(self) -> None:
        """Return at once: these modes have nothing to load."""

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
            logger.warning("The document %s has no text and is left out.", document.id)
            return []
        if self.splitting_function is not None and self.split_by == "function":
            pieces = self.splitting_function(text)
            chunks = chunks_of_pieces(text, (piece for piece in pieces if piece or not self.skip_empty_documents))
        else:
            chunks = chunks_of_units(
                text,
                self.split_by,
                length=self.split_length,
                overlap=self.split_overlap,
                threshold=self.split_threshold,
                keep_empty=not self.skip_empty_documents,
            )
        return chunk_documents(document, chunks, link_overlaps=self.split_overlap > 0)

    def _init_parameters(self) -> dict[str, Any]:
        written = super()._init_parameters()
        function = written.pop("splitting_function")
        return written if function is None else {**written, "splitting_function": serialize_callable(function)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Return the splitter that `to_dict` wrote.

        :raises DeserializationError: a parameter is unknown, or the splitting function's module is not allowed (see
            `spaniel.core.serialization.allow_deserialization_module`).
        """
        parameters = data.get("init_parameters") or {}
        if isinstance(name := parameters.get("splitting_function"), str):
            data = {**data, "init_parameters": {**parameters, "splitting_function": deserialize_callable(name)}}
        return default_from_dict(cls, data)


def _check_mode(split_by: str, splitting_function: Callable[[str], list[str]] | None) -> None:
    if split_by in _LATER_MODES:
        raise ValueError(f"split_by='{split_by}' is not available yet. Use one of {', '.join(_MODES)}.")
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


def _check_sentence_boundary(split_by: str) -> None:
    if split_by == "word":
        raise ValueError("respect_sentence_boundary=True is not available yet. Leave it out to split at words.")
    logger.warning("respect_sentence_boundary is for split_by='word' alone, and is ignored for '%s'.", split_by)
