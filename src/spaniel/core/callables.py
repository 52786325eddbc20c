"""Functions as plain data: their dotted names, and back again without running what a file asks for."""

import importlib
import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any

from spaniel.core.known_types import is_module_allowed
from spaniel.errors import DeserializationError, SerializationError


def serialize_callable(callable_handle: Callable[..., Any]) -> str:
    """Return the dotted name of a function.

    :param callable_handle: a function of a module, or a static or class method.
    :raises SerializationError: a lambda, a function inside a function, or a method of one object: no name leads to it.

    >>> import textwrap
    >>> serialize_callable(textwrap.wrap)
    'textwrap.wrap'
    """
    name = getattr(callable_handle, "__qualname__", "") or getattr(callable_handle, "__name__", "")
    if not name or "<" in name or _takes_self(callable_handle):
        raise SerializationError(
            f"{callable_handle!r} can't be serialised: lambdas, nested functions and instance methods have no name to "
            "load them by. Use a function of a module."
        )
    module = inspect.getmodule(callable_handle)
    return name if module is None else f"{module.__name__}.{name}"


def _takes_self(function: Callable[..., Any]) -> bool:
    try:
        return inspect.getfullargspec(function).args[:1] == ["self"]
    except TypeError:  # builtins without a signature
        return False


def deserialize_callable(callable_handle: str) -> Callable[..., Any]:
    """Return the function that a dotted name stands for.

    Only functions written in a module that you allowed are found: not those it imports, and none of Spaniel's own.

    :param callable_handle: ``module.function`` or ``module.Class.method``.
    :raises DeserializationError: its module is not allowed (nothing is imported then), or has no such function.
    """
    module, path = _import_allowed(callable_handle)
    found: Any = module
    for part in path:
        if part.startswith("__") or not isinstance(found, (ModuleType, type)):
            raise DeserializationError(f"'{callable_handle}' does not lead to a function: '{part}' is not followed.")
        found = getattr(found, part, None)
    if (
        isinstance(found, ModuleType)
        or not callable(found)
        or not is_module_allowed(getattr(found, "__module__", None) or "")
    ):
        raise DeserializationError(f"'{callable_handle}' names no function that is written in an allowed module.")
    return found  # type: ignore[no-any-return]  # `callable` was asked


def _import_allowed(dotted: str) -> tuple[ModuleType, list[str]]:
    parts = dotted.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        name = ".".join(parts[:cut])
        if not is_module_allowed(name):
            continue
        try:
            return importlib.import_module(name), parts[cut:]
        except ModuleNotFoundError as error:
            if not f"{name}.".startswith(f"{error.name}."):  # the module is there, and something that it needs is not
                raise DeserializationError(f"The module '{name}' of '{dotted}' can't be imported: {error}") from error
    raise DeserializationError(
        f"The function '{dotted}' can't be loaded: its module does not exist or is not allowed. If you trust it, call "
        "spaniel.core.serialization.allow_deserialization_module with its module first."
    )
