"""The search of a knowledge base on a judged set, with its passages as rows or as files."""

import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import spaniel
from benchmarks.quality.sets import SETS
from spaniel.evaluation import JudgedSet
from spaniel.knowledge_base import KnowledgeBase, Result, SearchResults

Options = Mapping[str, Any]


@contextmanager
def indexed(judged: JudgedSet, options: Options | None = None) -> Iterator[KnowledgeBase]:
    """Give a knowledge base of a set's passages.

    :param options: of `spaniel.open`.
    """
    with TemporaryDirectory() as folder, opened(Path(folder, "kb"), options) as kb:
        source = write_pages(judged, Path(folder, "pages")) if SETS[judged.name].pages else judged.corpus
        kb.index(source)
        yield kb


@contextmanager
def opened(folder: Path, options: Options | None = None) -> Iterator[KnowledgeBase]:
    """Give an empty knowledge base in a folder, or on a server, where it is deleted afterwards.

    :param options: of `spaniel.open`; with ``server``, the URL of an OpenSearch server.
    """
    rest = dict(options or {})
    server = rest.pop("server", None)
    if server is None:
        kb = spaniel.open(folder, **rest)
    else:
        name = f"spaniel-quality-{secrets.token_hex(6)}"
        kb = spaniel.open(f"{server}/{name}?shards=1&replicas=0&embedding_dim=none", **rest)
    try:
        yield kb
    finally:
        if server is not None:
            kb.document_store._connection.client.indices.delete(index=f"{name},{name}-spaniel")
        kb.close()


def write_pages(judged: JudgedSet, folder: Path) -> Path:
    """Write each passage as a page in reStructuredText, with its title, and return the folder."""
    folder.mkdir()
    for page in judged.read_passages():
        title, text = page["title"], page["text"]
        frame = "=" * max(len(title), 4)
        Path(folder, f"{page['_id']}.rst").write_text(f"{frame}\n{title}\n{frame}\n\n{text}", encoding="utf-8")
    return folder


def rank_passages(results: Iterable[Result]) -> list[str]:
    """Return the ids of the rows or pages of results, each once."""
    return list(dict.fromkeys(passage_of(result) for result in results))


def passage_of(result: Result) -> str:
    """Return the id of the row, or the name of the page, that a result is from."""
    path = result.path or ""
    return path.removesuffix(".rst") if path.endswith(".rst") else result.document.meta.get("__root_id") or result.id


def search_all(kb: KnowledgeBase, queries: Mapping[str, str], **options: Any) -> dict[str, SearchResults]:
    """Return the results of each query, by its id."""
    return {id: kb.search(text, **options) for id, text in queries.items()}
