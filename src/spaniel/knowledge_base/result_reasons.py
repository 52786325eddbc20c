"""The reasons for results, and the passages behind them, from the events of a search."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from spaniel.dataclasses import Document
from spaniel.knowledge_base.results import FoldedPassage, Part, Result, ResultKind, find_term_spans
from spaniel.tracing import Trace
from spaniel.tracing.events import (
    Chosen,
    Event,
    Folded,
    Followed,
    Fused,
    LedBack,
    Matched,
    Merged,
    Neighbour,
    TermMatch,
    United,
    Widened,
)
from spaniel.tracing.lineage import find_lines, find_page, list_headings

EventT = TypeVar("EventT", bound=Event)
_MIN_GAIN = 1e-6  # scores of a search and of its repetition may differ in the last digits


def make_results(
    documents: Sequence[Document],
    texts: Mapping[str, str],
    trace: Trace,
    terms: Sequence[str],
    files: Mapping[str, str] | None = None,
) -> list[Result]:
    """Return documents as results, with the reasons in a trace.

    :param documents: in the order of the results.
    :param texts: by id, the text to read in place of the content.
    :param trace: of the retrieval.
    :param terms: of the query, to be highlighted.
    :param files: the absolute path of each file, by its path in the knowledge base.
    """
    reasons = _ResultReasons(trace)
    results = []
    for document in documents:
        text = texts.get(document.id, document.content or "").strip("\n").rstrip()
        kind, why = reasons.explain(document)
        spanned = reasons.list_spanned(document)
        results.append(
            Result(
                document,
                text,
                kind,
                why,
                reasons.get_link_source(document.id),
                trace,
                tuple(find_term_spans(text, [*terms, *reasons.list_forms(document.id)])),
                reasons.list_folded(document.id),
                reasons.list_parts(document, kind),
                file=(files or {}).get(document.meta.get("path", "")),
                lines=find_lines(spanned),
                page=find_page(spanned),
            )
        )
    return results


class _ResultReasons:
    """The reasons for each result, from the events of a retrieval."""

    def __init__(self, trace: Trace) -> None:
        matched = [event for event in trace.events if isinstance(event, Matched)]
        self._matched = {event.about: event for event in sorted(matched, key=lambda event: bool(event.terms))}
        self._fused = _index_events(trace.events, Fused)
        self._merged = _index_events(trace.events, Merged)
        self._followed = _index_events(trace.events, Followed)
        self._chosen = _index_events(trace.events, Chosen)
        self._widened = _index_events(trace.events, Widened)
        self._united = _index_events(trace.events, United)
        self._neighbours = _index_events(trace.events, Neighbour)
        self._led_back = _index_events(trace.events, LedBack)
        self._folded: dict[str, list[str]] = {}
        for event in trace.events:
            if isinstance(event, Folded):
                self._folded.setdefault(event.to, []).append(event.about)
        self._documents = trace.documents

    def explain(self, document: Document) -> tuple[ResultKind, tuple[str, ...]]:
        """Return the kind of a result, and its reasons."""
        id, kind = document.id, self._find_kind(document.id)
        leaves = list(self._iterate_leaves(id))
        reasons: list[str] = []
        if kind == "linked":
            reasons.append(self._describe_link(document, self._followed[id]))
        if kind == "merged":
            reasons.append(self._describe_parts(id, leaves))
        else:
            reasons += list(dict.fromkeys(f"matches {_format_terms(leaf.terms)}" for leaf in leaves if leaf.terms))
            reasons += [_format_meaning(self._fused[leaf.about]) for leaf in leaves if self._is_near(leaf.about)][:1]
        if kind == "neighbour":
            reasons.append(str(self._neighbours[id]))
        if kind == "hit" and id in self._led_back and self._find_gain(document):
            reasons.append(self._describe_link(document, self._led_back[id]))
        if id in self._united:
            reasons.append(f"{len(self._united[id].parts)} passages that touch, as one text")
        if id in self._widened:
            window = self._widened[id]
            reasons.append(f"shown with {window.before} before it, {window.after} after it")
        if id in self._chosen and self._chosen[id].kind != "leaf":
            reasons.append(f"taken as {self._chosen[id].kind}, {self._chosen[id].tokens:,} tokens of the budget")
        return kind, tuple(reasons)

    def list_folded(self, id: str) -> tuple[FoldedPassage, ...]:
        """Return the passages that a result stands for."""
        return tuple(
            FoldedPassage(other, self._documents[other].meta.get("path"))
            for other in dict.fromkeys(self._folded.get(id, ()))
        )

    def list_parts(self, document: Document, kind: ResultKind) -> tuple[Part, ...]:
        """Return the passages in the text of a result."""
        if document.id not in self._united:
            return (Part(document.id, kind),)
        return tuple(Part(id, self._find_kind(id)) for id in self._united[document.id].parts)

    def list_spanned(self, document: Document) -> list[Document]:
        """Return the documents in the text of a result: itself, and its window or parts."""
        id = document.id
        ids = self._united[id].parts if id in self._united else self._widened[id].window if id in self._widened else ()
        return [document, *(self._documents[other] for other in ids if other in self._documents)]

    def _find_kind(self, id: str) -> ResultKind:
        if id in self._followed:
            return "linked"
        if id in self._merged and sum(1 for _ in self._iterate_leaves(id)) > 1:
            return "merged"
        return "neighbour" if id in self._neighbours and id not in self._matched else "hit"

    def _find_gain(self, document: Document) -> float:
        """Return the part of a score that links added."""
        own = self._fused.get(document.id) or self._matched.get(document.id)
        gain = (document.score or 0.0) - ((own.score or 0.0) if own is not None else 0.0)
        return gain if gain > _MIN_GAIN * abs(document.score or 0.0) else 0.0

    def _is_near(self, id: str) -> bool:
        """Return True if a passage was found by its vector."""
        event = self._fused.get(id)
        return event is not None and bool(event.parts) and bool(event.ranks[-1])

    def list_forms(self, id: str) -> list[str]:
        """Return the words of a result that stand for the terms of the query."""
        ids = self._united[id].parts if id in self._united else (id,)
        leaves = [leaf for part in ids for leaf in self._iterate_leaves(part)]
        return [form for leaf in leaves for term in leaf.terms for form in (term.term, *term.forms)]

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

    def _describe_link(self, document: Document, link: Followed | LedBack) -> str:
        source = self._documents.get(link.linked_from)
        place = link.linked_from[:8]
        if source is not None and source.meta.get("path"):
            place = " > ".join([source.meta["path"], *list_headings(source)])
        hop = f" (hop {link.depth})" if link.depth > 1 else ""
        gain = self._find_gain(document)
        return f"linked from {place}{hop}{f' (+{gain:.2f})' if gain else ''}"


def _index_events(events: Sequence[Event], kind: type[EventT]) -> dict[str, EventT]:
    return {event.about: event for event in events if isinstance(event, kind)}


def _format_meaning(event: Fused) -> str:
    """Return the rank by meaning, and its part of the score."""
    return f"similar in meaning: rank {event.ranks[-1]} (+{event.parts[-1]:.2f})"


def _format_terms(terms: Sequence[TermMatch]) -> str:
    """Return the terms by score, each with its frequency and its part of the score."""
    return ", ".join(map(str, sorted(terms, key=lambda term: -term.score)))
