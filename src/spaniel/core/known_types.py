"""The types that serialised data may name: Spaniel's, registered ones, and allowed modules'."""

import fnmatch
import importlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from spaniel.core.component import component
from spaniel.core.haystack_names import OLD_PARAMETERS, is_haystack_name, suggest_remedy, to_spaniel_name
from spaniel.errors import DeserializationError, ForeignTypeError, UnknownTypeError
from spaniel.json_types import Json

_OWN_PACKAGE = "spaniel"
_INTEROP = "spaniel.interop."  # its classes build their parameters by their own rules

_allowed_modules: set[str] = set()
_allowed_in_context: ContextVar[frozenset[str]] = ContextVar("spaniel_allowed_modules", default=frozenset())


def allow_deserialization_module(module: str) -> None:
    """Let serialised data name the classes of a module and of its submodules.

    :param module: its dotted path, such as ``my_project.components``; ``my_project.components.*``
        means the same. Else ``*``, ``?`` and ``[...]`` match any characters, dots too, as in
        Haystack: ``steps_*``. Allow only code that you would run.
    """
    _allowed_modules.add(module.removesuffix(".*"))


@contextmanager
def allow_modules(modules: Iterable[str]) -> Iterator[None]:
    """Allow modules in a block of code, named as in `allow_deserialization_module`."""
    names = (module.removesuffix(".*") for module in modules)
    token = _allowed_in_context.set(_allowed_in_context.get().union(names))
    try:
        yield
    finally:
        _allowed_in_context.reset(token)


def is_module_allowed(module: str) -> bool:
    """Return True if the caller allows a module or a parent of it."""
    return any(
        module == allowed or module.startswith(f"{allowed}.") or fnmatch.fnmatchcase(module, allowed)
        for allowed in _get_allowed_modules()
    )


def _get_allowed_modules() -> set[str]:
    return _allowed_modules | _allowed_in_context.get()


def resolve_serializable_class(name: str) -> Any:
    """Return a class by name; one of Spaniel must be a component or have ``from_dict``."""
    found = resolve_class(name)
    is_serializable = hasattr(found, "from_dict") or f"{found.__module__}.{found.__name__}" in component.registry
    if _is_own(found.__module__) and not is_serializable:
        raise UnknownTypeError(f"'{name}' is a class that is not built from serialised data.")
    return found


def resolve_class(name: str) -> Any:
    """Return a class by name.

    :param name: ``module.ClassName``, also Haystack's name of a class of Spaniel.
    :raises UnknownTypeError: the module is not allowed (it is not imported then), or does not
        define the class; `ForeignTypeError` for a class of Haystack that Spaniel lacks.
    :raises DeserializationError: `name` is not a text.
    """
    if not isinstance(name, str):
        raise DeserializationError(f"A type must be a name such as 'module.ClassName', got {name!r}.")
    name = to_spaniel_name(name)
    if registered := component.registry.get(name):
        return registered
    module, _, class_name = name.rpartition(".")
    if not _is_loadable(module):
        if is_haystack_name(name):
            raise ForeignTypeError(f"The type '{name}' is Haystack's. {suggest_remedy(name)}")
        allowed = sorted({_OWN_PACKAGE, *_get_allowed_modules()})
        raise UnknownTypeError(
            f"The type '{name}' is not known: its module is not on the trusted-module allowlist {allowed}, and others are "
            "never imported. "
            "If you trust it, call spaniel.core.serialization.allow_deserialization_module with its module first."
        )
    try:
        found = getattr(importlib.import_module(module), class_name)
    except (ImportError, AttributeError, ValueError) as error:
        # The error of an existing module whose own imports fail names the missing package.
        exists = isinstance(error, ImportError) and not f"{module}.".startswith(f"{error.name}.")
        reason = f": {error}" if exists else ""
        raise UnknownTypeError(
            f"Could not import class '{name}': there is no '{class_name}' in '{module}'{reason}."
        ) from error
    if not isinstance(found, type) or not _is_loadable(found.__module__):
        raise UnknownTypeError(f"'{name}' is not a class of this module.")
    return found


def _is_own(module: str) -> bool:
    return module.partition(".")[0] == _OWN_PACKAGE


def _is_loadable(module: str) -> bool:
    return is_module_allowed(module) or _is_own(module)


def iter_type_references(data: Json, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield path and name of each type in serialised data, without other packages' parameters."""
    if isinstance(data, list):
        for number, item in enumerate(data):
            yield from iter_type_references(item, (*path, str(number)))
    if not isinstance(data, Mapping):
        return
    name, parameters = data.get("type"), data.get("init_parameters")
    if not isinstance(name, str) or "init_parameters" not in data:
        parameters = data
    elif "." in name:
        yield path, name
        own_name = to_spaniel_name(name)
        if not _is_own(own_name) or own_name.startswith(_INTEROP):
            return
        old = OLD_PARAMETERS.get(own_name, {})
        parameters = {key: value for key, value in (parameters or {}).items() if key not in old}
    if isinstance(parameters, Mapping):
        for key, value in parameters.items():
            yield from iter_type_references(value, (*path, str(key)))
