"""What a search of a knowledge base returns: passages, each with the reasons why it is there."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from spaniel._engine import token_spans
from spaniel.dataclasses import Document
from spaniel.knowledge_base.reasons import Story
from spaniel.tracing import Lineage, Trace
from spaniel.tracing.lineage import list_headings

SCHEMA = 1
"""The version of what `SearchResults.to_dict` returns."""


@dataclass(frozen=True)
class Result:
    """One passage.

    :param document: the stored document.
    :param text: what to read: its content, or its window.
    :param kind: ``hit``, ``merged`` (a parent in place of its hits) or ``linked`` (found by following links).
    :param why: the reasons, in the order in which they came.
    :param linked_from: the id of the document whose link led here, for ``linked``.
    :param trace: of the search.
    """

    document: Document
    text: str
    kind: str
    why: tuple[str, ...]
    linked_from: str | None = None
    trace: Trace | None = field(default=None, repr=False, compare=False)

    @property
    def lineage(self) -> Lineage | None:
        """Where it came from: file, place, and what each stage of the search did to it; None outside of a search."""
        return None if self.trace is None else self.trace.lineage(self.id)

    @property
    def id(self) -> str:
        """The document's id."""
        return self.document.id

    @property
    def score(self) -> float | None:
        """Its score; a linked document has none."""
        return self.document.score

    @property
    def path(self) -> str | None:
        """The file it is from."""
        return self.document.meta.get("path")

    @property
    def title(self) -> str | None:
        """The title of that file."""
        return self.document.meta.get("title")

    @property
    def headings(self) -> list[str]:
        """The title of the file, where it has one, and the headings above the passage, each once."""
        return list_headings(self.document)

    @property
    def section(self) -> list[str]:
        """The headings above it, outermost first."""
        return list(self.document.meta.get("section") or [])

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data."""
        return {
            "id": self.id,
            "score": self.score,
            "kind": self.kind,
            "path": self.path,
            "title": self.title,
            "section": self.section,
            "anchor": self.document.meta.get("anchor"),
            "text": self.text,
            "why": list(self.why),
            "linked_from": self.linked_from,
            "lineage": self._lineage(),
            "meta": self.document.meta,
        }

    def _lineage(self) -> dict[str, Any] | None:
        lineage = self.lineage
        if lineage is None:
            return None
        return {
            "source": lineage.source,
            "root": lineage.root,
            "start": lineage.start,
            "end": lineage.end,
            "scores": lineage.scores,
        }


@dataclass(frozen=True)
class SearchResults(Sequence[Result]):
    """The results of a search, best first, and the trace that tells how they came about.

    :param query: what was asked.
    :param results: the passages.
    :param terms: the terms of the query, as they are in the index.
    :param trace: the whole story.
    """

    query: str
    results: list[Result]
    terms: list[str]
    trace: Trace = field(repr=False)

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, index: Any) -> Any:
        return self.results[index]

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    def to_dict(self) -> dict[str, Any]:
        """Return the results as plain data (docs/cli.md has the schema)."""
        return {
            "schema": SCHEMA,
            "query": self.query,
            "terms": self.terms,
            "results": [{"rank": rank, **result.to_dict()} for rank, result in enumerate(self.results, 1)],
        }


def explained(documents: Sequence[Document], texts: Mapping[str, str], trace: Trace) -> list[Result]:
    """Return documents as results, with the reasons that a trace has for each.

    :param documents: in the order of the results.
    :param texts: by id, what to read in place of the content.
    :param trace: of the retrieval.
    """
    story = Story(trace)
    results = []
    for document in documents:
        text = texts.get(document.id, document.content or "").strip("\n").rstrip()
        kind, reasons = story.of(document.id)
        results.append(Result(document, text, kind, tuple(reasons), story.linked_from(document.id), trace))
    return results


def matched_spans(text: str, terms: Sequence[str]) -> list[tuple[int, int]]:
    """Return where the words of a query stand in a text, as (start, end) offsets.

    >>> matched_spans("The Apple is red.", ["apple"])
    [(4, 9)]
    """
    wanted = set(terms)
    return [(start, end) for token, start, end in token_spans(text) if token in wanted]
