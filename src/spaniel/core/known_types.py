"""Which classes a serialised pipeline may name: those of Spaniel, those already declared, those the caller allows."""

import importlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from spaniel.core.component import component
from spaniel.errors import DeserializationError

_SEED = "retrievers.recursive_retriever.DeepsetOpenSearchRecursiveRetriever"
_OURS = f"spaniel.components.{_SEED}"

TYPE_ALIASES = {_SEED: _OURS, f"deepset_cloud_custom_nodes.{_SEED}": _OURS}
"""Type names that others wrote, and what they mean here."""

_OWN_PACKAGE = "spaniel"
_allowed_modules: set[str] = set()


def allow_deserialization_module(module: str) -> None:
    """Let serialised pipelines name the classes of a module and of the modules below it.

    :param module: its dotted path, such as ``my_project.components``. Allow only code that you would run.
    """
    _allowed_modules.add(module)


def caller_allows(module: str) -> bool:
    """Return whether a module, or one above it, was given to `allow_deserialization_module`."""
    return any(module == allowed or module.startswith(f"{allowed}.") for allowed in _allowed_modules)


def known_type(name: str) -> Any:
    """Return the class that a serialised object names.

    :param name: ``module.ClassName``.
    :raises DeserializationError: the module is not allowed, or has no such class. Nothing is imported then.
    """
    name = TYPE_ALIASES.get(name, name)
    if registered := component.registry.get(name):
        return registered
    module, _, class_name = name.rpartition(".")
    if not (caller_allows(module) or module.partition(".")[0] == _OWN_PACKAGE):
        raise DeserializationError(
            f"The type '{name}' is not known, and unknown modules are never imported. Allowed: {sorted({_OWN_PACKAGE, *_allowed_modules})}. "
            "If you trust it, call spaniel.core.serialization.allow_deserialization_module with its module first."
        )
    try:
        found = getattr(importlib.import_module(module), class_name)
    except (ImportError, AttributeError) as error:
        raise DeserializationError(f"There is no class '{class_name}' in the module '{module}'.") from error
    if not isinstance(found, type):
        raise DeserializationError(f"'{name}' is no class.")
    return found
