"""The sections and documents around results, with the tokens that reading them takes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import END, PARENT, ROOT, START
from spaniel.knowledge_base.backend import AnyStore
from spaniel.knowledge_base.results import Result, Surrounding, SurroundingKind
from spaniel.strategies.lengths import estimate_tokens


def name_surroundings(store: AnyStore, results: Sequence[Result]) -> list[Result]:
    """Return results with the section and the document that each is a part of, in one request."""
    ids = dict.fromkeys(id for result in results for id in _list_wholes(result.document))
    if not ids:
        return list(results)
    fetch = getattr(store, "get_nodes_by_id", store.get_documents_by_id)  # a remote store leaves texts out
    found: dict[str, Document] = {document.id: document for document in fetch(list(ids))}
    return [replace(result, around=tuple(_iterate_around(result, found))) for result in results]


def _list_wholes(document: Document) -> list[str]:
    wholes = (document.meta.get(PARENT), document.meta.get(ROOT))
    return [id for id in dict.fromkeys(wholes) if id and id != document.id]


def _iterate_around(result: Result, found: Mapping[str, Document]) -> Iterator[Surrounding]:
    for id in _list_wholes(result.document):
        whole = found.get(id)
        if whole is not None:
            kind: SurroundingKind = "document" if id == result.document.meta.get(ROOT) else "section"
            yield Surrounding(kind, id, whole.meta.get("anchor"), _count_tokens(whole, result.text))


def _count_tokens(whole: Document, sample: str) -> int:
    """Return the tokens of a document; without its text, by its length and a text in it."""
    if whole.content is not None:
        return estimate_tokens(whole.content)
    length = (whole.meta.get(END) or 0) - (whole.meta.get(START) or 0)
    return round(length * estimate_tokens(sample) / max(len(sample), 1))
