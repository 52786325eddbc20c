"""Vectors of passages: those that are known by their text, others from the embedder."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from spaniel.components.embedders.types import DocumentEmbedder
from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import CHILDREN
from spaniel.knowledge_base.embedding_cache import EmbeddingCache
from spaniel.tracing.lineage import list_headings

_BATCH = 64


def get_embedded_text(document: Document) -> str:
    r"""Return the text of a passage that is embedded: the headings above it, and its content.

    >>> get_embedded_text(Document(content="Bones. ", meta={"title": "Dogs", "section": ["Dogs", "Food"]}))
    'Dogs\nFood\nBones.'
    """
    headings, content = list_headings(document), (document.content or "").strip()
    if headings and content.startswith(headings[-1]):  # the heading is a part of the passage
        headings = headings[:-1]
    return "\n".join([*headings, content])


class EmbeddingStoppedError(Exception):
    """The run is stopped in the middle of a file."""


@dataclass
class PassageEmbedding:
    """Embeds the leaves of files; sections and whole files have no vectors.

    :param embedder: of documents.
    :param id: of the embedder.
    :param cache: of vectors that are not stored yet.
    :param is_stopped: checked before each batch; True ends the run.
    :param notify: called with the number of passages so far.
    """

    embedder: DocumentEmbedder
    id: str
    cache: EmbeddingCache = field(default_factory=EmbeddingCache)
    is_stopped: Callable[[], bool] = field(default=lambda: False)
    notify: Callable[[int], None] = field(default=lambda _: None)
    _done: int = field(default=0, init=False)

    def embed(self, documents: Iterable[Document], stored: Iterable[Document] = ()) -> Iterator[Document]:
        """Yield the documents, the leaves with vectors.

        :param documents: of a file; a batch is held in memory.
        :param stored: of its earlier version, whose vectors were made by this embedder.
        :raises EmbeddingStoppedError: the run is stopped; the vectors so far are in the cache.
        """
        known = {get_embedded_text(each): each.embedding for each in stored if each.embedding is not None}
        batch: list[Document] = []
        count = 0
        for document in documents:
            batch.append(document)
            count += is_leaf(document)
            if count == _BATCH:
                yield from self._embed_batch(batch, known)
                batch, count = [], 0
        yield from self._embed_batch(batch, known)

    def _embed_batch(self, batch: Sequence[Document], known: Mapping[str, list[float]]) -> list[Document]:
        texts = {document.id: get_embedded_text(document) for document in batch if is_leaf(document)}
        vectors = {text: known[text] for text in texts.values() if text in known}
        vectors |= self.cache.read([text for text in set(texts.values()) if text not in vectors])
        missing = [text for text in dict.fromkeys(texts.values()) if text not in vectors]
        if missing:
            if self.is_stopped():
                raise EmbeddingStoppedError
            made = self.embedder.run([Document(content=text) for text in missing])["documents"]
            new = {text: document.embedding for text, document in zip(missing, made, strict=True)}
            self.cache.write({text: vector for text, vector in new.items() if vector is not None})
            vectors |= new
            self._done += len(missing)
            self.notify(self._done)
        return [
            replace(document, embedding=vectors[texts[document.id]]) if document.id in texts else document
            for document in batch
        ]


def is_leaf(document: Document) -> bool:
    """Return True if a document is searched: it has text, and no parts."""
    return not document.meta.get(CHILDREN) and bool((document.content or "").strip())
