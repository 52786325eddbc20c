"""Documents: texts with metadata, scores and embeddings."""

import dataclasses
import hashlib
import json
import sys
from collections.abc import Sequence
from typing import Any, Self

from spaniel._engine import copy_objects
from spaniel.dataclasses.byte_stream import ByteStream
from spaniel.dataclasses.copying import copy_value, same_value
from spaniel.dataclasses.mutation import WarnOnMutation
from spaniel.dataclasses.sparse_embedding import SparseEmbedding
from spaniel.json_types import JsonObject, Meta

# Fields of documents that Haystack 1.x wrote; accepted and ignored.
_LEGACY_FIELDS = frozenset({"content_type", "id_hash_keys", "dataframe"})
_MAX_REPR_CHARACTERS = 100
_STORED = sys.intern("_stored_meta")


@dataclasses.dataclass(init=False, repr=False, eq=False)
class Document(WarnOnMutation):
    """A piece of text with metadata.

    :param id: unique in a store; if empty, the SHA-256 of all fields but the score.
    :param content: the text.
    :param blob: binary data.
    :param meta: metadata: JSON values and dates by key.
    :param score: the relevance to a query; set by retrievers.
    :param embedding: a dense vector; arrays become lists.
    :param sparse_embedding: a sparse vector.
    :raises ValueError: `content` is neither text nor None.
    :raises TypeError: a field is unknown.

    >>> Document(content="a").id[:16]
    '93deb8df5441b2ca'
    """

    id: str = ""
    content: str | None = None
    blob: ByteStream | None = None
    meta: Meta = dataclasses.field(default_factory=dict)
    score: float | None = None
    embedding: list[float] | None = None
    sparse_embedding: SparseEmbedding | None = None

    __hash__ = None  # type: ignore[assignment]  # documents are mutable and compared by value

    def __init__(
        self,
        id: str = "",
        content: str | None = None,
        blob: ByteStream | None = None,
        meta: Meta | None = None,
        score: float | None = None,
        embedding: Sequence[float] | None = None,
        sparse_embedding: SparseEmbedding | None = None,
        **legacy: object,
    ) -> None:
        if unknown := legacy.keys() - _LEGACY_FIELDS:
            raise TypeError(f"Document has no field {sorted(unknown)}; its fields are {_FIELD_NAMES}.")
        if content is not None and not isinstance(content, str):
            raise ValueError(f"The `content` of a document must be a string or None, got {type(content).__name__}.")
        tolist = getattr(embedding, "tolist", None)  # a numpy array, without loading numpy
        self.__dict__.update(
            id=id,
            content=content,
            blob=blob,
            meta={} if meta is None else meta,
            score=score,
            embedding=embedding if tolist is None else tolist(),
            sparse_embedding=sparse_embedding,
        )
        if not id:
            self.__dict__["id"] = self._create_id()

    def _create_id(self) -> str:
        # The fields that Haystack hashes, for equal ids; its `dataframe` is always None.
        blob_data = None if self.blob is None else self.blob.data
        mime_type = None if self.blob is None else self.blob.mime_type
        try:
            meta = json.dumps(self.meta, sort_keys=True, default=str) if self.meta else "{}"
        except RecursionError:
            raise ValueError(_too_deep("The metadata of a document without an id")) from None
        sparse = "" if self.sparse_embedding is None else self.sparse_embedding.to_dict()
        text = f"{self.content or None}None{blob_data!r}{mime_type}{meta}{self.embedding}{sparse}"
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def independent_copy(self, **changes: Any) -> Self:
        """Return a deep copy of the same id.

        :param changes: fields to replace.
        :raises ValueError: a value is nested hundreds of levels deep.

        >>> document = Document(content="a", meta={"tags": ["x"]})
        >>> document.independent_copy(score=1.0).meta["tags"] is document.meta["tags"]
        False
        """
        fields = self.__getstate__() | changes
        embedding = fields["embedding"]
        try:
            if type(embedding) is list:  # long, and its numbers are immutable
                fields = copy_value(fields | {"embedding": None})
                fields["embedding"] = embedding.copy()
            else:
                fields = copy_value(fields)
        except RecursionError as error:
            raise ValueError(_too_deep(f"Document '{self.id}'")) from error
        copied = object.__new__(type(self))
        copied.__dict__.update(fields)
        return copied

    @staticmethod
    def copies_of(
        documents: list["Document"], scores: list[float] | None = None, *, embedding: bool = True, lazy: bool = False
    ) -> list["Document"]:
        """Return an independent copy per document, much faster than `independent_copy`.

        :param scores: the scores of the copies; None: those of the documents.
        :param embedding: copy the embeddings too.
        :param lazy: copy metadata at its first access; for documents that never change.

        >>> documents = [Document(content="a", meta={"page": 1})]
        >>> [copied.meta for copied in Document.copies_of(documents, lazy=True)]
        [{'page': 1}]
        """
        changes = {} if embedding else {"embedding": None}
        each = None if scores is None else ("score", scores)
        return copy_objects(documents, "meta" if lazy else None, _STORED, "embedding", changes, each)

    def __getattr__(self, name: str) -> Any:  # called for the metadata of a lazy copy at its first access
        if name == "meta":
            stored = self.__dict__.get(_STORED)
            if stored is not None:
                self.__dict__.setdefault("meta", copy_value(stored))  # another thread may have set it
                self.__dict__.pop(_STORED, None)
            if "meta" in self.__dict__:
                return self.__dict__["meta"]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)

    def __getstate__(self) -> JsonObject:  # for `copy` and `pickle`
        self.meta  # noqa: B018 (completes a lazy copy)
        return self.__dict__

    def to_dict(self, flatten: bool = True) -> JsonObject:
        """Return the document as plain data.

        :param flatten: lift metadata to the top level, except keys with the name of a field.

        >>> Document(id="1", content="a", meta={"year": 2020}).to_dict()["year"]
        2020
        """
        blob, sparse = self.blob, self.sparse_embedding
        data = {
            "id": self.id,
            "content": self.content,
            "blob": None if blob is None else blob.to_dict(),
            "meta": copy_value(self.meta),
            "score": self.score,
            "embedding": copy_value(self.embedding),
            "sparse_embedding": None if sparse is None else sparse.to_dict(),
        }
        if not flatten:
            return data
        meta = data.pop("meta")
        flat = {key: value for key, value in meta.items() if key not in RESERVED} | data
        if nested := {key: value for key, value in meta.items() if key in RESERVED}:
            flat["meta"] = nested
        return flat

    @classmethod
    def from_dict(cls, data: JsonObject) -> Self:
        """Return the document that `to_dict` wrote, flattened or not; unknown keys become metadata.

        >>> Document.from_dict({"content": "a", "year": 2020}).meta
        {'year': 2020}
        """
        fields = {key: value for key, value in data.items() if key in RESERVED and key != "meta"}
        flat = {key: value for key, value in data.items() if key not in RESERVED}
        if isinstance(fields.get("blob"), dict):
            fields["blob"] = ByteStream.from_dict(fields["blob"])
        if isinstance(fields.get("sparse_embedding"), dict):
            fields["sparse_embedding"] = SparseEmbedding.from_dict(fields["sparse_embedding"])
        return cls(**fields, meta={**(data.get("meta") or {}), **flat})

    @property
    def content_type(self) -> str:
        """``"text"``.

        :raises ValueError: the document has no text.
        """
        if self.content is None:
            raise ValueError("The document has no content, so its type is unknown.")
        return "text"

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return False
        return same_value(self.to_dict(flatten=False), other.to_dict(flatten=False))

    def __repr__(self) -> str:
        shown = [f"id={self.id}"]
        if self.content is not None:
            text, limit = self.content, _MAX_REPR_CHARACTERS
            shown.append(f"content: '{text if len(text) < limit else text[:limit] + '...'}'")
        if self.blob is not None:
            shown.append(f"blob: {len(self.blob.data)} bytes")
        if self.meta:
            shown.append(f"meta: {self.meta}")
        if self.score is not None:
            shown.append(f"score: {self.score}")
        if self.embedding is not None:
            shown.append(f"embedding: vector of size {len(self.embedding)}")
        if self.sparse_embedding is not None:
            shown.append(f"sparse_embedding: vector with {len(self.sparse_embedding.indices)} non-zero elements")
        return f"{type(self).__name__}({', '.join(shown)})"


_FIELD_NAMES = [field.name for field in dataclasses.fields(Document)]
RESERVED = _LEGACY_FIELDS.union(_FIELD_NAMES)
"""Keys of a flat serialised document that are not metadata."""


def _too_deep(subject: str) -> str:
    return f"{subject} is nested too deeply to be read (hundreds of levels), or contains itself. Flatten its metadata."
