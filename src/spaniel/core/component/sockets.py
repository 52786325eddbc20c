"""What a component takes and gives: named, typed sockets."""

import inspect
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Annotated, Any, TypeVar

from spaniel.errors import ComponentError

T = TypeVar("T")

LAZY = "spaniel.variadic"
GREEDY = "spaniel.greedy_variadic"

Variadic = Annotated[Iterable[T], LAZY]
"""Type of an input that several senders may feed; the component runs when all of them have."""

GreedyVariadic = Annotated[Iterable[T], GREEDY]
"""Type of an input that several senders may feed; the component runs as soon as one of them has."""


class Mandatory:
    """Marks an input without a default value."""


@dataclass(frozen=True)
class InputSocket:
    """An input of a component.

    :param name: the parameter's name in ``run``.
    :param type: what one sender gives; for a variadic input the type of one item.
    :param default_value: its default value, or `Mandatory`.
    :param variadic: ``""``, `LAZY` or `GREEDY`.
    """

    name: str
    type: Any
    default_value: Any = Mandatory
    variadic: str = ""

    @property
    def is_mandatory(self) -> bool:
        """Whether a value must be given."""
        return self.default_value is Mandatory


@dataclass(frozen=True)
class OutputSocket:
    """An output of a component: its name among the keys that ``run`` returns, and its type."""

    name: str
    type: Any


def input_socket(name: str, annotation: Any, default: Any = Mandatory) -> InputSocket:
    """Return the socket for a parameter of ``run``.

    :raises ComponentError: a variadic annotation names no item type.
    """
    variadic = getattr(annotation, "__metadata__", ("",))[0]
    if variadic not in (LAZY, GREEDY):
        return InputSocket(name, annotation, default)
    items = typing.get_args(typing.get_args(annotation)[0])
    if not items or isinstance(items[0], TypeVar):
        raise ComponentError(f"The variadic input '{name}' needs the type of its items, such as Variadic[int].")
    return InputSocket(name, items[0], default, variadic)


def sockets_of_signature(run: Callable[..., Any]) -> Mapping[str, InputSocket]:
    """Return one input socket for each named parameter of `run`, ``self`` left out."""
    annotations = _annotations(run)
    named = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    sockets = {}
    for name, parameter in inspect.signature(run).parameters.items():
        if name == "self" or parameter.kind not in named:
            continue
        default = Mandatory if parameter.default is inspect.Parameter.empty else parameter.default
        sockets[name] = input_socket(name, annotations.get(name, Any), default)
    return sockets


def _annotations(run: Callable[..., Any]) -> Mapping[str, Any]:
    try:
        return typing.get_type_hints(run, include_extras=True)
    except NameError:  # a name that is only imported for type checkers; the other annotations still have a meaning
        return {name: _resolved(text, run) for name, text in inspect.get_annotations(inspect.unwrap(run)).items()}


def _resolved(annotation: Any, run: Callable[..., Any]) -> Any:
    holder = SimpleNamespace(__annotations__={"it": annotation})
    try:
        return typing.get_type_hints(holder, inspect.unwrap(run).__globals__, include_extras=True)["it"]
    except NameError:
        return annotation
