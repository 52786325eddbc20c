"""Search results: passages, each with the reasons why it is there."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeVar, overload

from spaniel._engine import token_spans
from spaniel.dataclasses import Document
from spaniel.json_types import JsonObject
from spaniel.tracing import Lineage, Trace
from spaniel.tracing.events import Chosen, Event, Followed, Matched, Merged, TermMatch, Widened
from spaniel.tracing.lineage import list_headings

ResultKind = Literal["hit", "merged", "linked"]
EventT = TypeVar("EventT", Chosen, Followed, Matched, Merged, Widened)

_LINEAGE_FIELDS = ("source", "root", "start", "end", "scores")

SCHEMA = 1
"""Version of `SearchResults.to_dict`."""


@dataclass(frozen=True)
class Result:
    """A passage.

    :param document: the stored document.
    :param text: the text to read: the content or the window of the document.
    :param kind: ``hit``, ``merged`` (a parent in place of hits) or ``linked`` (found by a link).
    :param why: the reasons, in the order of the stages.
    :param linked_from: the id of the document with the link, for ``linked``.
    :param trace: of the search.
    """

    document: Document
    text: str
    kind: ResultKind
    why: tuple[str, ...]
    linked_from: str | None = None
    trace: Trace | None = field(default=None, repr=False, compare=False)

    @property
    def lineage(self) -> Lineage | None:
        """Its file, position, and changes at each stage of the search; None outside of a search."""
        return None if self.trace is None else self.trace.lineage(self.id)

    @property
    def id(self) -> str:
        """The id of the document."""
        return self.document.id

    @property
    def score(self) -> float | None:
        """The score; None for a linked document."""
        return self.document.score

    @property
    def path(self) -> str | None:
        """The path of its file."""
        return self.document.meta.get("path")

    @property
    def title(self) -> str | None:
        """The title of its file."""
        return self.document.meta.get("title")

    @property
    def headings(self) -> list[str]:
        """The title of the file, if it has one, and the headings above the passage, each once."""
        return list_headings(self.document)

    @property
    def section(self) -> list[str]:
        """The headings above the passage, outermost first."""
        return list(self.document.meta.get("section") or [])

    def to_dict(self) -> JsonObject:
        """Return the result as plain data."""
        lineage = self.lineage
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
            "lineage": lineage and {name: getattr(lineage, name) for name in _LINEAGE_FIELDS},
            "meta": self.document.meta,
        }


@dataclass(frozen=True)
class SearchResults(Sequence[Result]):
    """The results of a search, best first, and its trace.

    :param query: as it was given.
    :param results: the passages.
    :param terms: the terms of the query, as the index stores them.
    :param trace: of the search.
    """

    query: str
    results: list[Result]
    terms: list[str]
    trace: Trace = field(repr=False)

    def __len__(self) -> int:
        return len(self.results)

    @overload
    def __getitem__(self, index: int) -> Result: ...
    @overload
    def __getitem__(self, index: slice) -> list[Result]: ...
    def __getitem__(self, index: int | slice) -> Result | list[Result]:
        return self.results[index]

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    def to_dict(self) -> JsonObject:
        """Return the results as plain data (docs/cli.md has the schema)."""
        return {
            "schema": SCHEMA,
            "query": self.query,
            "terms": self.terms,
            "results": [{"rank": rank, **result.to_dict()} for rank, result in enumerate(self.results, 1)],
        }


def make_results(documents: Sequence[Document], texts: Mapping[str, str], trace: Trace) -> list[Result]:
    """Return documents as results, with the reasons in a trace.

    :param documents: in the order of the results.
    :param texts: by id, the text to read in place of the content.
    :param trace: of the retrieval.
    """
    reasons = _ResultReasons(trace)
    return [
        Result(
            document,
            texts.get(document.id, document.content or "").strip("\n").rstrip(),
            *reasons.explain(document.id),
            reasons.get_link_source(document.id),
            trace,
        )
        for document in documents
    ]


def find_term_spans(text: str, terms: Sequence[str]) -> list[tuple[int, int]]:
    """Return the positions of a query's terms in a text, as (start, end) offsets.

    >>> find_term_spans("The Apple is red.", ["apple"])
    [(4, 9)]
    """
    wanted = set(terms)
    return [(start, end) for token, start, end in token_spans(text) if token in wanted]


class _ResultReasons:
    """The reasons for each result, from the events of a retrieval."""

    def __init__(self, trace: Trace) -> None:
        self._matched = _index_events(trace.events, Matched)
        self._merged = _index_events(trace.events, Merged)
        self._followed = _index_events(trace.events, Followed)
        self._chosen = _index_events(trace.events, Chosen)
        self._widened = _index_events(trace.events, Widened)
        self._documents = trace.documents

    def explain(self, id: str) -> tuple[ResultKind, tuple[str, ...]]:
        """Return the kind of a result, and its reasons."""
        leaves = list(self._iterate_leaves(id))
        kind: ResultKind
        if id in self._followed:
            kind, reasons = "linked", [self._describe_link(self._followed[id])]
        elif len(leaves) > 1 and id in self._merged:
            kind, reasons = "merged", [self._describe_parts(id, leaves)]
        else:
            kind, reasons = "hit", list(dict.fromkeys(f"matches {_format_terms(leaf.terms)}" for leaf in leaves))
        if id in self._widened:
            window = self._widened[id]
            reasons.append(f"shown with {window.before} before it, {window.after} after it")
        if id in self._chosen and self._chosen[id].kind != "leaf":
            reasons.append(f"taken as {self._chosen[id].kind}, {self._chosen[id].tokens:,} tokens of the budget")
        return kind, tuple(reasons)

    def get_link_source(self, id: str) -> str | None:
        """Return the id of the document whose link led to a result; None for a hit."""
        return self._followed[id].linked_from if id in self._followed else None

    def _iterate_leaves(self, id: str) -> Iterator[Matched]:
        if id in self._merged:
            for child in self._merged[id].hits:
                yield from self._iterate_leaves(child)
        elif id in self._matched:
            yield self._matched[id]
        elif id in self._chosen:
            for hit in self._chosen[id].hits:
                if hit != id:  # a linked document, which matched nothing
                    yield from self._iterate_leaves(hit)

    def _describe_parts(self, id: str, leaves: Sequence[Matched]) -> str:
        merge = self._merged[id]
        while (
            len(merge.hits) == 1 and merge.hits[0] in self._merged
        ):  # a file with a single section: describe the section
            merge = self._merged[merge.hits[0]]
        terms = [term for leaf in leaves for term in leaf.terms]
        words = dict.fromkeys(term.term for term in sorted(terms, key=lambda term: -term.score))
        return f"{len(merge.hits)} of its {merge.children} parts match {', '.join(words)}"

    def _describe_link(self, link: Followed) -> str:
        source = self._documents.get(link.linked_from)
        place = link.linked_from[:8]
        if source is not None and source.meta.get("path"):
            place = " > ".join([source.meta["path"], *list_headings(source)])
        return f"linked from {place}{f' (hop {link.depth})' if link.depth > 1 else ''}"


def _index_events(events: Sequence[Event], kind: type[EventT]) -> dict[str, EventT]:
    return {event.about: event for event in events if isinstance(event, kind)}


def _format_terms(terms: Sequence[TermMatch]) -> str:
    """Return the terms by score, each with its frequency and its part of the score."""
    return ", ".join(map(str, sorted(terms, key=lambda term: -term.score)))
