"""Objects and components as plain data: ``{"type": "module.Class", "init_parameters": {...}}``."""

import enum
import inspect
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Self, TypeVar

from spaniel.core.foreign import adopt, find_foreign_package
from spaniel.core.haystack_names import OLD_PARAMETERS, to_spaniel_name
from spaniel.core.known_types import allow_deserialization_module, resolve_class, resolve_serializable_class
from spaniel.core.secret import Secret, SecretType
from spaniel.dataclasses.copying import copy_value
from spaniel.errors import DeserializationError, ForeignTypeError, MissingParameterError, SerializationError

__all__ = [
    "Serializable",
    "allow_deserialization_module",
    "component_from_dict",
    "component_to_dict",
    "default_from_dict",
    "default_to_dict",
    "generate_qualified_class_name",
    "import_class_by_name",
]

T = TypeVar("T")
_PLAIN = (str, int, float, bool, type(None))

import_class_by_name = resolve_class

logger = logging.getLogger(__name__)


_open_store: Callable[[str], object] | None = None


def register_store_opener(open_store: Callable[[str], object]) -> None:
    """Set the function that opens the store of a URL; `spaniel.document_stores` calls it when it is imported."""
    global _open_store  # noqa: PLW0603 (the layer above registers it once)
    _open_store = open_store


def get_type_name(cls: type) -> str:
    """Return the name under which a class is serialised."""
    return f"{cls.__module__}.{cls.__name__}"


generate_qualified_class_name = get_type_name


def default_to_dict(obj: Any, **init_parameters: Any) -> dict[str, Any]:
    """Return an object as plain data.

    :param obj: the object; its class gives the type name.
    :param init_parameters: what its constructor needs to build it again. Values with a ``to_dict`` are written by it.

    >>> default_to_dict(object(), top_k=3)
    {'type': 'builtins.object', 'init_parameters': {'top_k': 3}}
    """
    return {
        "type": get_type_name(type(obj)),
        "init_parameters": {name: _plain(value) for name, value in init_parameters.items()},
    }


def _plain(value: Any) -> Any:
    if callable(getattr(value, "to_dict", None)) and not isinstance(value, type):
        return value.to_dict()
    return value.value if isinstance(value, enum.Enum) else copy_value(value)


def default_from_dict(cls: type[T], data: Mapping[str, Any]) -> T:
    """Return the object that `default_to_dict` wrote.

    :param cls: the class to build; `data` must name it, by its own module or by one that it is imported from.
    :param data: ``{"type": ..., "init_parameters": {...}}``; it is not changed. Nested objects are built too, if their
        types are known (see `allow_deserialization_module`).
    :raises DeserializationError: the type is missing or another, or a parameter is unknown or can't be built;
        `MissingParameterError` if one is missing, `UnknownTypeError` if a nested type may not be loaded.
    """
    if not isinstance(data, Mapping):
        raise DeserializationError(f"The serialised data of {cls.__name__} must be a mapping, not {data!r}.")
    if "type" not in data:
        raise DeserializationError(f"Missing 'type' in serialization data of {cls.__name__}: {dict(data)}")
    _check_type(cls, data["type"])
    given = data.get("init_parameters") or {}
    if not isinstance(given, Mapping):
        raise DeserializationError(f"The 'init_parameters' of {cls.__name__} must be a mapping, not {given!r}.")
    given = _without_old(cls, given)
    parameters = get_constructor_parameters(cls)
    _check_known(cls, given, parameters)
    built = {name: _build(cls, name, value) for name, value in given.items()}
    _check_complete(cls, given, parameters)
    return cls(**built)


def _check_type(cls: type, name: Any) -> None:
    if not isinstance(name, str) or not _is_named(cls, name):
        raise DeserializationError(f"Class '{name}' can't be deserialized as '{cls.__name__}' ({get_type_name(cls)}).")


def _is_named(cls: type, name: str) -> bool:
    if to_spaniel_name(name) == get_type_name(cls):
        return True
    try:
        return resolve_class(name) is cls
    except DeserializationError:
        return False


def _without_old(cls: type, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the parameters without those that only older versions of Haystack had.

    :raises DeserializationError: one asks for what is not done any more.
    """
    old = OLD_PARAMETERS.get(get_type_name(cls), {})
    for name in old.keys() & given.keys():
        value = given[name].get("type") if isinstance(given[name], Mapping) else given[name]
        accepted = old[name]
        if value is not None and accepted is not None and value not in accepted:
            raise DeserializationError(
                f"The parameter '{name}' of {cls.__name__} can't be {value!r}: newer versions have no such parameter. "
                "Take it out, or give a component of your own in its place."
            )
        logger.info("The parameter '%s' of %s is one of an older version; it is left out.", name, cls.__name__)
    return {name: value for name, value in given.items() if name not in old}


def get_constructor_parameters(cls: type) -> dict[str, inspect.Parameter]:
    """Return the parameters of a class's constructor by name, ``self`` left out."""
    parameters = dict(inspect.signature(cls.__init__).parameters)  # type: ignore[misc]  # a class, not an instance
    return {name: parameter for name, parameter in parameters.items() if name != "self"}


def _takes_any(parameters: Mapping[str, inspect.Parameter]) -> bool:
    return any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values())


def _check_known(cls: type, given: Mapping[str, Any], parameters: Mapping[str, inspect.Parameter]) -> None:
    if _takes_any(parameters):
        return
    if unknown := sorted(str(name) for name in set(given) - set(parameters)):
        raise DeserializationError(
            f"Refusing to deserialize unknown parameter {_quoted(unknown)} of {cls.__name__}. "
            f"Valid parameters are: {_quoted(sorted(parameters))}. Correct the parameter name or remove it from the serialized data."
        )


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)


def _check_complete(cls: type, given: Mapping[str, Any], parameters: Mapping[str, inspect.Parameter]) -> None:
    missing = [
        name
        for name, parameter in parameters.items()
        if parameter.default is inspect.Parameter.empty
        and parameter.kind not in {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
        and name not in given
    ]
    if missing:
        names = " and ".join(
            part for part in (", ".join(f"'{name}'" for name in missing[:-1]), f"'{missing[-1]}'") if part
        )
        count = f"{len(missing)} required positional argument{'' if len(missing) == 1 else 's'}"
        raise MissingParameterError(
            f"{cls.__name__} is missing {count}: {names}. Add what is missing to its 'init_parameters'."
        )


def _build(cls: type, name: str, value: Any) -> Any:
    if name == "document_store" and isinstance(value, str) and "://" in value and _open_store is not None:
        return _open_store(value)
    nested = value.get("type") if isinstance(value, dict) else None
    if nested == str(SecretType.ENV_VAR):
        return Secret.from_dict(value)
    if not isinstance(nested, str) or "." not in nested:
        return _own_containers(value)
    try:
        return object_from_dict(value)
    except DeserializationError as error:
        raise type(error)(
            f"Failed to deserialize '{name}': this parameter of {cls.__name__} can't be built: {error}"
        ) from error


def object_from_dict(data: dict[str, Any]) -> Any:
    """Return the object that serialised data describes, be it taken from a foreign package.

    :param data: ``{"type": ..., "init_parameters": {...}}``.
    :raises DeserializationError: its type is not known, or it can't be built.
    """
    if package := find_foreign_package(data["type"]):
        if fault := package.fault(data["type"]):
            raise ForeignTypeError(fault)
        return package.build(data)
    found = resolve_serializable_class(data["type"])
    return adopt(found.from_dict(data) if hasattr(found, "from_dict") else default_from_dict(found, data))


def _own_containers(value: Any) -> Any:
    """Copy dictionaries and lists, so that `data` stays as it is; an object that is built already is taken itself."""
    if isinstance(value, dict):
        return {key: _own_containers(item) for key, item in value.items()}
    return [_own_containers(item) for item in value] if isinstance(value, list) else value


class Serializable:
    """Gives a class ``to_dict`` and ``from_dict``, derived from its constructor.

    Each constructor parameter must be stored in an attribute of the same name, or of the name in
    `_parameter_attributes`. Spaniel's own options are serialised only where they differ from their default, so an object that uses none of them has the
    serialised form of Haystack's class.
    """

    _own_options: frozenset[str] | None = None
    """The parameters that Haystack's class lacks; None: all keyword-only ones."""
    _parameter_attributes: ClassVar[Mapping[str, str]] = {}

    def to_dict(self) -> dict[str, Any]:
        """Return the object as plain data."""
        return default_to_dict(self, **self._init_parameters())

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Return the object that `to_dict` wrote.

        :raises DeserializationError: the data is of another type, or a parameter is unknown, missing or can't be built.
        """
        return default_from_dict(cls, data)

    def _init_parameters(self) -> dict[str, Any]:
        written = {}
        for name, parameter in get_constructor_parameters(type(self)).items():
            attribute = self._parameter_attributes.get(name, name)
            if not hasattr(self, attribute):
                raise SerializationError(f"{type(self).__name__} does not keep its parameter '{name}' as an attribute.")
            value = getattr(self, attribute)
            own = (
                parameter.kind is inspect.Parameter.KEYWORD_ONLY
                if self._own_options is None
                else name in self._own_options
            )
            if not (own and value == parameter.default):
                written[name] = value
        return written


def component_to_dict(obj: Any, name: str) -> dict[str, Any]:
    """Return a component as plain data: by its ``to_dict``, else from the attributes named as its parameters.

    :param obj: the component.
    :param name: what it is called in errors.
    :raises SerializationError: it does not keep its parameters, or they are more than plain data.
    """
    if hasattr(obj, "to_dict"):
        data: dict[str, Any] = obj.to_dict()
    else:
        data = default_to_dict(obj, **dict(_kept_parameters(obj)))
    _check_plain(data, f"Component '{name}' of type '{type(obj).__name__}'", ())
    return data


def component_from_dict(cls: type[T], data: dict[str, Any], name: str) -> T:
    """Return the component that `component_to_dict` wrote: by the ``from_dict`` of its class, if there is one.

    :param cls: its class.
    :param data: plain data; it is not changed.
    :param name: what it is called in errors.
    :raises DeserializationError: it can't be built.
    """
    if not isinstance(data, Mapping):
        raise DeserializationError(f"The component '{name}' must be a mapping with a 'type', not {data!r}.")
    build = getattr(cls, "from_dict", None)
    return default_from_dict(cls, data) if build is None else build(data)


def _kept_parameters(instance: Any) -> Iterator[tuple[str, Any]]:
    for name, parameter in get_constructor_parameters(type(instance)).items():
        if parameter.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            continue
        if not hasattr(instance, name) and parameter.default is inspect.Parameter.empty:
            raise SerializationError(
                f"{type(instance).__name__} does not keep its parameter '{name}': set self.{name}, or give it a to_dict."
            )
        yield name, getattr(instance, name, parameter.default)


def _check_plain(value: Any, component: str, path: tuple[str, ...]) -> None:
    where = f"under '{'.'.join(path)}'" if path else "in its data"
    if isinstance(value, dict):
        if odd := [key for key in value if not isinstance(key, str)]:
            raise SerializationError(f"{component} has a non-string key {where}: {odd[0]!r}.")
        for key, item in value.items():
            _check_plain(item, component, (*path, key))
    elif isinstance(value, (list, tuple, set)):
        for item in value:
            _check_plain(item, component, path)
    elif not isinstance(value, _PLAIN):
        raise SerializationError(f"{component} has an unsupported value of type '{type(value).__name__}' {where}.")
