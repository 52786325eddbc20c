"""The numbers of a knowledge base."""

from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.knowledge_base.manifest import Manifest


@dataclass(frozen=True)
class Statistics:
    """What a knowledge base holds.

    :param files: how many files, and `kinds`: by suffix.
    :param documents: how many documents: `leaves`, which are searched, and the sections and files above them.
    :param words: how many words the leaves have, and `terms`: how many different ones.
    :param links: how many links lead to a file or section, and `broken_links`: how many lead nowhere.
    :param bytes_on_disk: how large its folder is.
    """

    files: int
    kinds: dict[str, int]
    documents: int
    leaves: int
    words: int
    terms: int
    links: int
    broken_links: int
    bytes_on_disk: int

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain data."""
        return dict(self.__dict__)


def statistics_of(store: InMemoryDocumentStore, manifest: Manifest, folder: Path) -> Statistics:
    """Return the numbers of a store and its manifest, kept in a folder."""
    kinds: dict[str, int] = {}
    for path in manifest.files:
        suffix = PurePosixPath(path).suffix or "(none)"
        kinds[suffix] = kinds.get(suffix, 0) + 1
    roots = store.get_documents_by_id([file.root_id for file in manifest.files.values()])
    searched = store.search_statistics()
    return Statistics(
        files=len(manifest.files),
        kinds=dict(sorted(kinds.items(), key=lambda item: -item[1])),
        documents=store.count_documents(),
        leaves=searched["documents"],
        words=searched["tokens"],
        terms=searched["vocabulary"],
        links=sum(len(root.meta.get("links", ())) for root in roots),
        broken_links=sum(len(root.meta.get("broken_links", ())) for root in roots),
        bytes_on_disk=sum(file.stat().st_size for file in folder.iterdir() if file.is_file()),
    )
