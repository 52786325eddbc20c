"""Sockets: the named, typed inputs and outputs of a component."""

import inspect
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Annotated, Any, TypeVar

from spaniel.core.component.annotations import Annotation, Value, format_type
from spaniel.errors import ComponentError

T = TypeVar("T")

LAZY = "spaniel.variadic"
GREEDY = "spaniel.greedy_variadic"

Variadic = Annotated[Iterable[T], LAZY]
"""Type of an input with several senders; the component runs when all of them have run."""

GreedyVariadic = Annotated[Iterable[T], GREEDY]
"""Type of an input with several senders; the component runs on the first value."""


class Mandatory:
    """The default value of an input that has none."""


@dataclass(frozen=True)
class InputSocket:
    """An input of a component.

    :param name: the name of the parameter of ``run``.
    :param type: the type of a value; ``Variadic[int]`` becomes ``int`` with `variadic` set.
    :param default_value: the default value, or `Mandatory`.
    :param variadic: ``""``, `LAZY` or `GREEDY`.
    :param senders: the names of its senders, in the `graph` of a pipeline.
    :raises ComponentError: a variadic annotation has no type argument.
    """

    name: str
    type: Annotation
    default_value: Value = Mandatory
    variadic: str = ""
    senders: list[str] = field(default_factory=list, kw_only=True, compare=False)

    def __post_init__(self) -> None:
        variadic = getattr(self.type, "__metadata__", ("",))[0]
        if variadic not in (LAZY, GREEDY):
            return
        items = typing.get_args(typing.get_args(self.type)[0])
        if not items or isinstance(items[0], TypeVar):
            raise ComponentError(f"The variadic input '{self.name}' must have a type argument, such as Variadic[int].")
        object.__setattr__(self, "type", items[0])
        object.__setattr__(self, "variadic", variadic)

    @property
    def is_mandatory(self) -> bool:
        """True without a default value."""
        return self.default_value is Mandatory

    @property
    def is_lazy_variadic(self) -> bool:
        """True if the component waits for all senders."""
        return self.variadic == LAZY

    @property
    def is_greedy(self) -> bool:
        """True if the component runs on the first value."""
        return self.variadic == GREEDY

    @property
    def is_variadic(self) -> bool:
        """True if several senders are allowed."""
        return self.variadic != ""


@dataclass(frozen=True)
class OutputSocket:
    """An output of a component; `receivers` are set in the `graph` of a pipeline."""

    name: str
    type: Annotation
    receivers: list[str] = field(default_factory=list, kw_only=True, compare=False)


class Sockets:
    """The inputs or the outputs of a component, by name and as attributes.

    >>> Sockets(None, {"query": InputSocket("query", str)}, InputSocket)
    Inputs:
      - query: str
    """

    def __init__(
        self,
        component: object,
        sockets_dict: Mapping[str, InputSocket] | Mapping[str, OutputSocket],
        sockets_io_type: type[InputSocket] | type[OutputSocket],
    ) -> None:
        self._component = component
        self._sockets_dict: dict[str, InputSocket | OutputSocket] = {**sockets_dict}
        self._sockets_io_type = sockets_io_type
        self.__dict__.update(sockets_dict)

    def get(self, key: str, default: T | None = None) -> InputSocket | OutputSocket | T | None:
        """Return a socket by name, or the default."""
        return self._sockets_dict.get(key, default)

    def __contains__(self, key: str) -> bool:
        return key in self._sockets_dict

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Sockets)
            and self._sockets_io_type is other._sockets_io_type
            and self._component is other._component
            and self._sockets_dict == other._sockets_dict
        )

    __hash__ = None  # type: ignore[assignment]  # Python's declaration of a class without a hash

    def __repr__(self) -> str:
        title = "Inputs:" if self._sockets_io_type is InputSocket else "Outputs:"
        lines = [f"  - {name}: {format_type(socket.type)}" for name, socket in self._sockets_dict.items()]
        return "\n".join([title, *lines])


def build_input_sockets(run: Callable[..., object]) -> Mapping[str, InputSocket]:
    """Return an input socket for each named parameter of `run` except ``self``."""
    annotations = _resolve_annotations(run)
    sockets = {}
    for name, parameter in inspect.signature(run).parameters.items():
        if name == "self" or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        default = Mandatory if parameter.default is parameter.empty else parameter.default
        sockets[name] = InputSocket(name, annotations.get(name, Any), default)
    return sockets


def _resolve_annotations(run: Callable[..., object]) -> Mapping[str, Annotation]:
    try:
        return typing.get_type_hints(run, include_extras=True)
    except NameError:  # a name that is imported for type checkers only; the other annotations can be resolved
        annotations = inspect.get_annotations(inspect.unwrap(run))
        return {name: _resolve_annotation(annotation, run) for name, annotation in annotations.items()}


def _resolve_annotation(annotation: Annotation, run: Callable[..., object]) -> Annotation:
    holder = SimpleNamespace(__annotations__={"it": annotation})
    try:
        return typing.get_type_hints(holder, inspect.unwrap(run).__globals__, include_extras=True)["it"]
    except NameError:
        return annotation
