"""References to documents and files as users type them: ids, their prefixes, anchors, paths."""

import difflib
from collections.abc import Iterable
from pathlib import Path

from spaniel.dataclasses import Document
from spaniel.errors import KnowledgeBaseError, MissingDocumentError
from spaniel.knowledge_base.file_catalog import FileCatalog
from spaniel.knowledge_base.paths import expand_path

_MAX_SUGGESTIONS = 3


def find_document(reference: str, catalog: FileCatalog) -> Document:
    """Return the document with an id, a prefix of an id, or an anchor (``path#section``).

    :raises TypeError: the reference is not text.
    :raises MissingDocumentError: there is no such document.
    :raises KnowledgeBaseError: there are several.
    """
    if not isinstance(reference, str):
        raise TypeError(f"reference must be text, an id or a path, got {reference!r}.")
    store = catalog.store
    found = store.get_documents_by_id([reference]) or store.get_documents_by_key("meta.anchor", [reference])
    if not found and reference:
        ids = catalog.backend.find_ids_by_prefix(reference)
        if len(ids) > 1:
            raise KnowledgeBaseError(f"'{reference}' is the start of {len(ids)} ids. Give more of it.")
        found = store.get_documents_by_id(ids)
    if len(found) > 1:
        raise KnowledgeBaseError(f"'{reference}' names {len(found)} documents. Name one by its id.")
    if not found:
        raise MissingDocumentError(_describe_missing(reference, catalog))
    return found[0]


def find_files(reference: str, catalog: FileCatalog) -> list[str]:
    """Return the indexed files with a path, below a folder, or at or below a place on disk.

    :raises KnowledgeBaseError: there are none.
    """
    below = reference.rstrip("/") + "/"
    found = [path for path in catalog.files if path == reference or path.startswith(below)]
    if not found and reference:
        place = expand_path(reference).absolute()
        places = {place, place.resolve()}
        found = [path for path, file in catalog.files.items() if places & {Path(file.file), *Path(file.file).parents}]
    if not found:
        raise KnowledgeBaseError(f"No indexed file is named '{reference}'.{_suggest(reference, catalog.files)}")
    return found


def _describe_missing(reference: str, catalog: FileCatalog) -> str:
    path, mark, _ = reference.partition("#")
    file = catalog.files.get(path)
    if file is not None and file.holds_rows:
        if reference == path:
            return f"'{path}' is a file of rows. Name one of them by its id, or as '{path}#ID'."
        return f"'{path}' has no such row or section: '{reference}'."
    if file is not None and mark:
        documents = catalog.store.get_documents_by_key("meta.path", [path])
        anchors = [document.meta["anchor"] for document in documents if "#" in document.meta.get("anchor", "")]
        return f"'{path}' has no such section.{_suggest(reference, anchors)}"
    return f"No document has the id or the path '{reference}'.{_suggest(reference, catalog.files)}"


def _suggest(name: str, names: Iterable[str]) -> str:
    names = list(names)
    close = difflib.get_close_matches(name, names, n=_MAX_SUGGESTIONS)
    if not close:  # users tend to remember the end of a path
        end = name.rpartition("/")[2].lower()
        close = [other for other in names if end and other.rpartition("/")[2].lower().startswith(end)]
    shown = close[:_MAX_SUGGESTIONS]
    return f" Did you mean {' or '.join(shown)}?" if shown else " `spaniel search` shows paths and ids."
