"""Why a passage is in a result, in plain words, out of the trace."""

from collections.abc import Iterator, Sequence

from spaniel.tracing import Trace
from spaniel.tracing.events import Chosen, Followed, Matched, Merged, TermMatch, Widened
from spaniel.tracing.lineage import list_headings


class Story:
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
