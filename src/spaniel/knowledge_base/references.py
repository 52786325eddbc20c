"""What people call documents and files: whole ids or the start of one, anchors, paths, folders."""

import difflib
from collections.abc import Collection as Names
from pathlib import Path

from spaniel.dataclasses import Document
from spaniel.errors import KnowledgeBaseError, MissingDocumentError
from spaniel.knowledge_base.file_catalog import FileCatalog
from spaniel.knowledge_base.paths import expand_path

_SHOWN = 3


def find_document(reference: str, catalog: FileCatalog) -> Document:
    """Return the one document that a reference means: an id, the start of one, or an anchor (``path#section``).

    :raises MissingDocumentError: none is meant.
    :raises KnowledgeBaseError: several are.
    """
    if not isinstance(reference, str):
        raise TypeError(f"A document is named by text, its id or path, but this is {reference!r}.")
    store = catalog.store
    found: list[Document] = store.get_documents_by_id([reference]) or store.get_documents_by_key(
        "meta.anchor", [reference]
    )
    if not found and reference:
        ids = catalog.backend.ids_starting_with(reference)
        if len(ids) > 1:
            raise KnowledgeBaseError(f"'{reference}' is the start of {len(ids)} ids. Give more of it.")
        found = store.get_documents_by_id(ids)
    if len(found) > 1:
        raise KnowledgeBaseError(f"'{reference}' names {len(found)} documents. Name one by its id.")
    if not found:
        path, mark, _ = reference.partition("#")
        if path in catalog.files and catalog.files[path].holds_rows:
            raise MissingDocumentError(_no_row(reference, path))
        if mark and path in catalog.files:
            raise MissingDocumentError(_no_section(reference, path, catalog))
        raise MissingDocumentError(
            f"No document has the id or the path '{reference}'.{_hint(reference, catalog.files)}"
        )
    return found[0]


def find_files(reference: str, catalog: FileCatalog) -> list[str]:
    """Return the indexed files that a path means: one, those below a folder, or those of a place on disk.

    :raises KnowledgeBaseError: there are none.
    """
    below = reference.rstrip("/") + "/"
    found = [path for path in catalog.files if path == reference or path.startswith(below)]
    if not found and reference:
        place = expand_path(reference).absolute()
        places = {place, place.resolve()}
        found = [path for path, file in catalog.files.items() if places & {Path(file.file), *Path(file.file).parents}]
    if not found:
        raise KnowledgeBaseError(f"No indexed file is named '{reference}'.{_hint(reference, catalog.files)}")
    return found


def _no_row(reference: str, path: str) -> str:
    if reference == path:
        return f"'{path}' is a file of rows. Name one of them by its id, or as '{path}#ID'."
    return f"'{path}' has no such row or section: '{reference}'."


def _no_section(reference: str, path: str, catalog: FileCatalog) -> str:
    documents = catalog.store.get_documents_by_key("meta.path", [path])
    anchors = [document.meta["anchor"] for document in documents if "#" in document.meta.get("anchor", "")]
    return f"'{path}' has no such section.{_hint(reference, anchors)}"


def _hint(name: str, names: Names[str]) -> str:
    close = difflib.get_close_matches(name, names, n=_SHOWN)
    if not close:  # what people remember of a path is its end
        end = name.rpartition("/")[2].lower()
        close = [other for other in names if end and other.rpartition("/")[2].lower().startswith(end)][:_SHOWN]
    return f" Did you mean {' or '.join(close)}?" if close else " `spaniel search` shows paths and ids."
