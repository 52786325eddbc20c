"""Haystack, imported when it is needed and not before."""

import os
from importlib import import_module, metadata
from typing import Any

from spaniel.dataclasses import Document
from spaniel.errors import SpanielError

REFERENCE = "3.4.1"
"""The version of haystack-ai that is compared with."""


class ReferenceMissingError(SpanielError, ImportError):
    """haystack-ai is not installed, or is another version than the reference."""


def check_reference() -> None:
    """Return if the right version of haystack-ai is there.

    :raises ReferenceMissingError: it is not.
    """
    try:
        found = metadata.version("haystack-ai")
    except metadata.PackageNotFoundError:
        found = "missing"
    if found != REFERENCE:
        raise ReferenceMissingError(
            f"Spaniel is compared with haystack-ai {REFERENCE}, which is {found} here: pip install 'spaniel[parity]'"
        )


def haystack(name: str) -> Any:
    """Return a class or function of Haystack.

    :param name: without the package: ``components.joiners.DocumentJoiner``.
    """
    os.environ.setdefault("HAYSTACK_TELEMETRY_ENABLED", "False")  # nothing is sent anywhere
    module, _, attribute = f"haystack.{name}".rpartition(".")
    return getattr(import_module(module), attribute)


def our_documents(rows: list[dict[str, Any]]) -> list[Document]:
    """Return documents of Spaniel from the arguments that each is built with."""
    return [Document(**row) for row in rows]


def their_documents(rows: list[dict[str, Any]]) -> list[Any]:
    """Return documents of Haystack from the arguments that each is built with."""
    build = haystack("Document")
    return [build(**row) for row in rows]


def shown(documents: list[Any]) -> list[dict[str, Any]]:
    """Return what both libraries must agree on: id, content, metadata, score."""
    return [
        {
            "id": document.id,
            "content": document.content,
            "meta": document.meta,
            "score": None if document.score is None else float(document.score),
        }
        for document in documents
    ]
