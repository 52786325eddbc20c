"""The types that serialised data names, and what is wrong with them: told at once, before anything is built."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from spaniel.core.foreign import foreign_package
from spaniel.core.haystack_names import OLD_PARAMETERS, own_name
from spaniel.core.known_types import known_type
from spaniel.errors import DeserializationError, ForeignTypeError

_OURS = "spaniel."
_INTEROP = "spaniel.interop."  # these build what they hold by their own rules


class NamedType(NamedTuple):
    """A type that serialised data names: where (``("finder", "document_store")``), and its name."""

    place: tuple[str, ...]
    name: str


def named_types(data: Any, place: tuple[str, ...] = ()) -> Iterator[NamedType]:
    """Yield the types of the objects that serialised data describes, outer ones first.

    Into an object of another package than Spaniel it is not looked: what its parameters mean is for that to say.

    :param data: an object as ``{"type": ..., "init_parameters": {...}}``, or a value that holds such objects.
    :param place: where it stands.
    """
    if isinstance(data, list):
        for number, item in enumerate(data):
            yield from named_types(item, (*place, str(number)))
    if not isinstance(data, Mapping):
        return
    name, parameters = data.get("type"), data.get("init_parameters")
    if not isinstance(name, str) or "init_parameters" not in data:
        parameters = data
    elif "." in name:
        yield NamedType(place, name)
        if not own_name(name).startswith(_OURS) or name.startswith(_INTEROP):
            return
        old = OLD_PARAMETERS.get(own_name(name), {})
        parameters = {key: value for key, value in (parameters or {}).items() if key not in old}
    for key, value in (parameters or {}).items() if isinstance(parameters, Mapping) else ():
        yield from named_types(value, (*place, str(key)))


def type_fault(name: str) -> DeserializationError | None:
    """Return why a type that serialised data names can't be loaded, or None if it can.

    :param name: ``module.ClassName``.
    """
    if package := foreign_package(name):
        fault = package.fault(name)
        return ForeignTypeError(fault) if fault else None
    try:
        known_type(name)
    except DeserializationError as error:
        return type(error)(
            str(error)
        )  # without a traceback: it is one of several, and none of them is the place to look at
    return None
