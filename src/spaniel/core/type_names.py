"""Types as text, such as ``list[str | None]``, and back again without importing what a file asks for."""

import ast
import builtins
import collections
import reprlib
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, Literal, Union

from spaniel.core.known_types import resolve_class
from spaniel.errors import DeserializationError

_STANDARD = {"builtins": builtins, "collections": collections, "collections.abc": collections.abc, "typing": typing}
_NAMED_VALUES = {"NoneType": types.NoneType, "Ellipsis": ...}


def serialize_type(target: Any) -> str:
    """Return a type as text: its module and name, with its arguments; built-in types without a module.

    :param target: a class, a generic such as ``list[str]``, a union, a literal.

    >>> from spaniel import Document
    >>> serialize_type(list[Document] | None)
    'list[spaniel.dataclasses.document.Document] | None'
    """
    if target is types.NoneType or target is ...:
        return "..." if target is ... else "None"
    if isinstance(target, list):  # the parameters of a Callable
        return f"[{_joined(target)}]"
    if isinstance(target, types.UnionType):
        return _joined(typing.get_args(target), " | ")
    arguments = typing.get_args(target)
    if typing.get_origin(target) is Literal:
        return f"typing.Literal[{', '.join(map(repr, arguments))}]"
    name = _name(target)
    if name == "typing.Optional":
        arguments = tuple(argument for argument in arguments if argument is not types.NoneType)
    if not arguments:
        return name
    if name.startswith("typing."):  # typing takes List[int | str] and List[Union[int, str]] for the same object
        arguments = tuple(_old_union(argument) for argument in arguments)
    return f"{name}[{_joined(arguments)}]"


def _joined(targets: Any, separator: str = ", ") -> str:
    return separator.join(serialize_type(target) for target in targets)


def _old_union(target: Any) -> Any:
    return Union[typing.get_args(target)] if isinstance(target, types.UnionType) else target  # noqa: UP007 (it is made here)


def _name(target: Any) -> str:
    module = getattr(target, "__module__", "builtins")
    name = getattr(target, "__name__", None) or str(target).removeprefix("typing.").partition("[")[0]
    return name if module == "builtins" else f"{module}.{name}"


def deserialize_type(type_str: str) -> Any:
    """Return the type that `serialize_type` wrote.

    :param type_str: the text. It may name built-in types, those of ``typing`` and ``collections``, and the classes that
        serialised pipelines may name (see `spaniel.core.serialization.allow_deserialization_module`).
    :raises DeserializationError: it is no type, or one that is not known. Nothing is imported then.

    >>> deserialize_type("dict[str, typing.Any]")
    dict[str, typing.Any]
    """
    try:
        return _built(ast.parse(type_str, mode="eval").body)
    except DeserializationError as error:
        raise DeserializationError(f"The type {reprlib.repr(type_str)} can't be built: {error}") from error
    except (SyntaxError, ValueError, TypeError, AttributeError, RecursionError, MemoryError) as error:
        shown = reprlib.repr(type_str)
        raise DeserializationError(f"{shown} is no type, such as 'list[str]': {error}") from error


def _built(node: ast.expr) -> Any:
    if (build := _NODES.get(type(node))) is None:
        raise DeserializationError(f"'{ast.unparse(node)}' is not part of a type.")
    return build(node)


def _constant(node: ast.Constant) -> Any:
    if node.value is None or node.value is ...:
        return node.value
    raise DeserializationError(f"{node.value!r} is a value.")


def _union(node: ast.BinOp) -> Any:
    if not isinstance(node.op, ast.BitOr):
        raise DeserializationError(f"'{ast.unparse(node)}' is not part of a type.")
    return _built(node.left) | _built(node.right)


def _subscript(node: ast.Subscript) -> Any:
    origin = _built(node.value)
    if origin is Literal:
        return Literal[ast.literal_eval(node.slice)]
    items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    arguments = tuple(_built(item) for item in items)
    return origin[arguments if len(arguments) > 1 else arguments[0]]


def _named(node: ast.expr) -> Any:
    name = ast.unparse(node)
    if name in _NAMED_VALUES:
        return _NAMED_VALUES[name]
    module, _, attribute = name.rpartition(".")
    owners = [_STANDARD[module]] if module in _STANDARD else [] if module else [builtins, typing]
    for owner in owners:
        found = getattr(owner, attribute, None)
        if isinstance(found, type) or (owner is typing and attribute in typing.__all__ and not _is_function(found)):
            return found
    return resolve_class(name)


def _is_function(found: object) -> bool:
    return isinstance(found, (types.FunctionType, types.BuiltinFunctionType))


_NODES: Mapping[type[ast.expr], Callable[[Any], Any]] = {
    ast.Attribute: _named,
    ast.BinOp: _union,
    ast.Constant: _constant,
    ast.List: lambda node: [_built(item) for item in node.elts],
    ast.Name: _named,
    ast.Subscript: _subscript,
}


def build_type_parameter(data: dict[str, Any], parameter: str) -> dict[str, Any]:
    """Return serialised data with one of its init parameters turned from text into a type; the data stays as it is.

    :param data: ``{"type": ..., "init_parameters": {...}}``.
    :param parameter: the name of the init parameter; nothing happens where it is missing or no text.
    :raises DeserializationError: the text is no known type.
    """
    parameters = data.get("init_parameters") or {}
    if not isinstance(parameters.get(parameter), str):
        return data
    return {**data, "init_parameters": {**parameters, parameter: deserialize_type(parameters[parameter])}}
