"""Which documents stand above which, as far as the requests have told."""

import logging
from collections.abc import Container, Iterable, Sequence

from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import BLOCK_SIZE, CHILDREN, LEVEL, PARENT
from spaniel.filters.equality import plain
from spaniel.strategies.store_requests import FetchByIds, StrategyRun

logger = logging.getLogger(__name__)

_REQUIRED = (PARENT, LEVEL, BLOCK_SIZE)


def validate_hierarchy(documents: Sequence[Document]) -> None:
    """Raise a ValueError that names the first key of a hierarchy that a document lacks."""
    for key in _REQUIRED:
        for document in documents:
            if key not in document.meta:
                raise ValueError(
                    f"The matched leaf documents do not have the required meta field '{key}': document "
                    f"'{document.id}' lacks it. Split with HierarchicalDocumentSplitter or SectionSplitter."
                )


def is_node(document: Document) -> bool:
    """Return whether a document has the metadata of a hierarchy."""
    return all(key in document.meta for key in _REQUIRED)


def get_level(document: Document) -> int:
    """Return how many documents are above; 0 where the metadata holds no number."""
    level = document.meta.get(LEVEL)
    return level if isinstance(level, int) else 0


def count_children(parent: Document) -> int:
    """Return how many children a parent has.

    :raises ValueError: it has none.
    """
    siblings = parent.meta.get(CHILDREN)
    siblings = siblings if isinstance(siblings, list) else plain(siblings)
    if not siblings:
        raise ValueError(f"Parent document with id {parent.id} does not have any children.")
    return len(siblings)


def group_by_parent(documents: Iterable[Document]) -> tuple[dict[str, list[Document]], list[Document]]:
    """Return the documents by parent, and those without one."""
    groups: dict[str, list[Document]] = {}
    roots = []
    for document in documents:
        if parent_id := document.meta.get(PARENT):
            groups.setdefault(parent_id, []).append(document)
        else:
            roots.append(document)
    return groups, roots


class Ancestry:
    """The parents of hits, of their parents, and so on.

    :param hits: where to start.
    """

    def __init__(self, hits: Sequence[Document]) -> None:
        self._above: dict[str, str | None] = {hit.id: hit.meta[PARENT] for hit in hits}
        self._last: dict[str, Document] = {}
        self._paths: dict[str, list[str]] = {}

    def fetch(self, parent_ids: Iterable[str]) -> StrategyRun[dict[str, Document]]:
        """Return parents by id. The next ancestors of those that were fetched before come along, as one of them may turn out
        to be in the result.
        """
        wanted = [*parent_ids, *self._unseen(self._last.values())]
        if not wanted:
            return {}
        self._last = yield from self._asked(wanted)
        return self._last

    def complete(self, kept: Sequence[Document]) -> StrategyRun[None]:
        """Learn all ancestors up to the highest level of what was kept: one thing kept may stand inside another."""
        # A fetched document names its parent: one level below the highest that is all there is to know.
        highest = min(map(get_level, kept), default=0)
        while wanted := self._unseen(up for up in self._last.values() if get_level(up) >= highest + 2):
            self._last = yield from self._asked(wanted)

    def _asked(self, ids: Iterable[str]) -> StrategyRun[dict[str, Document]]:
        fetched = {parent.id: parent for parent in (yield FetchByIds(list(dict.fromkeys(ids))))}
        self._paths.clear()
        for id, parent in fetched.items():
            self._above[id] = parent.meta.get(PARENT)
        return fetched

    def _unseen(self, documents: Iterable[Document]) -> list[str]:
        """Return the parents of these documents that no request has brought yet."""
        parents = [self._above[document.id] for document in documents]
        return [parent for parent in parents if parent and parent not in self._above]

    @property
    def above(self) -> set[str]:
        """The ids of all parents that are known."""
        return {parent for parent in self._above.values() if parent}

    def of(self, id: str) -> list[str]:
        """Return the ancestors of a document, the nearest first; none where the parents run in a circle."""
        if id in self._paths:
            return self._paths[id]
        found = self._paths[id] = list[str]()
        ancestor = self._above.get(id)
        while ancestor:
            if ancestor == id or ancestor in found:
                found.clear()
                break
            found.append(ancestor)
            ancestor = self._above.get(ancestor)
        return found

    def outermost(self, id: str, among: Container[str]) -> str | None:
        """Return the highest ancestor of a document that is among some ids; None if there is none."""
        found = [ancestor for ancestor in self.of(id) if ancestor in among]
        return found[-1] if found else None


def report_missing_parents(parent_ids: Sequence[str], *, strict: bool) -> None:
    """Raise a ValueError for parents of hits that are not in the store, or log them."""
    if parent_ids and strict:
        raise ValueError(
            f"Expected 1 parent document with id {parent_ids[0]}, found 0. Store the parents beside their leaves, or "
            "pass raise_on_missing_parent=False to keep leaves without one."
        )
    if parent_ids:
        logger.warning(
            "Parents that are not in the store: %d, such as %s. Their leaves are kept.", len(parent_ids), parent_ids[0]
        )
