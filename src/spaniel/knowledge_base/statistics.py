"""The numbers of a knowledge base."""

from dataclasses import dataclass
from typing import Any

from spaniel.dataclasses import Document
from spaniel.knowledge_base.file_catalog import FileCatalog
from spaniel.knowledge_base.file_scan import kind_of


@dataclass(frozen=True)
class Statistics:
    """What a knowledge base holds.

    :param folders: the folders that are indexed.
    :param files: how many files, and `kinds`: by suffix.
    :param documents: how many documents: `leaves`, which are searched, and the sections and files above them.
    :param words: how many words the leaves have, and `terms`: how many different ones; None where the store does not count.
    :param links: how many links lead to a file or section, and `broken_links`: how many lead nowhere.
    :param bytes_on_disk: how large its folder or its index is.
    """

    folders: list[str]
    files: int
    kinds: dict[str, int]
    documents: int
    leaves: int
    words: int | None
    terms: int | None
    links: int
    broken_links: int
    bytes_on_disk: int

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain data."""
        return dict(self.__dict__)


def statistics_of(catalog: FileCatalog) -> Statistics:
    """Return the numbers of a catalog."""
    kinds: dict[str, int] = {}
    files = [path for path, file in catalog.files.items() if not file.is_unfinished]
    for path in files:
        kinds[kind_of(path)] = kinds.get(kind_of(path), 0) + 1
    links: list[str] = []
    broken = 0
    for root in catalog.backend.roots():
        links += _links(root)
        broken += len(root.meta.get("broken_links", ()))
    met = _met(links, catalog)
    searched = catalog.backend.statistics()
    return Statistics(
        folders=[str(folder.place) for folder in catalog.folders],
        files=len(files),
        kinds=dict(sorted(kinds.items(), key=lambda item: -item[1])),
        documents=catalog.store.count_documents(),
        leaves=searched["documents"],
        words=searched.get("tokens"),
        terms=searched.get("vocabulary"),
        links=met,
        broken_links=broken + len(links) - met,
        bytes_on_disk=catalog.backend.size_in_bytes(),
    )


def _links(root: Document) -> list[str]:
    """Return where a document links to; a row may hold anything under that name."""
    links = root.meta.get("links", [])
    return [link for link in (links if isinstance(links, list) else [links]) if isinstance(link, str)]


def _met(links: list[str], catalog: FileCatalog) -> int:
    """Return how many links lead to a document; the target of one may be gone since."""
    anchors = catalog.backend.anchors(list(dict.fromkeys(links)))
    return sum(link in anchors for link in links)
