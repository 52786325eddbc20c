"""What a search of a knowledge base returns: passages, each with the reasons why it is there."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from spaniel._engine import token_spans
from spaniel.dataclasses import Document
from spaniel.tracing import Lineage, Trace
from spaniel.tracing.events import Chosen, Followed, Matched, Merged, TermMatch, Widened
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
    story = ResultReasons(trace)
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


class ResultReasons:
    """What a trace tells of each document.

    :param trace: of one retrieval.
    """

    def __init__(self, trace: Trace) -> None:
        events = trace.events
        self._matched = {event.about: event for event in events if isinstance(event, Matched)}
        self._merged = {event.about: event for event in events if isinstance(event, Merged)}
        self._followed = {event.about: event for event in events if isinstance(event, Followed)}
        self._chosen = {event.about: event for event in events if isinstance(event, Chosen)}
        self._widened = {event.about: event for event in events if isinstance(event, Widened)}
        self._documents = trace.documents

    def of(self, id: str) -> tuple[str, list[str]]:
        """Return of which kind a document is (``hit``, ``merged`` or ``linked``), and the reasons why it is there."""
        leaves = list(self._leaves(id))
        if id in self._followed:
            kind, reasons = "linked", [self._link(self._followed[id])]
        elif len(leaves) > 1 and id in self._merged:
            kind, reasons = "merged", [self._parts(id, leaves)]
        else:
            kind, reasons = "hit", list(dict.fromkeys(f"matches {_counted(leaf.terms)}" for leaf in leaves))
        if id in self._widened:
            window = self._widened[id]
            reasons.append(f"shown with {window.before} before it, {window.after} after it")
        if id in self._chosen and self._chosen[id].kind != "leaf":
            reasons.append(f"taken as {self._chosen[id].kind}, {self._chosen[id].tokens:,} tokens of the budget")
        return kind, reasons

    def linked_from(self, id: str) -> str | None:
        """Return the id of the document whose link led to this one; None if it was found by its words."""
        return self._followed[id].linked_from if id in self._followed else None

    def _leaves(self, id: str) -> Iterator[Matched]:
        if id in self._merged:
            for child in self._merged[id].hits:
                yield from self._leaves(child)
        elif id in self._matched:
            yield self._matched[id]
        elif id in self._chosen:
            for hit in self._chosen[id].hits:
                yield from self._leaves(hit)

    def _parts(self, id: str, leaves: Sequence[Matched]) -> str:
        merge = self._merged[id]
        while len(merge.hits) == 1 and merge.hits[0] in self._merged:  # a file of one section: what is in it says more
            merge = self._merged[merge.hits[0]]
        terms = [term for leaf in leaves for term in leaf.terms]
        words = dict.fromkeys(term.term for term in sorted(terms, key=lambda term: -term.score))
        return f"{len(merge.hits)} of its {merge.children} parts match {', '.join(words)}"

    def _link(self, link: Followed) -> str:
        source = self._documents.get(link.linked_from)
        place = link.linked_from[:8]
        if source is not None and source.meta.get("path"):
            place = " > ".join([source.meta["path"], *list_headings(source)])
        return f"linked from {place}{f' (hop {link.depth})' if link.depth > 1 else ''}"


def _counted(terms: tuple[TermMatch, ...]) -> str:
    """Return the words, each with how often it is there and what that adds to the score."""
    return ", ".join(
        f"{term.term} ×{term.frequency} ({term.score:.2f})" for term in sorted(terms, key=lambda t: -t.score)
    )
