"""The reason for a document's presence in the result of a trace, a line per step."""

from collections.abc import Iterator
from dataclasses import dataclass

from spaniel.tracing.events import short_id
from spaniel.tracing.lineage import Lineage, find_lineage
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
        score = "" if step.score is None else f" with score {step.score:.3f}"
        texts = dict.fromkeys(map(str, step.events)) or [f"came out at rank {step.rank}{score}"]
        yield from (f"{margin}{step.stage}. {step.name}: {text}" for text in texts)
    for origin in lineage.came_from[:_MAX_ORIGINS]:
        names = [*([origin.source] if origin.source else []), *origin.headings]
        place = f"  {' > '.join(' '.join(name.split()) for name in names)}" if names else ""
        yield f"{margin}   by way of {short_id(origin.id)}{place}"
        yield from _list_lines(origin, depth + 2)
    if len(lineage.came_from) > _MAX_ORIGINS:
        yield f"{margin}   and by way of {len(lineage.came_from) - _MAX_ORIGINS} more documents"
