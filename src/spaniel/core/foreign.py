"""The interface to the classes of Haystack that Spaniel lacks, imported only on request."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from typing import Protocol

from spaniel.core.haystack_names import is_haystack_name, to_spaniel_name
from spaniel.json_types import Json


class ForeignPackage(Protocol):
    """Builds components and stores of Spaniel from the serialised data of another package."""

    def find_problem(self, name: str) -> str:
        """Return the reason and the remedy if a type can't be loaded, else an empty text."""

    def build(self, data: Mapping[str, Json]) -> object:
        """Return a component or store from serialised data of the package."""

    def adopt(self, instance: object) -> object:
        """Wrap a component of the package; return other objects unchanged."""


class _MissingPackage:
    def __init__(self, reason: str) -> None:
        self._reason = reason

    def find_problem(self, name: str) -> str:
        return f"'{name}' is to be taken from Haystack. {self._reason}"

    def build(self, data: Mapping[str, Json]) -> object:  # noqa: ARG002 (there is always a problem)
        raise ImportError(self._reason)

    def adopt(self, instance: object) -> object:
        return instance


_active: ContextVar[ForeignPackage | None] = ContextVar("spaniel_foreign", default=None)


@contextmanager
def use_foreign_package(enabled: bool) -> Iterator[None]:
    """Load missing types from Haystack in a block, if enabled; nested blocks can't disable it."""
    if not enabled or _active.get() is not None:
        yield
        return
    package: ForeignPackage
    try:
        package = import_module("spaniel.interop.haystack.foreign")
    except ImportError as error:
        package = _MissingPackage(str(error))
    token = _active.set(package)
    try:
        yield
    finally:
        _active.reset(token)


def find_foreign_package(name: str) -> ForeignPackage | None:
    """Return the package of a foreign type; None for others, and if disabled."""
    return _active.get() if is_haystack_name(to_spaniel_name(name)) else None


def adopt(instance: object) -> object:
    """Wrap a foreign component; return other objects unchanged."""
    package = _active.get()
    return instance if package is None else package.adopt(instance)
