"""Why a document is in the result of a trace, in one line a step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spaniel.tracing.events import short_id
from spaniel.tracing.lineage import find_lineage
from spaniel.tracing.tree import label

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spaniel.tracing.lineage import Lineage, Step
    from spaniel.tracing.trace import Trace

_MOST_ORIGINS = 8


@dataclass(frozen=True)
class Why:
    """Why a document is in the result.

    :param id: its id.
    :param rank: its place in the result, from 1; None: it is not there.
    :param lineage: where it came from.
    :param lines: the reasons, one a step; those of the documents that it came from are indented below.
    """

    id: str
    rank: int | None
    lineage: Lineage
    lines: tuple[str, ...]
    title: str = ""

    def __str__(self) -> str:
        place = "is not in the result" if self.rank is None else f"is at place {self.rank} of the result"
        return "\n".join([f"{short_id(self.id)}{'  ' if self.title else ''}{self.title}  {place}", *self.lines])


def why(trace: Trace, id: str) -> Why:
    """Return why a document is in the result of a trace, or what is known of one that is not."""
    rank = next((rank for rank, result in enumerate(trace.results, 1) if result.id == id), None)
    lineage = find_lineage(trace, id)
    lines = tuple(_lines(lineage, 0)) or ("Nothing is known of it here. `why_not` asks the store.",)
    document = trace.documents.get(id)
    return Why(id, rank, lineage, lines, "" if document is None else label(document))


def _lines(lineage: Lineage, depth: int) -> Iterator[str]:
    margin = "   " * depth
    for step in lineage.steps:
        for text in _sentences(step):
            yield f"{margin}{step.stage}. {step.name}: {text}"
    for origin in lineage.came_from[:_MOST_ORIGINS]:
        yield f"{margin}   by way of {short_id(origin.id)}{_place(origin)}"
        yield from _lines(origin, depth + 2)
    if len(lineage.came_from) > _MOST_ORIGINS:
        yield f"{margin}   and by way of {len(lineage.came_from) - _MOST_ORIGINS} more documents"


def _sentences(step: Step) -> list[str]:
    if step.events:
        return list(dict.fromkeys(str(event) for event in step.events))
    score = "" if step.score is None else f" with score {step.score:.3f}"
    return [f"came out at rank {step.rank}{score}"]


def _place(lineage: Lineage) -> str:
    names = [*([lineage.source] if lineage.source else []), *lineage.headings]
    return f"  {' > '.join(' '.join(name.split()) for name in names)}" if names else ""
