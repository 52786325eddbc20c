"""Any component as plain data, whether or not it has a ``to_dict``."""

import inspect
from collections.abc import Iterator
from typing import Any

from spaniel.core.serialization import constructor_parameters, default_to_dict
from spaniel.errors import SerializationError

_PLAIN = (str, int, float, bool, type(None))


def component_to_dict(instance: Any, name: str) -> dict[str, Any]:
    """Return a component as plain data: by its ``to_dict``, else from the attributes named as its parameters.

    :param name: what it is called in errors.
    :raises SerializationError: it does not keep its parameters, or they are more than plain data.
    """
    if hasattr(instance, "to_dict"):
        data: dict[str, Any] = instance.to_dict()
    else:
        data = default_to_dict(instance, **dict(_kept_parameters(instance)))
    _check_plain(data, f"Component '{name}' of type '{type(instance).__name__}'", ())
    return data


def _kept_parameters(instance: Any) -> Iterator[tuple[str, Any]]:
    for name, parameter in constructor_parameters(type(instance)).items():
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
