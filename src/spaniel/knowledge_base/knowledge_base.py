"""Searchable documents in a folder or on a cluster: the result of ``spaniel.open``."""

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from spaniel.components.preprocessors import SectionSplitter
from spaniel.dataclasses import Document
from spaniel.document_stores.embedded.indexing import Analyzer
from spaniel.document_stores.embedded.synonyms import Synonyms
from spaniel.document_stores.urls import is_url, without_secrets
from spaniel.errors import KnowledgeBaseError
from spaniel.filters.parse import Comparison, Filter, parse_filter
from spaniel.json_types import Filters
from spaniel.knowledge_base.backend import KnowledgeBaseBackend, open_url_backend
from spaniel.knowledge_base.embedder import Embedder, EmbedderSource
from spaniel.knowledge_base.embedding_cache import EmbeddingCache
from spaniel.knowledge_base.file_catalog import FileCatalog, translate_store_errors
from spaniel.knowledge_base.file_limits import FileLimits
from spaniel.knowledge_base.file_listing import ListedFile, list_files
from spaniel.knowledge_base.file_selection import SelectionChange
from spaniel.knowledge_base.folder_backend import FolderBackend
from spaniel.knowledge_base.index_report import IndexReport, Progress
from spaniel.knowledge_base.index_run import IndexRun
from spaniel.knowledge_base.indexed_file import RowFields
from spaniel.knowledge_base.interrupts import defer_interrupt
from spaniel.knowledge_base.link_listing import Link, list_links
from spaniel.knowledge_base.passage_embedding import PassageEmbedding
from spaniel.knowledge_base.passage_search import search_passages
from spaniel.knowledge_base.path_patterns import make_path_filter
from spaniel.knowledge_base.paths import expand_path
from spaniel.knowledge_base.references import complete_reference, find_document, find_files, find_passage
from spaniel.knowledge_base.results import SearchResults
from spaniel.knowledge_base.search_options import LINK_SHARE, REPEAT_SHARE, SearchOptions, SynonymSource, WordMatch
from spaniel.knowledge_base.statistics import Statistics, compute_statistics
from spaniel.strategies.structured_retrieval import BudgetFit

_DOCUMENT_FIELDS = ("id", "content")
_MAX_LEAF_WORDS = 60
_VECTORS = "embeddings.db"
"""The file with the vectors of an unfinished run."""


def open_knowledge_base(
    path: str | os.PathLike[str],
    *,
    analyzer: Analyzer | None = None,
    fields: Mapping[str, float] | None = None,
    synonyms: SynonymSource = None,
    embedder: EmbedderSource = None,
) -> "KnowledgeBase":
    """Return the knowledge base in a folder or on a cluster; `KnowledgeBase.index` creates it.

    :param path: the folder, or a URL such as ``opensearch://localhost:9200/docs``.
    :param analyzer: of a new knowledge base, as in `LocalDocumentStore`; None: ``auto``. On a
        cluster it is a name.
    :param fields: of a new knowledge base, as in `LocalDocumentStore`; None: ``title``, ``section``
        and ``file_name``, with the weight 2. `LocalDocumentStore.rebuild` changes both.
    :param synonyms: a file or lines with the synonyms of every search (docs/query-syntax.md).
    :param embedder: the name of a model whose vectors the passages get when they are indexed, or an
        embedder of documents and one of texts; None: the recorded one, if any (docs/hybrid.md).
    :raises KnowledgeBaseError: the folder contains other files, or is damaged.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = Path(folder, "note.md").write_text("Apples are red.")
    >>> kb = open_knowledge_base(folder / "kb")
    >>> kb.index(folder / "note.md").added
    ['note.md']
    >>> [result.text for result in kb.search("red apples")]
    ['Apples are red.']
    """
    return KnowledgeBase(path, analyzer=analyzer, fields=fields, synonyms=synonyms, embedder=embedder)


class KnowledgeBase:
    """The searchable documents of files and folders, stored in a folder of its own or on a cluster.

    :param path: that folder, or a URL.
    :param analyzer: as for `open_knowledge_base`, as are all other parameters.
    :raises KnowledgeBaseError: the folder contains other files, or is damaged.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        analyzer: Analyzer | None = None,
        fields: Mapping[str, float] | None = None,
        synonyms: SynonymSource = None,
        embedder: EmbedderSource = None,
    ) -> None:
        self._given_embedder = None if embedder is None else Embedder.make(embedder)
        self._recorded_embedder: Embedder | None = None
        self.path: Path | None = None
        self._synonyms = Synonyms.read(synonyms)
        backend: KnowledgeBaseBackend
        if isinstance(path, str) and is_url(path):
            if embedder is not None:
                raise KnowledgeBaseError(
                    f"'{without_secrets(path)}' can't have an embedder: it is for folders. Omit it."
                )
            backend = open_url_backend(path, analyzer, fields)
        else:
            self.path = expand_path(path)
            backend = FolderBackend(self.path, analyzer=analyzer, fields=fields)
        self._catalog = FileCatalog(backend)
        self._splitter = SectionSplitter(max_words=_MAX_LEAF_WORDS)

    @property
    def exists(self) -> bool:
        """True once something is indexed."""
        self._catalog.refresh()
        backend = self._catalog.backend
        with translate_store_errors(backend):
            return (not backend.is_remote and bool(self._catalog.files)) or backend.has_documents()

    @property
    def place(self) -> str:
        """The path of its folder, or its URL without user name and password."""
        return self._catalog.backend.place

    @property
    def has_vectors(self) -> bool:
        """True if its passages are found by their meaning, too."""
        return self.path is not None and self._catalog.embedder is not None

    @property
    def document_store(self) -> Any:
        """The store of its documents, for components of your own; a class per kind of place."""
        return self._catalog.store

    def index(
        self,
        *paths: str | os.PathLike[str],
        text_field: str | None = None,
        id_field: str | None = None,
        include: Collection[str] | None = None,
        exclude: Collection[str] | None = None,
        kinds: Mapping[str, str] | None = None,
        gitignore: bool | None = None,
        jobs: int | None = None,
        max_seconds: float = 60,
        max_memory: int = 2048,
        progress: Callable[[Progress], None] | None = None,
    ) -> IndexReport:
        """Update the index to files and folders.

        New and changed files are indexed, and files that no longer exist below the given paths are
        removed. Changes are saved every few seconds and on Ctrl-C; the next run resumes there.

        :param paths: files and folders.
        :param text_field: the field of JSONL and CSV rows with the text; None: ``content``,
            ``text`` or ``body``. A file that was indexed with another field is indexed again.
        :param id_field: the field with the id; None: ``id`` or ``_id``.
        :param include: patterns as in ``.gitignore``, relative to the indexed folder, one of which
            a file must match unless it is given itself. This and the next three are recorded with
            the folder; None: as recorded.
        :param exclude: patterns of files and folders that are left out.
        :param kinds: by suffix the kind as which its files are read, such as ``{".txt": "rst"}``.
        :param gitignore: leave out the files that ``.gitignore`` files name; True at first.
        :param jobs: maximum number of processes that convert files; a few small files need none.
            None: one per processor; 0: none, so that a file is not bounded in memory.
        :param max_seconds: for a file, and 20 more per megabyte; a slower file is a failed one.
        :param max_memory: of a process that converts files, in megabytes.
        :param progress: called before each file.
        :raises KnowledgeBaseError: a path does not exist, a pattern or kind is wrong, or another
            process is writing.
        :raises ValueError: a number is out of range.
        """
        limits = FileLimits(max_seconds, max_memory)
        if jobs is not None and jobs < 0:
            raise ValueError(f"`jobs` must be an integer of at least 0, got {jobs!r}.")
        if not paths:
            raise KnowledgeBaseError("Nothing to index: give at least one file or folder.")
        for path in paths:
            self._require_path(expand_path(path))
        embedder = self._choose_embedder()
        notify = progress or (lambda _: None)
        with (
            defer_interrupt() as is_interrupted,
            self._catalog.changing(),
            self._embedding(embedder, is_interrupted, notify) as notify_step,
        ):
            fields = RowFields(text_field, id_field)
            run = IndexRun(self._catalog, self._splitter, fields, notify_step, is_interrupted, jobs, limits)
            own = None if self.path is None else self.path.resolve()
            return run.execute(paths, own, SelectionChange(include, exclude, kinds, gitignore))

    def _choose_embedder(self) -> Embedder | None:
        """Return the embedder of the passages of an indexing run, loaded; None: no vectors."""
        embedder = self._given_embedder or self._find_embedder()
        if embedder is not None:
            embedder.warm_up()
        return embedder

    @contextmanager
    def _embedding(
        self, embedder: Embedder | None, is_stopped: Callable[[], bool], notify: Callable[[Progress], None]
    ) -> Iterator[Callable[[Progress], None]]:
        """Embed the passages that are stored in the block, and yield the function for its progress."""
        if embedder is None or self.path is None:
            yield notify
            return
        last: list[Progress] = []

        def notify_step(progress: Progress) -> None:
            last[:] = [replace(progress, passages=last[0].passages if last else 0)]
            notify(last[0])

        def notify_passages(count: int) -> None:
            if last:
                last[:] = [replace(last[0], passages=count)]
                notify(last[0])

        catalog = self._catalog
        catalog.set_embedder(embedder.to_record())
        with EmbeddingCache(self.path / _VECTORS, embedder.id) as cache:
            catalog.embedding = embedding = PassageEmbedding(
                embedder.documents, embedder.id, cache, is_stopped, notify_passages
            )
            try:
                yield notify_step
            finally:
                catalog.embedding = None
            if not is_stopped():
                catalog.flush()
                embedding.cache.clear()  # all of them are stored now

    def search(
        self,
        query: str,
        *,
        top_k: int | None = None,
        filters: Filters | None = None,
        merge: bool = False,
        threshold: float = 0.5,
        window: int = 0,
        follow: Collection[str] = (),
        depth: int = 1,
        min_score: float | None = None,
        budget: int | None = None,
        offset: int = 0,
        fold: bool = True,
        per_file: int | None = None,
        per_row: int | None = 1,
        path: str | Collection[str] = (),
        not_path: str | Collection[str] = (),
        link_share: float = LINK_SHARE,
        fit: BudgetFit = "rank",
        neighbours: int = 0,
        match: WordMatch = "any",
        min_words: float | None = None,
        synonyms: SynonymSource = None,
        operators: bool = True,
        count: bool = False,
        keywords_only: bool = False,
        repeat_share: float = REPEAT_SHARE,
    ) -> SearchResults:
        """Return the best passages for a query, with the reasons for each (docs/search.md).

        :param query: text; in a question, function words such as ``how`` and ``the`` are ignored.
            It may have operators such as ``"exact phrase"`` and ``-word`` (docs/query-syntax.md).
        :param top_k: maximum number of passages; None: 10, or the 20 best hits for a budget.
        :param filters: conditions on metadata fields that at least one document has. They also hold
            for linked passages, windows, neighbours and merged sections.
        :param merge: replace hits by their section if enough of its text is in good hits.
        :param threshold: the share of a section's text that must be exceeded.
        :param window: number of chunks to show before and after each passage.
        :param follow: metadata keys whose links are followed, such as ``links``.
        :param depth: maximum number of hops.
        :param min_score: minimum score of a passage.
        :param budget: maximum number of tokens of all passages, best first; passages that touch
            become one text.
        :param offset: number of better passages to skip, for further pages.
        :param fold: leave out passages with nearly the text of a better one, and count them.
        :param per_file: maximum number of passages of a file; None: any.
        :param per_row: maximum number of passages of a row of a JSONL or CSV file; None, or a
            budget: any.
        :param path: patterns of paths, as in ``.gitignore``, of which one must match.
        :param not_path: patterns of which none may match.
        :param link_share: the share of its score that a passage adds to those it links to.
        :param fit: of a budget: ``rank`` takes the best passages that fit; ``utility`` chooses
            among hits, windows, sections and files as `ContextBudget` does, with 1 / rank.
        :param neighbours: with a budget of 800 tokens or more, chunks of its section on each side
            of the best hit that follow it.
        :param match: a passage must contain ``any`` word of the query, or ``all``.
        :param min_words: minimum number of the words in a passage; a float is a share, rounded
            down.
        :param synonyms: a file or lines, in place of those of the knowledge base.
        :param operators: False: the query is text without operators.
        :param count: count all passages that match, so that ``total`` is exact.
        :param keywords_only: search the words alone, also if the passages have vectors.
        :param repeat_share: for its place, the share of its score that a passage keeps for each
            better passage of its file, so that other files come up; with a budget all of it.
        :raises KnowledgeBaseError: nothing is indexed, or a filter or `follow` names an unknown
            field.
        :raises ValueError: the query has no searchable terms, a number is out of range, or a value
            has the wrong type.
        :raises FilterError: the filter is malformed.
        """
        self._require_documents()
        follow = (follow,) if isinstance(follow, str) else follow
        options = SearchOptions(
            top_k, filters, merge, threshold, window, follow, depth, min_score, budget, offset, fold, per_file,
            per_row, path, not_path, link_share, fit, neighbours, match, min_words,
            self._synonyms if synonyms is None else synonyms, operators, count, keywords_only, repeat_share,
        )  # fmt: skip
        self._require_fields([*follow, *(_list_fields(parse_filter(filters)) if filters else ())])
        names_fields = operators and isinstance(query, str) and ":" in query and self._catalog.backend.searches_words
        keys = self._catalog.list_fields() if names_fields else ()
        embedder = None if keywords_only else self._find_embedder()
        return search_passages(
            self._catalog.store, query, self._restrict(options), keys, self._catalog.locate_files, embedder
        )

    def _find_embedder(self) -> Embedder | None:
        """Return the embedder of the passages; None if they have no vectors.

        :raises KnowledgeBaseError: they have those of another embedder than the given one, or their
            embedder must be given.
        """
        if self.path is None:  # a cluster has no vectors, and reading its records is a request
            return None
        record, given = self._catalog.embedder, self._given_embedder
        if given is not None and (record is None or record["id"] != given.id):
            has = "no vectors" if record is None else f"vectors of '{record['model']}'"
            raise KnowledgeBaseError(
                f"The passages have {has}, not of '{given.model}'. Index again, or omit the embedder."
            )
        if given is not None or record is None:
            return given
        if self._recorded_embedder is None or self._recorded_embedder.id != record["id"]:
            self._recorded_embedder = Embedder.from_record(record)
        if self._recorded_embedder is None:
            raise KnowledgeBaseError(
                f"The passages have vectors of '{record['model']}': give its embedder, as in "
                "spaniel.open(place, embedder=(documents, queries)), or search with keywords_only=True."
            )
        return self._recorded_embedder

    def _restrict(self, options: SearchOptions) -> SearchOptions:
        """Return options with the patterns of paths as a filter."""
        path, not_path = options.list_patterns("path"), options.list_patterns("not_path")
        if not path and not not_path:
            return options
        condition = make_path_filter(path, not_path, self._catalog.files)
        both = [each for each in (options.filters, condition) if each]
        joined: Filters = {"operator": "AND", "conditions": both}
        return replace(options, filters=joined if len(both) > 1 else both[0] if both else None, path=(), not_path=())

    def get(self, document_id: str) -> Document | None:
        """Return the document with an id, or the passage at a line (``path:line``), or None."""
        if not self.exists:
            return None
        found = self._catalog.store.get_documents_by_id([document_id])
        return found[0] if found else find_passage(document_id, self._catalog)

    def find(self, reference: str) -> Document:
        """Return the document with an id, a prefix of an id, an anchor (``path#section``), or the
        passage at a line (``path:line``).

        :raises MissingDocumentError: there is no such document.
        :raises KnowledgeBaseError: there are several, or nothing is indexed.
        :raises TypeError: the reference is not text.
        """
        self._require_documents()
        return find_document(reference, self._catalog)

    def files(self, *patterns: str) -> list[ListedFile]:
        """Return the indexed files by path, with titles, passages, languages and sizes.

        :param patterns: as ``path`` of `search`; only files that match any; none: all.
        :raises KnowledgeBaseError: no file matches, or nothing is indexed.
        :raises ValueError: a pattern is malformed.
        """
        self._require_documents()
        return list_files(self._catalog, patterns)

    def links(self, address: str | None = None, *, broken: bool = False) -> list[Link]:
        """Return links with the lines they are on, by path and line.

        :param address: a file, a folder, a pattern of paths, or ``path#section``: the links in it,
            then those into it from elsewhere; None: all links.
        :param broken: only links without an existing target, each with a suggestion.
        :raises KnowledgeBaseError: there is no such file or section, or nothing is indexed.
        """
        self._require_documents()
        with translate_store_errors(self._catalog.backend):
            return list_links(self._catalog, address, broken=broken)

    def complete(self, text: str) -> list[str]:
        """Return the addresses that begin with a text, for a shell: files, sections or lines.

        :param text: the beginning of a path, ``path#`` or ``path:`` and more.
        """
        return complete_reference(text, self._catalog) if self.exists else []

    def locate(self, document: Document) -> str | None:
        """Return the absolute path of the file of a document; None if it is of no indexed file."""
        path = document.meta.get("path")
        return self._catalog.locate_files([path]).get(path) if isinstance(path, str) and self.exists else None

    def delete(self, *, path: str) -> int:
        """Delete the documents of a file, or of all files below a folder, and return their number.

        :param path: relative to the indexed folder, as in results; or a path on disk.
        :raises KnowledgeBaseError: no such file is indexed, or another process is writing.
        """
        self._require_documents()
        catalog = self._catalog
        with defer_interrupt(), catalog.changing():
            deleted = sum(catalog.remove(name) for name in find_files(path, catalog))
            remaining = {place for file in catalog.files.values() for place in Path(file.file).parents}
            catalog.set_folders([folder for folder in catalog.folders if folder.place in remaining])
        return deleted

    def statistics(self) -> Statistics:
        """Return the number of files, sections, passages, words and links."""
        self._require_documents()
        return compute_statistics(self._catalog)

    def check(self) -> list[str]:
        """Return a sentence per problem; none if everything is intact.

        In a folder everything is read. On a cluster, the records of the files are compared with
        their documents, and the health of the index is checked.
        """
        self._require_documents()
        return self._catalog.find_problems()

    def close(self) -> None:
        """Close the files; the next call opens them again."""
        self._catalog.backend.close()

    def _require_documents(self) -> None:
        if not self.exists:
            raise KnowledgeBaseError(
                f"Nothing is indexed at '{self.place}' yet. Index something first: spaniel index PATH"
            )

    def _require_path(self, path: Path) -> None:
        """Raise before any change if there is no such path."""
        if path.exists():
            return
        place = path.absolute()
        is_indexed = any(place in (Path(file.file), *Path(file.file).parents) for file in self._catalog.files.values())
        hint = f" To take what was there out of the index: spaniel delete {path}" if is_indexed else ""
        raise KnowledgeBaseError(f"There is no file or folder '{path}'. Nothing was changed.{hint}")

    def _require_fields(self, fields: Sequence[str]) -> None:
        if not fields:
            return
        known = self._catalog.list_fields()
        for name in fields:
            key = name.removeprefix("meta.")
            if key not in known and key.split(".")[0] not in known and key not in _DOCUMENT_FIELDS:
                valid = ", ".join(sorted(field for field in known if not field.startswith("__")))
                raise KnowledgeBaseError(f"No document has the field '{name}'. Fields: {valid}.")


def _list_fields(filter: Filter) -> list[str]:
    if isinstance(filter, Comparison):
        return [filter.field]
    return [name for condition in filter.conditions for name in _list_fields(condition)]
