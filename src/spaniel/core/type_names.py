"""The serialised form of types, such as ``list[str | None]``."""

import ast
import builtins
import collections
import reprlib
import types
import typing
from collections.abc import Iterable
from typing import Any, ClassVar, Literal, Self, Union

from spaniel.core.component.annotations import Annotation
from spaniel.core.known_types import resolve_class
from spaniel.core.serialization import Serializable, default_from_dict
from spaniel.errors import DeserializationError
from spaniel.json_types import JsonObject

_STANDARD_MODULES = {module.__name__: module for module in (builtins, collections, collections.abc, typing)}
_SPECIAL_NAMES = {"NoneType": types.NoneType, "Ellipsis": ...}


def serialize_type(target: Any) -> str:
    """Return a type as text: module, name and arguments; built-in types have no module.

    :param target: a class, a generic such as ``list[str]``, a union, a literal.

    >>> from spaniel import Document
    >>> serialize_type(list[Document] | None)
    'list[spaniel.dataclasses.document.Document] | None'
    """
    if target is types.NoneType or target is ...:
        return "..." if target is ... else "None"
    if isinstance(target, list):  # the parameters of a Callable
        return f"[{_join(target)}]"
    if isinstance(target, types.UnionType):
        return _join(typing.get_args(target), " | ")
    arguments = typing.get_args(target)
    if typing.get_origin(target) is Literal:
        return f"typing.Literal[{', '.join(map(repr, arguments))}]"
    name = _get_name(target)
    if name == "typing.Optional":
        arguments = tuple(argument for argument in arguments if argument is not types.NoneType)
    if not arguments:
        return name
    if name.startswith("typing."):  # typing takes List[int | str] and List[Union[int, str]] for the same object
        arguments = tuple(
            Union[typing.get_args(argument)] if isinstance(argument, types.UnionType) else argument  # noqa: UP007
            for argument in arguments
        )
    return f"{name}[{_join(arguments)}]"


def _join(targets: Iterable[Annotation], separator: str = ", ") -> str:
    return separator.join(map(serialize_type, targets))


def _get_name(target: Annotation) -> str:
    module = getattr(target, "__module__", "builtins")
    name = getattr(target, "__name__", None) or str(target).removeprefix("typing.").partition("[")[0]
    return name if module == "builtins" else f"{module}.{name}"


def deserialize_type(type_str: str) -> Any:
    """Return a type from its text.

    :param type_str: the text, with names of built-in types, of ``typing`` and ``collections``, and
        of the classes that serialised pipelines may name (see
        `spaniel.core.serialization.allow_deserialization_module`).
    :raises DeserializationError: the text is not a type, or names an unknown type; no module is
        imported then.

    >>> deserialize_type("dict[str, typing.Any]")
    dict[str, typing.Any]
    """
    shown = reprlib.repr(type_str)
    try:
        return _build(ast.parse(type_str, mode="eval").body)
    except DeserializationError as error:
        raise DeserializationError(f"The type {shown} can't be built: {error}") from error
    except (SyntaxError, ValueError, TypeError, AttributeError, RecursionError, MemoryError) as error:
        raise DeserializationError(f"{shown} is not a type, such as 'list[str]': {error}") from error


def _build(node: ast.expr) -> Annotation:
    match node:
        case ast.Name() | ast.Attribute():
            return _resolve_name(ast.unparse(node))
        case ast.BinOp(left, ast.BitOr(), right):
            return _build(left) | _build(right)
        case ast.List(items):
            return list(map(_build, items))
        case ast.Constant(value) if value is None or value is ...:
            return value
        case ast.Constant(value):
            raise DeserializationError(f"{value!r} is a value.")
        case ast.Subscript(origin, parameters):
            return _build_generic(_build(origin), parameters)
    raise DeserializationError(f"'{ast.unparse(node)}' is not part of a type.")


def _build_generic(origin: Annotation, parameters: ast.expr) -> Annotation:
    if origin is Literal:
        return Literal[ast.literal_eval(parameters)]
    if not isinstance(parameters, ast.Tuple):
        return origin[_build(parameters)]
    arguments = tuple(map(_build, parameters.elts))
    return origin[arguments if len(arguments) > 1 else arguments[0]]


def _resolve_name(name: str) -> Annotation:
    if name in _SPECIAL_NAMES:
        return _SPECIAL_NAMES[name]
    module, _, attribute = name.rpartition(".")
    owners = [builtins, typing] if not module else filter(None, [_STANDARD_MODULES.get(module)])
    for owner in owners:
        found = getattr(owner, attribute, None)
        is_function = isinstance(found, (types.FunctionType, types.BuiltinFunctionType))
        if isinstance(found, type) or (owner is typing and attribute in typing.__all__ and not is_function):
            return found
    return resolve_class(name)


class TypeParameter(Serializable):
    """Base of the components with a parameter that is a type, which is serialised as its name."""

    _type_parameter: ClassVar[str]

    def _init_parameters(self) -> JsonObject:
        written = super()._init_parameters()
        value = written[self._type_parameter]
        return {**written, self._type_parameter: None if value is None else serialize_type(value)}

    @classmethod
    def from_dict(cls, data: JsonObject) -> Self:
        """Return the component that `to_dict` wrote."""
        parameters = data.get("init_parameters") or {}
        if isinstance(name := parameters.get(cls._type_parameter), str):
            data = {**data, "init_parameters": {**parameters, cls._type_parameter: deserialize_type(name)}}
        return default_from_dict(cls, data)
