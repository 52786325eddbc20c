"""The embedder of a knowledge base: for its passages, and for queries."""

import hashlib
from dataclasses import dataclass
from typing import Any, Self

import orjson

from spaniel.components.embedders import (
    MultilingualDocumentEmbedder,
    MultilingualTextEmbedder,
    OnnxDocumentEmbedder,
    OnnxTextEmbedder,
)
from spaniel.components.embedders.types import DocumentEmbedder, TextEmbedder
from spaniel.core.serialization import component_to_dict
from spaniel.embedding.multilingual_encoder import MULTILINGUAL_MODEL
from spaniel.errors import KnowledgeBaseError, SpanielError
from spaniel.json_types import JsonObject

EmbedderSource = str | tuple[DocumentEmbedder, TextEmbedder] | None
"""The name of a model in ONNX format, or of the multilingual one; or an embedder of documents and
one of texts."""

_MODEL_PARAMETERS = ("model", "max_tokens")


@dataclass(frozen=True)
class Embedder:
    """The components that turn passages and queries into vectors.

    :param documents: embeds passages.
    :param queries: embeds queries.
    :param id: differs if passages would get other vectors.
    :param model: the name of the model, for messages.
    """

    documents: DocumentEmbedder
    queries: TextEmbedder
    id: str
    model: str

    @classmethod
    def make(cls, source: str | tuple[DocumentEmbedder, TextEmbedder]) -> Self:
        """Return an embedder.

        :raises KnowledgeBaseError: it is neither a name nor two components.
        """
        if source == MULTILINGUAL_MODEL:
            embedders = MultilingualDocumentEmbedder(progress_bar=False), MultilingualTextEmbedder()
            return cls(*embedders, _make_id(embedders[0]), MULTILINGUAL_MODEL)
        if isinstance(source, str):
            documents, queries = OnnxDocumentEmbedder(source, progress_bar=False), OnnxTextEmbedder(source)
            return cls(documents, queries, _make_id(documents), source)
        if not isinstance(source, tuple) or len(source) != 2 or not all(hasattr(each, "run") for each in source):
            raise KnowledgeBaseError(
                f"embedder must be the name of a model, or an embedder of documents and one of texts, got {source!r}."
            )
        return cls(*source, _make_id(source[0]), str(getattr(source[0], "model", type(source[0]).__name__)))

    @classmethod
    def from_record(cls, record: JsonObject) -> Self | None:
        """Return the recorded embedder; None if it is not one of a model in this process.

        Others are built by no file: they may send texts and keys to the address that it names.
        """
        parameters = record.get("parameters")
        if record["model"] == MULTILINGUAL_MODEL:
            return cls.make(MULTILINGUAL_MODEL)
        if parameters is None:
            return None
        documents = OnnxDocumentEmbedder(**parameters, progress_bar=False)
        queries = OnnxTextEmbedder(**parameters)
        return cls(documents, queries, str(record["id"]), str(record["model"]))

    def to_record(self) -> JsonObject:
        """Return the record in a knowledge base: without keys and addresses."""
        record: JsonObject = {"id": self.id, "model": self.model}
        if isinstance(self.documents, OnnxDocumentEmbedder) and self._is_plain():
            record["parameters"] = {name: getattr(self.documents, name) for name in _MODEL_PARAMETERS}
        return record

    def warm_up(self) -> None:
        """Load the model.

        :raises KnowledgeBaseError: it can't be loaded.
        """
        try:
            for component in (self.documents, self.queries):
                if (warm_up := getattr(component, "warm_up", None)) is not None:
                    warm_up()
        except (SpanielError, ImportError) as error:
            raise KnowledgeBaseError(f"The model '{self.model}' can't be used: {error}") from error

    def embed_query(self, query: str) -> list[float]:
        """Return the vector of a query.

        :raises KnowledgeBaseError: the model can't be used.
        """
        try:
            vector: list[float] = self.queries.run(text=query)["embedding"]
        except (SpanielError, ImportError) as error:
            raise KnowledgeBaseError(
                f"The query can't be embedded with the model '{self.model}': {error} "
                "To search the words alone: keywords_only=True, or --keywords-only."
            ) from error
        return vector

    def _is_plain(self) -> bool:
        """Return True if a record of the model alone describes both components."""
        own = OnnxDocumentEmbedder(self.documents.model, max_tokens=self.documents.max_tokens)  # type: ignore[attr-defined]  # of this class
        text = OnnxTextEmbedder(own.model, max_tokens=own.max_tokens)
        return (
            _make_id(own) == self.id
            and isinstance(self.queries, OnnxTextEmbedder)
            and (_make_id(text) == _make_id(self.queries))
        )


def _make_id(component: Any) -> str:
    """Return a digest of the parameters of a component on which its vectors depend."""
    try:
        data = component_to_dict(component, type(component).__name__)
    except SpanielError:
        data = {"type": f"{type(component).__module__}.{type(component).__qualname__}"}
    parameters = {
        name: value
        for name, value in data.get("init_parameters", {}).items()
        if name not in ("progress_bar", "threads", "batch_size", "api_key", "timeout", "max_retries", "token")
    }
    text = orjson.dumps([data["type"], parameters], option=orjson.OPT_SORT_KEYS, default=str)
    return hashlib.sha256(text).hexdigest()[:16]
