"""Splits documents where their topic changes."""

import logging
from itertools import accumulate, pairwise

from spaniel.components.embedders.types import DocumentEmbedder
from spaniel.components.lifecycle import CompositeComponent
from spaniel.components.preprocessors.chunks import cut_spans
from spaniel.components.preprocessors.sentence_tokenizer import Language, SentenceSplitter
from spaniel.components.preprocessors.text_splitter import validate_contents, validate_documents
from spaniel.components.preprocessors.topic_breaks import TopicLimits, split_topics
from spaniel.core.component import component
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value
from spaniel.runtime import Call, Gather, Program, async_method, sync_method

logger = logging.getLogger(__name__)


@component
class EmbeddingBasedDocumentSplitter(CompositeComponent):
    """Splits documents where the embeddings of neighbouring sentences are unusually far apart.

    Chunks, joined, are the text. Each chunk's metadata has ``source_id``, ``split_id`` (0, 1, ...),
    ``split_idx_start`` (its offset) and ``page_number``. The embedder is called once per document,
    and again for each piece that is too long.

    :param document_embedder: embeds the sentences.
    :param sentences_per_group: the number of sentences embedded together.
    :param percentile: 0 to 1: distances above this percentile of a text's distances are breaks.
    :param min_length: in characters; a shorter piece is joined to the next.
    :param max_length: in characters; a longer piece is split again, if it has a break.
    :param language, use_split_rules, extend_abbreviations: see `SentenceSplitter`.
    :raises ValueError: a number is out of range.
    :raises ImportError: when it runs: the package for sentences is not installed.

    >>> from spaniel.components.embedders import MockDocumentEmbedder
    >>> embedder = MockDocumentEmbedder(embedding_fn=lambda text: [1.0, 0.0] if "sun" in text else [0.0, 1.0])
    >>> splitter = EmbeddingBasedDocumentSplitter(document_embedder=embedder, sentences_per_group=1, min_length=0)
    >>> text = "The sun rose. The sun was warm. Trains run late. Trains are slow."
    >>> [chunk.content for chunk in splitter.run([Document(content=text)])["documents"]]
    ['The sun rose. The sun was warm. ', 'Trains run late. Trains are slow.']
    """

    _own_options = frozenset()
    _component_parameters = ("document_embedder",)

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
            raise ValueError(f"sentences_per_group must be greater than 0, got {sentences_per_group}.")
        if not 0.0 <= percentile <= 1.0:
            raise ValueError(f"percentile must be between 0.0 and 1.0, got {percentile}.")
        if min_length < 0:
            raise ValueError(f"min_length must be greater than or equal to 0, got {min_length}.")
        if max_length <= min_length:
            raise ValueError(f"max_length must be greater than min_length, got {max_length} and {min_length}.")
        self.document_embedder = document_embedder
        self.sentences_per_group = sentences_per_group
        self.percentile = percentile
        self.min_length = min_length
        self.max_length = max_length
        self.language = language
        self.use_split_rules = use_split_rules
        self.extend_abbreviations = extend_abbreviations
        self.sentence_splitter: SentenceSplitter | None = None

    @component.output_types(documents=list[Document])
    @sync_method
    def run(self, documents: list[Document]) -> Program[dict[str, list[Document]]]:
        """Return the chunks of each document, in order; `run_async` embeds documents concurrently.

        :param documents: documents with text; empty ones are omitted, with a warning.
        :returns: ``{"documents": [...]}``. The chunks share nothing mutable with the input.
        :raises TypeError: the input is not a list of documents.
        :raises ValueError: a document's content is None.
        """
        validate_documents(self, documents)
        validate_contents(self, documents)
        for document in documents:
            if not document.content:
                logger.warning("Document ID %s has an empty content. Skipping this document.", document.id)
        with_text = [document for document in documents if document.content]
        yield Call(self, EmbeddingBasedDocumentSplitter.warm_up, {})
        splits = yield Gather(map(self._split, with_text), max(len(with_text), 1), threads=False)
        return {"documents": [chunk for chunks in splits for chunk in chunks]}

    run_async = async_method(run)

    def _split(self, document: Document) -> Program[list[Document]]:
        limits = TopicLimits(self.sentences_per_group, self.percentile, self.min_length, self.max_length)
        topics = split_topics(document.content or "", self._load_sentence_splitter(), limits)
        groups = next(topics)
        while True:
            inputs = {"documents": [Document(content=group) for group in groups]}
            embedded = yield Call(self.document_embedder, DocumentEmbedder.run, inputs)
            try:
                groups = topics.send([each.embedding for each in embedded["documents"]])
            except StopIteration as done:
                return _build_chunk_documents(document, done.value)

    def _load(self) -> None:
        self._load_sentence_splitter()

    def _load_sentence_splitter(self) -> SentenceSplitter:
        if self.sentence_splitter is None:
            self.sentence_splitter = SentenceSplitter(
                self.language, self.use_split_rules, self.extend_abbreviations, keep_white_spaces=True
            )
        return self.sentence_splitter


def _build_chunk_documents(source: Document, pieces: list[str]) -> list[Document]:
    spans = pairwise(accumulate(map(len, pieces), initial=0))
    documents = []
    for index, chunk in enumerate(cut_spans("".join(pieces), spans)):
        meta = copy_value(source.meta)
        meta.update(source_id=source.id, split_id=index, split_idx_start=chunk.start, page_number=chunk.page)
        documents.append(Document(content=chunk.text, meta=meta))
    return documents
