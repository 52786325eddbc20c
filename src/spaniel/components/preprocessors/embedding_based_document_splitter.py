"""Cuts documents where their topic changes."""

import logging
from itertools import accumulate, pairwise
from typing import Any, Protocol

from spaniel.components.lifecycle import Lifecycle, call_each
from spaniel.components.preprocessors.chunks import Chunk, chunks_of_spans
from spaniel.components.preprocessors.sentence_tokenizer import Language, SentenceSplitter
from spaniel.components.preprocessors.topic_breaks import Limits, Steps, topic_pieces
from spaniel.core.component import component
from spaniel.core.serialization import Serializable, default_to_dict, get_constructor_parameters
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value
from spaniel.runtime import Call, Gather, Program, async_method, sync_method

logger = logging.getLogger(__name__)


class DocumentEmbedder(Protocol):
    """A component that gives documents their vectors."""

    def run(self, documents: list[Document]) -> dict[str, Any]:
        """Return the documents with vectors, in the same order, under ``documents``."""
        ...


@component
class EmbeddingBasedDocumentSplitter(Serializable):
    """Cuts documents where neighbouring sentences are farther apart in meaning than most are.

    Chunks, joined, are the text. Each chunk's metadata has ``source_id``, ``split_id`` (0, 1, ...), ``split_idx_start`` (its
    offset) and ``page_number``. Each cut asks the embedder once a document, and once more for each piece that is too long.

    :param document_embedder: gives sentences their vectors.
    :param sentences_per_group: sentences that get one vector together.
    :param percentile: 0 to 1: distances above this percentile of a text's distances are breaks.
    :param min_length: characters; a shorter piece is joined to the next one.
    :param max_length: characters; a longer piece is cut again, as long as it has a break.
    :param language, use_split_rules, extend_abbreviations: of the sentences; see `SentenceSplitter`.
    :raises ValueError: a number is out of its range.
    :raises ImportError: when it runs: the package for sentences is not installed.

    >>> from spaniel.components.embedders import MockDocumentEmbedder
    >>> embedder = MockDocumentEmbedder(embedding_fn=lambda text: [1.0, 0.0] if "sun" in text else [0.0, 1.0])
    >>> splitter = EmbeddingBasedDocumentSplitter(document_embedder=embedder, sentences_per_group=1, min_length=0)
    >>> text = "The sun rose. The sun was warm. Trains run late. Trains are slow."
    >>> [chunk.content for chunk in splitter.run([Document(content=text)])["documents"]]
    ['The sun rose. The sun was warm. ', 'Trains run late. Trains are slow.']
    """

    _own_options = frozenset()

    def __init__(
        self,
        *,
        document_embedder: DocumentEmbedder,
        sentences_per_group: int = 3,
        percentile: float = 0.95,
        min_length: int = 50,
        max_length: int = 1000,
        language: Language = "en",
        use_split_rules: bool = True,
        extend_abbreviations: bool = True,
    ) -> None:
        if sentences_per_group <= 0:
            raise ValueError(f"sentences_per_group must be greater than 0. It is {sentences_per_group}.")
        if not 0.0 <= percentile <= 1.0:
            raise ValueError(f"percentile must be between 0.0 and 1.0. It is {percentile}.")
        if min_length < 0:
            raise ValueError(f"min_length must be greater than or equal to 0. It is {min_length}.")
        if max_length <= min_length:
            raise ValueError(f"max_length must be greater than min_length. They are {max_length} and {min_length}.")
        self.document_embedder = document_embedder
        self.sentences_per_group = sentences_per_group
        self.percentile = percentile
        self.min_length = min_length
        self.max_length = max_length
        self.language = language
        self.use_split_rules = use_split_rules
        self.extend_abbreviations = extend_abbreviations
        self.sentence_splitter: SentenceSplitter | None = None

    @sync_method
    def warm_up(self) -> Program[None]:
        """Load the rules of sentences, and prepare the embedder."""
        self._sentences()
        yield from call_each([self.document_embedder], Lifecycle.warm_up)

    warm_up_async = async_method(warm_up)

    @sync_method
    def close(self) -> Program[None]:
        """Close the embedder, if it can be closed."""
        yield from call_each([self.document_embedder], Lifecycle.close)

    close_async = async_method(close)

    @component.output_types(documents=list[Document])
    @sync_method
    def run(self, documents: list[Document]) -> Program[dict[str, list[Document]]]:
        """Return the chunks of each document in turn; `run_async` embeds the documents side by side.

        :param documents: documents with text; empty ones are left out, with a warning.
        :returns: ``{"documents": [...]}``. The chunks share nothing mutable with the input or with one another.
        :raises TypeError: the input is no list of documents.
        :raises ValueError: a document's content is None.
        """
        with_text = _checked(documents)
        yield Call(self, EmbeddingBasedDocumentSplitter.warm_up, {})
        splits = yield Gather(map(self._split, with_text), max(len(with_text), 1), threads=False)
        return {"documents": [chunk for chunks in splits for chunk in chunks]}

    run_async = async_method(run)

    def _split(self, document: Document) -> Program[list[Document]]:
        steps = self._steps(document)
        groups = next(steps)
        while True:
            result = yield Call(self.document_embedder, DocumentEmbedder.run, {"documents": _documents(groups)})
            try:
                groups = steps.send(_vectors(result))
            except StopIteration as done:
                return _chunk_documents(document, done.value)

    def _steps(self, document: Document) -> Steps:
        limits = Limits(self.sentences_per_group, self.percentile, self.min_length, self.max_length)
        return topic_pieces(document.content or "", self._sentences(), limits)

    def _sentences(self) -> SentenceSplitter:
        if self.sentence_splitter is None:
            self.sentence_splitter = SentenceSplitter(
                self.language, self.use_split_rules, self.extend_abbreviations, keep_white_spaces=True
            )
        return self.sentence_splitter

    def _init_parameters(self) -> dict[str, Any]:
        return {**super()._init_parameters(), "document_embedder": _embedder_data(self.document_embedder)}


def _checked(documents: list[Document]) -> list[Document]:
    if not isinstance(documents, list) or not all(isinstance(document, Document) for document in documents):
        raise TypeError("EmbeddingBasedDocumentSplitter expects a List of Documents as input.")
    for document in documents:
        if document.content is None:
            raise ValueError(
                "EmbeddingBasedDocumentSplitter only works with text documents but content for document ID "
                f"{document.id} is None."
            )
        if not document.content:
            logger.warning("Document ID %s has an empty content. Skipping this document.", document.id)
    return [document for document in documents if document.content]


def _documents(groups: list[str]) -> list[Document]:
    return [Document(content=group) for group in groups]


def _vectors(result: dict[str, Any]) -> list[list[float]]:
    return [document.embedding for document in result["documents"]]


def _chunk_documents(source: Document, pieces: list[str]) -> list[Document]:
    spans = pairwise(accumulate(map(len, pieces), initial=0))
    return [
        _chunk_document(source, index, chunk) for index, chunk in enumerate(chunks_of_spans("".join(pieces), spans))
    ]


def _chunk_document(source: Document, index: int, chunk: Chunk) -> Document:
    meta = copy_value(source.meta)
    meta.update(source_id=source.id, split_id=index, split_idx_start=chunk.start, page_number=chunk.page)
    return Document(content=chunk.text, meta=meta)


def _embedder_data(embedder: DocumentEmbedder) -> Any:
    if hasattr(embedder, "to_dict"):
        return embedder.to_dict()
    parameters = get_constructor_parameters(type(embedder)).items()
    return default_to_dict(embedder, **{name: getattr(embedder, name, each.default) for name, each in parameters})
