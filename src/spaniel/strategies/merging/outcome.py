"""What happens to hits and their parent, and the event that tells it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import PARENT
from spaniel.strategies.merging.ancestry import Ancestry, number_of_children
from spaniel.strategies.merging.scores import Scoring
from spaniel.tracing import Recorder
from spaniel.tracing.events import GaveWay, KeptApart, Merged, ParentMissing


def merged(
    parent: Document,
    children: Sequence[Document],
    scoring: Scoring,
    record: Recorder | None,
    *,
    threshold: float,
    why: Callable[[], str] = str,
) -> Document:
    """Return the parent that takes the place of hits, with its score.

    :param children: all that stands in the parent, such as children of its children too.
    :param threshold: what their share exceeded.
    :param why: tells figures that say more than the number of children.
    """
    found = replace(parent, score=scoring.of(children))
    if record is not None:
        record(_taken_over(found, children, threshold, why))
    return found


def _taken_over(
    parent: Document, children: Sequence[Document], threshold: float, why: Callable[[], str]
) -> Iterator[Merged | GaveWay]:
    ids = tuple(child.id for child in children if child.meta.get(PARENT) == parent.id)
    yield Merged(parent.id, ids, number_of_children(parent), threshold, parent.score, why())
    for child in children:
        yield GaveWay(child.id, parent.id)


def kept_apart(
    parent: Document,
    children: Sequence[Document],
    record: Recorder | None,
    *,
    threshold: float,
    why: Callable[[], str] = str,
) -> None:
    """Record that hits stay."""
    if record is not None:
        record(_stayed(parent, children, threshold, why))


def _stayed(
    parent: Document, children: Sequence[Document], threshold: float, why: Callable[[], str]
) -> Iterator[KeptApart]:
    hits, siblings, told = len(children), number_of_children(parent), why()
    for child in children:
        yield KeptApart(child.id, parent.id, hits, siblings, threshold, told)


def without_parent(parent_id: str, children: Sequence[Document], record: Recorder | None) -> None:
    """Record that hits stay as their parent is not stored."""
    if record is not None:
        record(ParentMissing(child.id, parent_id) for child in children)


def each_text_once(
    documents: Sequence[Document], ancestry: Ancestry, scoring: Scoring, record: Recorder | None
) -> list[Document]:
    """Return the documents without those that stand inside another; its score then comes from theirs too."""
    ids = {document.id for document in documents}
    inside: dict[str, list[Document]] = {}
    gone = set()
    for document in documents:
        outermost = ancestry.outermost(document.id, ids)
        if outermost is not None:
            inside.setdefault(outermost, []).append(document)
            gone.add(document.id)
            if record is not None:
                record(GaveWay(document.id, outermost))
    return [scoring.lifted(document, inside.get(document.id, ())) for document in documents if document.id not in gone]
