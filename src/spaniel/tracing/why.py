"""The reason for a document's presence in the result of a trace, a line per step."""

from collections.abc import Iterator
from dataclasses import dataclass

from spaniel.tracing.events import short_id
from spaniel.tracing.lineage import Lineage, Step, find_lineage
from spaniel.tracing.rendering import make_label
from spaniel.tracing.stage import TraceData

_MAX_ORIGINS = 8


@dataclass(frozen=True)
class Why:
    """The reason for a document's presence in a result.

    :param id: the id of the document.
    :param rank: the rank in the result, from 1; None: it is absent.
    :param lineage: the origin of the document.
    :param lines: the reasons by step, with those of its origins indented below.
    :param title: the path, section and start of its text.
    """

    id: str
    rank: int | None
    lineage: Lineage
    lines: tuple[str, ...]
    title: str = ""

    def __str__(self) -> str:
        place = "is not in the result" if self.rank is None else f"is at place {self.rank} of the result"
        return "\n".join([f"{short_id(self.id)}{'  ' if self.title else ''}{self.title}  {place}", *self.lines])


def explain_presence(trace: TraceData, id: str) -> Why:
    """Return the reason for a document's presence in a result, or its events if it is absent."""
    lineage = find_lineage(trace, id)
    lines = tuple(_list_lines(lineage, 0)) or ("Nothing is known of it here. `why_not` asks the store.",)
    document = trace.documents.get(id)
    return Why(id, trace.rank(id), lineage, lines, "" if document is None else make_label(document))


def _list_lines(lineage: Lineage, depth: int) -> Iterator[str]:
    margin = "   " * depth
    for step in lineage.steps:
        for text in _list_sentences(step):
            yield f"{margin}{step.stage}. {step.name}: {text}"
    for origin in lineage.came_from[:_MAX_ORIGINS]:
        yield f"{margin}   by way of {short_id(origin.id)}{_format_place(origin)}"
        yield from _list_lines(origin, depth + 2)
    if len(lineage.came_from) > _MAX_ORIGINS:
        yield f"{margin}   and by way of {len(lineage.came_from) - _MAX_ORIGINS} more documents"


def _list_sentences(step: Step) -> list[str]:
    if step.events:
        return list(dict.fromkeys(str(event) for event in step.events))
    score = "" if step.score is None else f" with score {step.score:.3f}"
    return [f"came out at rank {step.rank}{score}"]


def _format_place(lineage: Lineage) -> str:
    names = [*([lineage.source] if lineage.source else []), *lineage.headings]
    return f"  {' > '.join(' '.join(name.split()) for name in names)}" if names else ""
