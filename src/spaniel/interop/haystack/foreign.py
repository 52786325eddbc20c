"""Haystack's components in a pipeline loaded with ``foreign=True`` (`spaniel.core.foreign`)."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from haystack.core.errors import DeserializationError as TheirDeserializationError
from haystack.core.serialization import default_from_dict, import_class_by_name
from haystack.version import __version__

from spaniel.core.haystack_names import suggest_remedy
from spaniel.interop.haystack.haystack_component import HaystackComponent, is_their_class
from spaniel.interop.haystack.store import HaystackStore

_FIRST_SAFE = 3
_STORE = ("filter_documents", "write_documents", "from_dict")


def find_problem(name: str) -> str:
    """Return the reason why a type can't be taken from Haystack, with a remedy; empty if it can."""
    if int(__version__.partition(".")[0]) < _FIRST_SAFE:
        return f"foreign=True needs haystack-ai 3 or newer, not {__version__}: older versions import every module that a file names."
    try:
        import_module(name.rpartition(".")[0])
    except Exception as error:  # noqa: BLE001 (the import of an optional package may raise anything)
        return f"The type '{name}' can't be taken from Haystack: {error}. {_remedy(name)}"
    try:
        found = import_class_by_name(name)
    except ImportError:
        return f"The type '{name}' can't be taken from Haystack: its module has no such class. {_remedy(name)}"
    except TheirDeserializationError:
        return f"The type '{name}' is refused: it leads out of Haystack's packages, or to what loads them."
    is_store = isinstance(found, type) and all(callable(getattr(found, method, None)) for method in _STORE)
    if is_their_class(found) or is_store:
        return ""
    return f"The type '{name}' is neither a component nor a document store of Haystack, so it is not built."


def build(data: Mapping[str, Any]) -> HaystackComponent | HaystackStore:
    """Build the component or store that data of Haystack describes, and wrap it.

    Haystack builds it: it imports only modules of its own packages and those that the caller has
    allowed there.
    """
    cls: Any = import_class_by_name(data["type"])
    given = {"type": f"{cls.__module__}.{cls.__name__}", "init_parameters": dict(data.get("init_parameters") or {})}
    built = cls.from_dict(given) if hasattr(cls, "from_dict") else default_from_dict(cls, given)
    return HaystackComponent(built) if is_their_class(type(built)) else HaystackStore(built)


def adopt(instance: Any) -> Any:
    """Wrap a component of Haystack; anything else is returned unchanged."""
    return HaystackComponent(instance) if is_their_class(type(instance)) else instance


def _remedy(name: str) -> str:
    if name.startswith("haystack."):
        return f"haystack-ai {__version__} is installed: put a component that it has in its place, or install one that has it."
    return suggest_remedy(name)
