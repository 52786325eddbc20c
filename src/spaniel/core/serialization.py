"""Serialised objects: ``{"type": "module.Class", "init_parameters": {...}}``."""

import enum
import inspect
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, ClassVar, Self, TypeVar

from spaniel.core import known_types
from spaniel.core.component.annotations import Value
from spaniel.core.foreign import adopt, find_foreign_package
from spaniel.core.haystack_names import OLD_PARAMETERS, to_spaniel_name
from spaniel.core.known_types import resolve_class, resolve_serializable_class
from spaniel.core.secret import Secret, SecretType
from spaniel.dataclasses.copying import copy_value
from spaniel.errors import DeserializationError, ForeignTypeError, MissingParameterError, SerializationError
from spaniel.json_types import Json, JsonObject

T = TypeVar("T")
_PLAIN = (str, int, float, bool, type(None))
_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)

logger = logging.getLogger(__name__)

_open_store: Callable[[str], object] | None = None


def register_store_opener(open_store: Callable[[str], object]) -> None:
    """Set the function that opens a store by URL; `spaniel.document_stores` calls this."""
    global _open_store  # noqa: PLW0603 (the layer above registers it once)
    _open_store = open_store


def get_type_name(cls: type) -> str:
    """Return the serialised name of a class."""
    return f"{cls.__module__}.{cls.__name__}"


# Haystack's names
allow_deserialization_module = known_types.allow_deserialization_module
import_class_by_name = resolve_class
generate_qualified_class_name = get_type_name


def default_to_dict(obj: object, **init_parameters: Value) -> JsonObject:
    """Return the serialised form of an object.

    :param obj: the object; its class is the type.
    :param init_parameters: the arguments of its constructor. Values with a ``to_dict`` are
        serialised by it.

    >>> default_to_dict(object(), top_k=3)
    {'type': 'builtins.object', 'init_parameters': {'top_k': 3}}
    """
    parameters = {name: _serialize_value(value) for name, value in init_parameters.items()}
    return {"type": get_type_name(type(obj)), "init_parameters": parameters}


def _serialize_value(value: Value) -> Json:
    if callable(getattr(value, "to_dict", None)) and not isinstance(value, type):
        return value.to_dict()
    return value.value if isinstance(value, enum.Enum) else copy_value(value)


def default_from_dict(cls: type[T], data: Mapping[str, Json]) -> T:
    """Return an object from its serialised form.

    :param cls: the class to build; `data` must name it, by its own module or by a module that
        imports it.
    :param data: ``{"type": ..., "init_parameters": {...}}``; it is not changed. Nested objects of
        known types are built too (see `allow_deserialization_module`).
    :raises DeserializationError: the type is missing or different, or a parameter is unknown or
        can't be built; `MissingParameterError` for a missing parameter, `UnknownTypeError` for an
        unknown nested type.
    """
    if not isinstance(data, Mapping):
        raise DeserializationError(f"The serialised data of {cls.__name__} must be a mapping, got {data!r}.")
    if "type" not in data:
        raise DeserializationError(f"Missing 'type' in serialization data of {cls.__name__}: {dict(data)}")
    name = data["type"]
    if not isinstance(name, str) or not _is_name_of(name, cls):
        raise DeserializationError(f"Class '{name}' can't be deserialized as '{cls.__name__}' ({get_type_name(cls)}).")
    given = data.get("init_parameters") or {}
    if not isinstance(given, Mapping):
        raise DeserializationError(f"The 'init_parameters' of {cls.__name__} must be a mapping, got {given!r}.")
    given = _drop_old_parameters(cls, given)
    parameters = get_constructor_parameters(cls)
    _check_unknown(cls, given, parameters)
    built = {name: _build_parameter(cls, name, value) for name, value in given.items()}
    _check_missing(cls, given, parameters)
    return cls(**built)


def _is_name_of(name: str, cls: type) -> bool:
    if to_spaniel_name(name) == get_type_name(cls):
        return True
    try:
        return resolve_class(name) is cls
    except DeserializationError:
        return False


def _drop_old_parameters(cls: type, given: Mapping[str, Json]) -> Mapping[str, Json]:
    """Drop parameters of older versions of Haystack; an unsupported value is an error."""
    old = OLD_PARAMETERS.get(get_type_name(cls), {})
    for name in old.keys() & given.keys():
        value = given[name].get("type") if isinstance(given[name], Mapping) else given[name]
        accepted = old[name]
        if value is not None and accepted is not None and value not in accepted:
            raise DeserializationError(
                f"The parameter '{name}' of {cls.__name__} can't be {value!r}: newer versions have no such parameter. "
                "Remove it, or use a component of your own."
            )
        logger.info("The parameter '%s' of %s is from an older version and ignored.", name, cls.__name__)
    return {name: value for name, value in given.items() if name not in old}


def get_constructor_parameters(cls: type) -> dict[str, inspect.Parameter]:
    """Return the parameters of a class's constructor by name, without ``self``."""
    parameters = dict(inspect.signature(cls.__init__).parameters)  # type: ignore[misc]  # a class, not an instance
    return {name: parameter for name, parameter in parameters.items() if name != "self"}


def _check_unknown(cls: type, given: Mapping[str, Json], parameters: Mapping[str, inspect.Parameter]) -> None:
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values()):
        return
    if unknown := sorted(str(name) for name in set(given) - set(parameters)):
        raise DeserializationError(
            f"Refusing to deserialize unknown parameter {_quote(unknown)} of {cls.__name__}. "
            f"Valid parameters are: {_quote(sorted(parameters))}. Correct the parameter name or remove it from the serialized data."
        )


def _quote(names: Iterable[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)


def _check_missing(cls: type, given: Mapping[str, Json], parameters: Mapping[str, inspect.Parameter]) -> None:
    missing = [
        name
        for name, parameter in parameters.items()
        if parameter.default is inspect.Parameter.empty and parameter.kind not in _VARIADIC and name not in given
    ]
    if missing:
        names = " and ".join(filter(None, (_quote(missing[:-1]), _quote(missing[-1:]))))
        plural = "" if len(missing) == 1 else "s"
        raise MissingParameterError(
            f"{cls.__name__} is missing {len(missing)} required positional argument{plural}: {names}. "
            "Add the missing values to its 'init_parameters'."
        )


def _build_parameter(cls: type, name: str, value: Json) -> Value:
    if name == "document_store" and isinstance(value, str) and "://" in value and _open_store is not None:
        return _open_store(value)
    nested = value.get("type") if isinstance(value, dict) else None
    if nested == str(SecretType.ENV_VAR):
        return Secret.from_dict(value)
    if not isinstance(nested, str) or "." not in nested:
        return _copy_containers(value)
    try:
        return object_from_dict(value)
    except DeserializationError as error:
        raise type(error)(
            f"Failed to deserialize '{name}': this parameter of {cls.__name__} can't be built: {error}"
        ) from error


def object_from_dict(data: JsonObject) -> Any:
    """Return an object of a known or foreign type from its serialised form."""
    return adopt(find_builder(data["type"])(data))


def find_builder(name: Json) -> Callable[[JsonObject], object]:
    """Return the function that builds objects of a known or foreign type from serialised data."""
    if isinstance(name, str) and (package := find_foreign_package(name)):
        if problem := package.find_problem(name):
            raise ForeignTypeError(problem)
        return package.build
    cls = resolve_serializable_class(name)
    return getattr(cls, "from_dict", partial(default_from_dict, cls))


def find_type_error(name: str) -> DeserializationError | None:
    """Return the error of loading a type, or None if it can be loaded."""
    try:
        find_builder(name)
    except DeserializationError as error:
        return type(error)(str(error))  # without its traceback, since it is listed with others
    return None


def _copy_containers(value: Json) -> Json:
    """Copy dictionaries and lists, so that the data is not changed; objects in them are shared."""
    if isinstance(value, dict):
        return {key: _copy_containers(item) for key, item in value.items()}
    return [_copy_containers(item) for item in value] if isinstance(value, list) else value


class Serializable:
    """Derives ``to_dict`` and ``from_dict`` from the constructor of a class.

    Each constructor parameter must be stored in an attribute of the same name, or of the name in
    `_parameter_attributes`. Spaniel's own options are serialised only if they differ from their
    default, so an object that uses none of them has the serialised form of Haystack's class.
    """

    _own_options: frozenset[str] | None = None
    """The parameters that Haystack's class lacks; None: all keyword-only parameters."""
    _parameter_attributes: ClassVar[Mapping[str, str]] = {}

    def to_dict(self) -> JsonObject:
        """Return the serialised form of the object."""
        return default_to_dict(self, **self._init_parameters())

    @classmethod
    def from_dict(cls, data: JsonObject) -> Self:
        """Return an object from its serialised form."""
        return default_from_dict(cls, data)

    def _init_parameters(self) -> dict[str, Value]:
        written = {}
        for name, parameter in get_constructor_parameters(type(self)).items():
            attribute = self._parameter_attributes.get(name, name)
            if not hasattr(self, attribute):
                raise SerializationError(f"{type(self).__name__} does not keep its parameter '{name}' as an attribute.")
            value = getattr(self, attribute)
            own = self._own_options
            is_own = name in own if own is not None else parameter.kind is inspect.Parameter.KEYWORD_ONLY
            if not (is_own and value == parameter.default):
                written[name] = value
        return written


def component_to_dict(obj: object, name: str) -> JsonObject:
    """Return the serialised form of a component: its ``to_dict``, else its attributes named as its
    parameters.

    :param obj: the component.
    :param name: its name in errors.
    :raises SerializationError: a parameter is not an attribute, or its value is not plain data.
    """
    if hasattr(obj, "to_dict"):
        data: JsonObject = obj.to_dict()
    else:
        data = default_to_dict(obj, **dict(_iter_parameters(obj)))
    _check_plain(data, f"Component '{name}' of type '{type(obj).__name__}'", ())
    return data


def component_from_dict(cls: type[T], data: JsonObject, name: str) -> T:
    """Return a component from its serialised form: by the ``from_dict`` of its class, if it has
    one.

    :param cls: its class.
    :param data: the serialised component; it is not changed.
    :param name: its name in errors.
    :raises DeserializationError: the component can't be built.
    """
    if not isinstance(data, Mapping):
        raise DeserializationError(f"The component '{name}' must be a mapping with a 'type', got {data!r}.")
    return getattr(cls, "from_dict", partial(default_from_dict, cls))(data)


def _iter_parameters(instance: object) -> Iterator[tuple[str, Value]]:
    for name, parameter in get_constructor_parameters(type(instance)).items():
        if parameter.kind in _VARIADIC:
            continue
        if not hasattr(instance, name) and parameter.default is inspect.Parameter.empty:
            raise SerializationError(
                f"{type(instance).__name__} does not keep its parameter '{name}': set self.{name}, or give it a to_dict."
            )
        yield name, getattr(instance, name, parameter.default)


def _check_plain(value: Value, component: str, path: tuple[str, ...]) -> None:
    position = f"under '{'.'.join(path)}'" if path else "in its data"
    if isinstance(value, dict):
        if invalid := [key for key in value if not isinstance(key, str)]:
            raise SerializationError(f"{component} has a non-string key {position}: {invalid[0]!r}.")
        for key, item in value.items():
            _check_plain(item, component, (*path, key))
    elif isinstance(value, (list, tuple, set)):
        for item in value:
            _check_plain(item, component, path)
    elif not isinstance(value, _PLAIN):
        raise SerializationError(f"{component} has an unsupported value of type '{type(value).__name__}' {position}.")
