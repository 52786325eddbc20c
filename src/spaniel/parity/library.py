"""Spaniel and Haystack behind one interface, so that an area runs the same code on both."""

import os
from dataclasses import dataclass
from importlib import import_module, metadata
from typing import Any

from spaniel.errors import SpanielError
from spaniel.json_types import JsonObject

REFERENCE = "3.4.1"
"""The version of haystack-ai that Spaniel is compared with."""


class ReferenceMissingError(SpanielError, ImportError):
    """haystack-ai is missing, or has another version than the reference."""


@dataclass(frozen=True)
class Library:
    """One of the two packages, imported on first use."""

    package: str

    def get(self, name: str) -> Any:
        """Return a class or function by its name, such as ``components.joiners.DocumentJoiner``."""
        os.environ.setdefault("HAYSTACK_TELEMETRY_ENABLED", "False")  # read when Haystack is imported
        module, _, attribute = f"{self.package}.{name}".rpartition(".")
        return getattr(import_module(module), attribute)

    def documents(self, rows: list[JsonObject]) -> list[Any]:
        """Return documents from the constructor arguments of each."""
        document = self.get("Document")
        return [document(**row) for row in rows]

    def store(self, **settings: Any) -> Any:
        """Return an empty in-memory store of its own."""
        return self.get("document_stores.in_memory.InMemoryDocumentStore")(**settings, shared=False)


SPANIEL, HAYSTACK = Library("spaniel"), Library("haystack")


def validate_reference() -> None:
    """Raise a `ReferenceMissingError` unless the reference version of haystack-ai is installed."""
    try:
        found = metadata.version("haystack-ai")
    except metadata.PackageNotFoundError:
        found = "missing"
    if found != REFERENCE:
        raise ReferenceMissingError(
            f"Spaniel is compared with haystack-ai {REFERENCE}, which is {found} here: pip install 'spaniel[parity]'"
        )


def document_data(documents: list[Any]) -> list[JsonObject]:
    """Return the fields of documents in which both libraries must agree."""
    return [
        {
            **{name: getattr(document, name) for name in ("id", "content", "meta")},
            "score": None if document.score is None else float(document.score),
        }
        for document in documents
    ]
