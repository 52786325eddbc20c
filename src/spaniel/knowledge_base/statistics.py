"""Statistics of a knowledge base."""

from dataclasses import dataclass, field

from spaniel.dataclasses import Document
from spaniel.json_types import JsonObject
from spaniel.knowledge_base.file_catalog import FileCatalog
from spaniel.knowledge_base.file_scan import get_kind


@dataclass(frozen=True)
class Statistics:
    """Numbers of indexed files, documents, words and links.

    :param folders: the indexed folders.
    :param files: number of files, and `kinds`: by suffix.
    :param documents: number of documents: searchable `leaves`, and sections and files above them.
    :param words: number of words in the leaves, and `terms`: of distinct words; None if unknown.
    :param links: number of links with a target, and `broken_links`: of links without.
    :param bytes_on_disk: size of the folder or the index.
    :param analyzer: of the words, and `languages`: the number of documents in each; None on a
        server.
    :param fields: metadata keys that are searched with the text, with their weights.
    :param model: by which passages have vectors; None without.
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
    analyzer: str | None = None
    languages: dict[str, int] = field(default_factory=dict)
    fields: dict[str, float] = field(default_factory=dict)
    model: str | None = None

    def to_dict(self) -> JsonObject:
        """Return the statistics as plain data."""
        return dict(vars(self))


def compute_statistics(catalog: FileCatalog) -> Statistics:
    """Return the statistics of a catalog."""
    kinds: dict[str, int] = {}
    files = [path for path, file in catalog.files.items() if not file.is_unfinished]
    for path in files:
        kinds[get_kind(path)] = kinds.get(get_kind(path), 0) + 1
    links: list[str] = []
    broken = 0
    for root in catalog.backend.find_roots():
        links += _list_links(root)
        broken += len(root.meta.get("broken_links", ()))
    anchors = catalog.backend.find_anchors(list(dict.fromkeys(links)))
    working = sum(link in anchors for link in links)  # the target of a link may have been deleted
    searchable, words = catalog.backend.count_searchable(), catalog.backend.describe_words()
    return Statistics(
        folders=[str(folder.place) for folder in catalog.folders],
        files=len(files),
        kinds=dict(sorted(kinds.items(), key=lambda item: -item[1])),
        documents=catalog.store.count_documents(),
        leaves=searchable["documents"],
        words=searchable.get("tokens"),
        terms=searchable.get("vocabulary"),
        links=working,
        broken_links=broken + len(links) - working,
        bytes_on_disk=catalog.backend.measure_size(),
        analyzer=None if words is None else words.analyzer,
        languages={} if words is None else dict(words.languages),
        fields={} if words is None else dict(words.fields),
        model=None if catalog.embedder is None else catalog.embedder["model"],
    )


def _list_links(root: Document) -> list[str]:
    """Return the link targets of a document; a row may have any value under this key."""
    links = root.meta.get("links", [])
    return [link for link in (links if isinstance(links, list) else [links]) if isinstance(link, str)]
