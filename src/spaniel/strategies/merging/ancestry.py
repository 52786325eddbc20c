"""The ancestors of hits, as far as they were fetched, and the metadata of a hierarchy."""

import logging
from collections.abc import Container, Iterable, Sequence

from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import BLOCK_SIZE, CHILDREN, LEVEL, PARENT
from spaniel.filters.equality import plain
from spaniel.strategies.store_requests import FetchByIds, StrategyRun

logger = logging.getLogger(__name__)

_REQUIRED = (PARENT, LEVEL, BLOCK_SIZE)


def validate_hierarchy(documents: Sequence[Document]) -> None:
    """Raise a ValueError that names the first metadata key of a hierarchy that a document lacks."""
    for key in _REQUIRED:
        for document in documents:
            if key not in document.meta:
                raise ValueError(
                    f"The matched leaf documents do not have the required meta field '{key}': document "
                    f"'{document.id}' lacks it. Split with HierarchicalDocumentSplitter or SectionSplitter."
                )


def is_node(document: Document) -> bool:
    """Return if a document has the metadata of a hierarchy."""
    return all(key in document.meta for key in _REQUIRED)


def get_level(document: Document) -> int:
    """Return the number of ancestors; 0 if the metadata has no number."""
    level = document.meta.get(LEVEL)
    return level if isinstance(level, int) else 0


def count_children(parent: Document) -> int:
    """Return the number of children of a parent; raises a ValueError for none."""
    children = parent.meta.get(CHILDREN)
    children = children if isinstance(children, list) else plain(children)
    if not children:
        raise ValueError(f"Parent document with id {parent.id} does not have any children.")
    return len(children)


def group_by_parent(documents: Iterable[Document]) -> tuple[dict[str, list[Document]], list[Document]]:
    """Return the documents by parent id, and those without a parent."""
    groups: dict[str, list[Document]] = {}
    roots = []
    for document in documents:
        if parent_id := document.meta.get(PARENT):
            groups.setdefault(parent_id, []).append(document)
        else:
            roots.append(document)
    return groups, roots


class Ancestry:
    """The known ancestors of hits."""

    def __init__(self, hits: Sequence[Document]) -> None:
        self._parents: dict[str, str | None] = {hit.id: hit.meta[PARENT] for hit in hits}
        self._last: dict[str, Document] = {}
        self._paths: dict[str, list[str]] = {}

    def fetch(self, parent_ids: Iterable[str]) -> StrategyRun[dict[str, Document]]:
        """Return parents by id, and the parents of the previous ones: they may be in the result."""
        wanted = [*parent_ids, *self._list_unknown(self._last.values())]
        if not wanted:
            return {}
        self._last = yield from self._fetch(wanted)
        return self._last

    def fetch_up_to(self, kept: Sequence[Document]) -> StrategyRun[None]:
        """Fetch the ancestors up to the highest level of documents that may contain each other."""
        # A fetched document names its parent, so the level below the highest is enough.
        highest = min(map(get_level, kept), default=0)
        while wanted := self._list_unknown(up for up in self._last.values() if get_level(up) >= highest + 2):
            self._last = yield from self._fetch(wanted)

    def _fetch(self, ids: Iterable[str]) -> StrategyRun[dict[str, Document]]:
        fetched = {parent.id: parent for parent in (yield FetchByIds(list(dict.fromkeys(ids))))}
        self._paths.clear()
        for id, parent in fetched.items():
            self._parents[id] = parent.meta.get(PARENT)
        return fetched

    def _list_unknown(self, documents: Iterable[Document]) -> list[str]:
        parents = [self._parents[document.id] for document in documents]
        return [parent for parent in parents if parent and parent not in self._parents]

    @property
    def parent_ids(self) -> set[str]:
        """The ids of all known parents."""
        return {parent for parent in self._parents.values() if parent}

    def list_ancestors(self, id: str) -> list[str]:
        """Return the ancestors of a document, nearest first; none if its parents form a cycle."""
        if id in self._paths:
            return self._paths[id]
        found = self._paths[id] = list[str]()
        ancestor = self._parents.get(id)
        while ancestor:
            if ancestor == id or ancestor in found:
                found.clear()
                break
            found.append(ancestor)
            ancestor = self._parents.get(ancestor)
        return found

    def find_outermost(self, id: str, among: Container[str]) -> str | None:
        """Return the highest ancestor of a document among some ids; None if there is none."""
        found = [ancestor for ancestor in self.list_ancestors(id) if ancestor in among]
        return found[-1] if found else None


def report_missing_parents(parent_ids: Sequence[str], *, strict: bool) -> None:
    """Raise a ValueError for parents of hits that are not in the store, or log a warning."""
    if parent_ids and strict:
        raise ValueError(
            f"Expected 1 parent document with id {parent_ids[0]}, found 0. Store the parents beside their leaves, or "
            "pass raise_on_missing_parent=False to keep leaves without one."
        )
    if parent_ids:
        logger.warning(
            "Parents that are not in the store: %d, such as %s. Their leaves are kept.", len(parent_ids), parent_ids[0]
        )
