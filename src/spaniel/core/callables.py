"""The serialised form of functions: their dotted names."""

import importlib
import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any, ClassVar, Self

from spaniel.core.known_types import is_module_allowed
from spaniel.core.serialization import Serializable, default_from_dict
from spaniel.errors import DeserializationError, SerializationError
from spaniel.json_types import JsonObject


def serialize_callable(callable_handle: Callable[..., Any]) -> str:
    """Return the dotted name of a function.

    :param callable_handle: a function of a module, or a static or class method.
    :raises SerializationError: a lambda, a nested function or an instance method, which no name
        leads to.

    >>> import textwrap
    >>> serialize_callable(textwrap.wrap)
    'textwrap.wrap'
    """
    name = getattr(callable_handle, "__qualname__", "") or getattr(callable_handle, "__name__", "")
    if not name or "<" in name or _has_self(callable_handle):
        raise SerializationError(
            f"{callable_handle!r} can't be serialised: lambdas, nested functions and instance methods have no name to "
            "load them by. Use a function of a module."
        )
    module = inspect.getmodule(callable_handle)
    return name if module is None else f"{module.__name__}.{name}"


def _has_self(function: Callable[..., Any]) -> bool:
    try:
        return inspect.getfullargspec(function).args[:1] == ["self"]
    except TypeError:  # builtins without a signature
        return False


def deserialize_callable(callable_handle: str) -> Callable[..., Any]:
    """Return a function by its dotted name.

    The function must be defined in a module that the caller has allowed; imported functions and
    those of Spaniel are rejected.

    :param callable_handle: ``module.function`` or ``module.Class.method``.
    :raises DeserializationError: the module is not allowed (it is not imported then), or does not
        define the function.
    """
    found: Any
    found, path = _import_allowed(callable_handle)
    for part in path:
        if part.startswith("__") or not isinstance(found, (ModuleType, type)):
            raise DeserializationError(f"'{callable_handle}' does not lead to a function: '{part}' is not followed.")
        found = getattr(found, part, None)
    is_function = callable(found) and not isinstance(found, ModuleType)
    if not is_function or not is_module_allowed(getattr(found, "__module__", None) or ""):
        raise DeserializationError(f"'{callable_handle}' is not the name of a function in an allowed module.")
    return found  # type: ignore[no-any-return]  # callable, as tested


def _import_allowed(dotted: str) -> tuple[ModuleType, list[str]]:
    parts = dotted.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        name = ".".join(parts[:cut])
        if not is_module_allowed(name):
            continue
        try:
            return importlib.import_module(name), parts[cut:]
        except ModuleNotFoundError as error:
            if not f"{name}.".startswith(f"{error.name}."):  # the module exists, and a package that it imports does not
                raise DeserializationError(f"The module '{name}' of '{dotted}' can't be imported: {error}") from error
    raise DeserializationError(
        f"The function '{dotted}' can't be loaded: its module does not exist or is not allowed. If you trust it, call "
        "spaniel.core.serialization.allow_deserialization_module with its module first."
    )


class CallableParameters(Serializable):
    """A component with parameters that may be functions, which are serialised by name."""

    _callable_parameters: ClassVar[tuple[str, ...]] = ()
    _encoding_parameters: ClassVar[tuple[str, ...]] = ()
    """Those that may also be the name of an encoding, which has no dot."""

    def _init_parameters(self) -> JsonObject:
        parameters = super()._init_parameters()
        for name in self._callable_parameters:
            value = parameters.get(name)
            if callable(value) and not hasattr(value, "to_dict"):
                parameters[name] = serialize_callable(value)
        return parameters

    @classmethod
    def from_dict(cls, data: JsonObject) -> Self:
        """Return the component that `to_dict` wrote."""
        parameters = dict(data.get("init_parameters") or {})
        for name in cls._callable_parameters:
            value = parameters.get(name)
            if isinstance(value, str) and ("." in value or name not in cls._encoding_parameters):
                parameters[name] = deserialize_callable(value)
        return default_from_dict(cls, {**data, "init_parameters": parameters})
