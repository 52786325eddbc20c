"""Which classes a serialised pipeline may name: those of Spaniel, those already declared, those the caller allows."""

import fnmatch
import importlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

from spaniel.core.component import component
from spaniel.core.foreign import find_foreign_package
from spaniel.core.haystack_names import OLD_PARAMETERS, is_haystack_name, suggest_remedy, to_spaniel_name
from spaniel.errors import DeserializationError, ForeignTypeError, UnknownTypeError

_OWN_PACKAGE = "spaniel"
_OURS = "spaniel."
_INTEROP = "spaniel.interop."  # these build what they hold by their own rules

_allowed_modules: set[str] = set()
_allowed_here: ContextVar[frozenset[str]] = ContextVar("spaniel_allowed_here", default=frozenset())


def allow_deserialization_module(module: str) -> None:
    """Let serialised pipelines name the classes of a module and of the modules below it.

    :param module: its dotted path, such as ``my_project.components``; ``my_project.components.*`` means the same. Else ``*``,
        ``?`` and ``[...]`` stand for any characters, dots too, as in Haystack: ``steps_*``. Allow only code that you would run.
    """
    _allowed_modules.add(module.removesuffix(".*"))


@contextmanager
def allow_modules(modules: Iterable[str]) -> Iterator[None]:
    """Allow modules inside a block of code only.

    :param modules: as in `allow_deserialization_module`.
    """
    token = _allowed_here.set(_allowed_here.get().union(module.removesuffix(".*") for module in modules))
    try:
        yield
    finally:
        _allowed_here.reset(token)


def is_module_allowed(module: str) -> bool:
    """Return whether a module, or one above it, is allowed here by the caller."""
    return any(
        module == allowed or module.startswith(f"{allowed}.") or fnmatch.fnmatchcase(module, allowed)
        for allowed in _allowed_by_caller()
    )


def _allowed_by_caller() -> set[str]:
    return _allowed_modules | _allowed_here.get()


def resolve_serializable_class(name: str) -> Any:
    """Return the class that a serialised object names, to be built from its data.

    :param name: ``module.ClassName``.
    :raises UnknownTypeError: as `resolve_class`, or it is a class of Spaniel, no component, that has no ``from_dict``.
    """
    found = resolve_class(name)
    is_built = hasattr(found, "from_dict") or f"{found.__module__}.{found.__name__}" in component.registry
    if found.__module__.partition(".")[0] == _OWN_PACKAGE and not is_built:
        raise UnknownTypeError(f"'{name}' is a class that is not built from serialised data.")
    return found


def resolve_class(name: str) -> Any:
    """Return a class that serialised data names, be it only as the type of something.

    :param name: ``module.ClassName``, ours or Haystack's for a class that Spaniel has.
    :raises UnknownTypeError: the module is not allowed (nothing is imported then), has no such class, or only imports it;
        `ForeignTypeError` if it is a class of Haystack that Spaniel does not have.
    :raises DeserializationError: it is no name.
    """
    if not isinstance(name, str):
        raise DeserializationError(f"A type is a name such as 'module.ClassName', not {name!r}.")
    name = to_spaniel_name(name)
    if registered := component.registry.get(name):
        return registered
    module, _, class_name = name.rpartition(".")
    if not _may_load(module):
        if is_haystack_name(name):
            raise ForeignTypeError(f"The type '{name}' is Haystack's. {suggest_remedy(name)}")
        allowed = sorted({_OWN_PACKAGE, *_allowed_by_caller()})
        raise UnknownTypeError(
            f"The type '{name}' is not known: its module is not on the trusted-module allowlist {allowed}, and others are "
            "never imported. "
            "If you trust it, call spaniel.core.serialization.allow_deserialization_module with its module first."
        )
    try:
        found = getattr(importlib.import_module(module), class_name)
    except (ImportError, AttributeError, ValueError) as error:
        raise UnknownTypeError(
            f"Could not import class '{name}': there is no '{class_name}' in '{module}'{_lacking(module, error)}."
        ) from error
    if not isinstance(found, type) or not _may_load(found.__module__):
        raise UnknownTypeError(f"'{name}' is no class that is written there.")
    return found


def _lacking(module: str, error: Exception) -> str:
    """Say what a module that is there can't be imported without."""
    is_there = isinstance(error, ImportError) and not f"{module}.".startswith(f"{error.name}.")
    return f": {error}" if is_there else ""


def _may_load(module: str) -> bool:
    return is_module_allowed(module) or module.partition(".")[0] == _OWN_PACKAGE


class TypeReference(NamedTuple):
    """A type that serialised data names: where (``("finder", "document_store")``), and its name."""

    place: tuple[str, ...]
    name: str


def iter_type_references(data: Any, place: tuple[str, ...] = ()) -> Iterator[TypeReference]:
    """Yield the types of the objects that serialised data describes, outer ones first.

    Into an object of another package than Spaniel it is not looked: what its parameters mean is for that to say.

    :param data: an object as ``{"type": ..., "init_parameters": {...}}``, or a value that holds such objects.
    :param place: where it stands.
    """
    if isinstance(data, list):
        for number, item in enumerate(data):
            yield from iter_type_references(item, (*place, str(number)))
    if not isinstance(data, Mapping):
        return
    name, parameters = data.get("type"), data.get("init_parameters")
    if not isinstance(name, str) or "init_parameters" not in data:
        parameters = data
    elif "." in name:
        yield TypeReference(place, name)
        if not to_spaniel_name(name).startswith(_OURS) or name.startswith(_INTEROP):
            return
        old = OLD_PARAMETERS.get(to_spaniel_name(name), {})
        parameters = {key: value for key, value in (parameters or {}).items() if key not in old}
    for key, value in (parameters or {}).items() if isinstance(parameters, Mapping) else ():
        yield from iter_type_references(value, (*place, str(key)))


def find_type_error(name: str) -> DeserializationError | None:
    """Return why a type that serialised data names can't be loaded, or None if it can.

    :param name: ``module.ClassName``.
    """
    if package := find_foreign_package(name):
        fault = package.fault(name)
        return ForeignTypeError(fault) if fault else None
    try:
        resolve_serializable_class(name)
    except DeserializationError as error:
        return type(error)(
            str(error)
        )  # without a traceback: it is one of several, and none of them is the place to look at
    return None
