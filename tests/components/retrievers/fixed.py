"""Components whose answers are given, for both packages, and rankings to give them."""

import threading
from typing import Any

import haystack
from hypothesis import strategies as st

from spaniel import Document

Ranking = list[tuple[str, float | None]]

SCORES = st.none() | st.floats(-2, 2).map(lambda score: round(score, 1))
RANKINGS: st.SearchStrategy[list[Ranking]] = st.lists(
    st.lists(st.tuples(st.sampled_from("abcdefg"), SCORES), max_size=7), max_size=5
)


def documents(ranking: Ranking, origin: object, cls: Any = Document) -> list[Any]:
    """Return the documents of a ranking; the content of each tells its list and place."""
    return [cls(id=id, content=f"{origin}.{place}", score=score) for place, (id, score) in enumerate(ranking)]


def theirs(ranking: Ranking, origin: object) -> list[haystack.Document]:
    return documents(ranking, origin, haystack.Document)


def seen(found: list[Any]) -> list[tuple[str, str | None, float | None]]:
    return [(document.id, document.content, document.score) for document in found]


class Fixed:
    """Finds the same documents for every query; records its queries."""

    def __init__(self, found: list[Any]) -> None:
        self.found = found
        self.asked: list[dict[str, Any]] = []

    def run(self, **inputs: Any) -> dict[str, Any]:
        self.asked.append(inputs)
        return {"documents": self.found}


class ByQuery:
    """Finds the documents given for a query, or for a vector that `Length` made of it."""

    def __init__(self, found: list[list[Any]]) -> None:
        self.found = found
        self.asked: list[dict[str, Any]] = []

    def run(self, query: str = "", query_embedding: tuple[float, ...] = (0.0,), **inputs: Any) -> dict[str, Any]:
        self.asked.append(inputs)
        return {"documents": self.found[int(query or query_embedding[0])]}


class Number:
    """Embeds the text of a number as that number."""

    def __init__(self) -> None:
        self.threads: set[int] = set()
        self.texts: list[str] = []

    def run(self, text: str) -> dict[str, Any]:
        self.threads.add(threading.get_ident())
        self.texts.append(text)
        return {"embedding": [float(text)], "meta": {}}


class BatchNumber(Number):
    """Embeds many texts at once."""

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[list[str]] = []

    def run_batch(self, texts: list[str]) -> dict[str, Any]:
        self.batches.append(texts)
        return {"embeddings": [[float(text)] for text in texts]}
