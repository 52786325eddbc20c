"""References to documents and files as users type them: ids, their prefixes, anchors, paths."""

import difflib
from collections.abc import Iterable
from pathlib import Path

from spaniel.components.converters.files import holds_rows
from spaniel.dataclasses import Document
from spaniel.errors import KnowledgeBaseError, MissingDocumentError
from spaniel.knowledge_base.addresses import find_passage_at, parse_line_address
from spaniel.knowledge_base.file_catalog import FileCatalog
from spaniel.knowledge_base.paths import expand_path
from spaniel.tracing.lineage import find_lines

_MAX_SUGGESTIONS = 3
_MAX_COMPLETED = 10_000
"""Passages of a file whose lines are completed; a shell waits."""


def find_document(reference: str, catalog: FileCatalog) -> Document:
    """Return the document with an id, a prefix of an id, an anchor (``path#section``), or the
    passage at a line (``path:line``).

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
        if (passage := find_passage(reference, catalog)) is not None:
            return passage
        raise MissingDocumentError(_describe_missing(reference, catalog))
    return found[0]


def find_passage(reference: str, catalog: FileCatalog) -> Document | None:
    """Return the passage at a line of a file (``path:line``), or None.

    :param reference: the path is relative to the indexed folder, as in results, or one on disk.
    """
    address = parse_line_address(reference)
    if address is None or (path := _find_path(address.path, catalog)) is None:
        return None
    if not holds_rows(path):
        return find_passage_at(address.line, catalog.store.get_documents_by_key("meta.path", [path]))
    conditions = [  # a file of rows may have millions of them
        {"field": "meta.path", "operator": "==", "value": path},
        {"field": "meta.line", "operator": "<=", "value": address.line},
        {"field": "meta.end_line", "operator": ">=", "value": address.line},
    ]
    rows = catalog.store.filter_documents({"operator": "AND", "conditions": conditions})
    return find_passage_at(address.line, rows)


def _find_path(name: str, catalog: FileCatalog) -> str | None:
    """Return the path of a file in the knowledge base, by that path or by its place on disk."""
    if name in catalog.locate_files([name]):
        return name
    place = str(expand_path(name).resolve())
    return next((path for path, file in catalog.files.items() if file.file == place), None)


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


def complete_reference(text: str, catalog: FileCatalog) -> list[str]:
    """Return the addresses that begin with a text: paths, or sections or lines of a file."""
    for mark in "#:":
        path = text.rpartition(mark)[0]
        if path in catalog.files:
            if (catalog.files[path].passages or 0) > _MAX_COMPLETED:
                return []
            documents = catalog.store.get_documents_by_key("meta.path", [path])
            lines = sorted({lines[0] for document in documents if (lines := find_lines([document])) is not None})
            anchors = [anchor for document in documents if isinstance(anchor := document.meta.get("anchor"), str)]
            found = anchors if mark == "#" else [f"{path}:{line}" for line in lines]
            return [address for address in found if address.startswith(text)]
    return sorted(path for path in catalog.files if path.startswith(text))


def _describe_missing(reference: str, catalog: FileCatalog) -> str:
    if (address := parse_line_address(reference)) is not None and (path := _find_path(address.path, catalog)):
        if holds_rows(path):
            return f"No row of '{path}' is at line {address.line}."
        documents = catalog.store.get_documents_by_key("meta.path", [path])
        last = max((lines[1] for document in documents if (lines := find_lines([document]))), default=None)
        reason = "has no lines" if last is None else f"has text up to line {last}"
        return f"No passage is at '{reference}': '{path}' {reason}."
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
