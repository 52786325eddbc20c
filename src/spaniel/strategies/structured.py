"""The parts of a structured retrieval that are more than one algorithm."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from spaniel.dataclasses import Document
from spaniel.strategies.links import follow_links
from spaniel.strategies.merging import is_node, merge_up
from spaniel.strategies.overlaps import without_parts, without_repeats
from spaniel.strategies.requests import Steps
from spaniel.strategies.scores import best, best_first, distinct_best
from spaniel.strategies.windows import BY_SPLIT_ID, LAYOUTS, Place, Windows, widen
from spaniel.tracing import Recorder

F = TypeVar("F", bound=Callable[..., Any])


def _around(inner: Callable[..., Any]) -> Callable[[F], F]:
    """Note the algorithm whose settings a part takes too, so that a trace shows none that is at its default."""

    def noted(part: F) -> F:
        part.around = inner  # type: ignore[attr-defined]  # functions may have attributes
        return part

    return noted


@_around(merge_up)
def merged(
    hits: Sequence[Document], *, top_k: int, record: Recorder | None = None, **settings: Any
) -> Steps[list[Document]]:
    """Return the best of the hits after merging; none lies inside another.

    :param hits: chunks; those without the metadata of a hierarchy stay as they are.
    :param top_k: how many to return.
    :param settings: those of `merge_up`.
    """
    loose = [hit for hit in hits if not is_node(hit)]
    documents = yield from merge_up([hit for hit in hits if is_node(hit)], record=record, **settings)
    if loose:
        documents = best_first([*documents, *distinct_best(loose, record)])
    return best(without_parts(documents, record), top_k, record)


@_around(follow_links)
def followed(
    documents: Sequence[Document], *, record: Recorder | None = None, **settings: Any
) -> Steps[list[Document]]:
    """Return documents, then what they link to; nothing linked shares text with what is there.

    :param documents: the originals; all of them stay.
    :param settings: those of `follow_links`.
    """
    found = yield from follow_links(documents, force_keep_original_documents=True, record=record, **settings)
    return without_repeats(found, documents, record)


@_around(widen)
def widened(
    documents: Sequence[Document],
    *,
    window_size: int,
    over: str = "source",
    place: Place = BY_SPLIT_ID,
    record: Recorder | None = None,
    **settings: Any,
) -> Steps[Windows]:
    """Return for each document its window; one that does not say where it stands, such as a whole file, has its own text.

    :param window_size: how many chunks before and after it belong to its window.
    :param over: what the window runs over: see `widen`.
    :param place: for ``source``: which metadata says where a chunk stands.
    :param settings: more of those of `widen`, but none that makes one window of several.
    """
    layout = LAYOUTS[over](place)
    placed = [document for document in documents if not layout.missing_in(document)]
    windows = yield from widen(placed, window_size=window_size, over=over, place=place, record=record, **settings)
    texts = dict(zip((document.id for document in placed), windows["context_windows"], strict=True))
    return Windows(
        context_windows=[texts.get(document.id, document.content or "") for document in documents],
        context_documents=windows["context_documents"],
    )
