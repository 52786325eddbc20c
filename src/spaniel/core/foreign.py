"""The seam to a package whose classes Spaniel does not have: they are taken from there, if the caller says so.

What stands behind it is above this package (`spaniel.interop.haystack`), so it is looked up when it is asked for.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from typing import Any, Protocol

from spaniel.core.haystack_names import is_haystack_name, to_spaniel_name

_HAYSTACK = "spaniel.interop.haystack.foreign"


class ForeignPackage(Protocol):
    """Builds what serialised data names of another package, as components and stores of ours."""

    def fault(self, name: str) -> str:
        """Return why a type can't be taken from there, with what to do; nothing if it can."""
        ...

    def build(self, data: Mapping[str, Any]) -> Any:
        """Return the component or store that data of the package describes, as one of ours."""
        ...

    def adopt(self, instance: Any) -> Any:
        """Return a component of the package as one of ours; anything else stays itself."""
        ...


class _NotInstalled:
    def __init__(self, reason: str) -> None:
        self._reason = reason

    def fault(self, name: str) -> str:
        return f"'{name}' is to be taken from Haystack. {self._reason}"

    def build(self, data: Mapping[str, Any]) -> Any:  # noqa: ARG002 (there is always a fault, so nothing is built)
        raise ImportError(self._reason)

    def adopt(self, instance: Any) -> Any:
        return instance


_used: ContextVar[ForeignPackage | None] = ContextVar("spaniel_foreign", default=None)


@contextmanager
def use_foreign_package(wanted: bool) -> Iterator[None]:
    """Take what Spaniel does not have from Haystack, inside a block of code; nested blocks can't forbid it again.

    :param wanted: whether to do so.
    """
    if not wanted or _used.get() is not None:
        yield
        return
    token = _used.set(_haystack())
    try:
        yield
    finally:
        _used.reset(token)


def _haystack() -> ForeignPackage:
    try:
        return import_module(_HAYSTACK)
    except ImportError as error:
        return _NotInstalled(str(error))


def find_foreign_package(name: str) -> ForeignPackage | None:
    """Return the package that a type is to be taken from, or None if it is not foreign, or must not be taken.

    :param name: ``module.ClassName``.
    """
    return _used.get() if is_haystack_name(to_spaniel_name(name)) else None


def adopt(instance: Any) -> Any:
    """Return a component of a foreign package as one of ours, where such are taken; anything else stays itself."""
    package = _used.get()
    return instance if package is None else package.adopt(instance)
