"""What a component takes and gives: named, typed sockets."""

import inspect
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Annotated, Any, TypeVar

from spaniel.core.component.annotations import format_type
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
    :param type: what one sender gives; for a variadic input the type of one item. ``Variadic[int]`` becomes that by itself.
    :param default_value: its default value, or `Mandatory`.
    :param variadic: ``""``, `LAZY` or `GREEDY`.
    :param senders: the components that feed it, in the `graph` of a pipeline.
    :raises ComponentError: a variadic annotation names no item type.
    """

    name: str
    type: Any
    default_value: Any = Mandatory
    variadic: str = ""
    senders: list[str] = field(default_factory=list, kw_only=True, compare=False)

    def __post_init__(self) -> None:
        variadic = getattr(self.type, "__metadata__", ("",))[0]
        if variadic not in (LAZY, GREEDY):
            return
        items = typing.get_args(typing.get_args(self.type)[0])
        if not items or isinstance(items[0], TypeVar):
            raise ComponentError(f"The variadic input '{self.name}' must have a type argument, such as Variadic[int].")
        object.__setattr__(self, "type", items[0])  # frozen for all others
        object.__setattr__(self, "variadic", variadic)

    @property
    def is_mandatory(self) -> bool:
        """Whether a value must be given."""
        return self.default_value is Mandatory

    @property
    def is_lazy_variadic(self) -> bool:
        """Whether it waits for all of its senders."""
        return self.variadic == LAZY

    @property
    def is_greedy(self) -> bool:
        """Whether the first of its senders is enough."""
        return self.variadic == GREEDY

    @property
    def is_variadic(self) -> bool:
        """Whether several senders may feed it."""
        return self.variadic != ""


@dataclass(frozen=True)
class OutputSocket:
    """An output of a component.

    :param name: its name among the keys that ``run`` returns.
    :param type: what it is.
    :param receivers: the components that take it, in the `graph` of a pipeline.
    """

    name: str
    type: Any
    receivers: list[str] = field(default_factory=list, kw_only=True, compare=False)


class Sockets:
    """The inputs or the outputs of one component, by name and as attributes.

    :param component: the component.
    :param sockets_dict: its sockets by name.
    :param sockets_io_type: `InputSocket` or `OutputSocket`: what the sockets are, also where there are none.

    >>> Sockets(None, {"query": InputSocket("query", str)}, InputSocket)
    Inputs:
      - query: str
    """

    def __init__(
        self,
        component: Any,
        sockets_dict: Mapping[str, InputSocket] | Mapping[str, OutputSocket],
        sockets_io_type: type[InputSocket] | type[OutputSocket],
    ) -> None:
        self._component = component
        self._sockets_dict: dict[str, InputSocket | OutputSocket] = {**sockets_dict}
        self._sockets_io_type = sockets_io_type
        self.__dict__.update(sockets_dict)

    def get(self, key: str, default: Any = None) -> Any:
        """Return the socket of a name, or what stands for one that is missing."""
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

    __hash__ = None  # type: ignore[assignment]  # Python's way to say that a class with __eq__ has no hash

    def __repr__(self) -> str:
        title = "Inputs:" if self._sockets_io_type is InputSocket else "Outputs:"
        lines = [f"  - {name}: {format_type(socket.type)}" for name, socket in self._sockets_dict.items()]
        return "\n".join([title, *lines])


def sockets_of_signature(run: Callable[..., Any]) -> Mapping[str, InputSocket]:
    """Return one input socket for each named parameter of `run`, ``self`` left out."""
    annotations = _annotations(run)
    named = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    sockets = {}
    for name, parameter in inspect.signature(run).parameters.items():
        if name == "self" or parameter.kind not in named:
            continue
        default = Mandatory if parameter.default is inspect.Parameter.empty else parameter.default
        sockets[name] = InputSocket(name, annotations.get(name, Any), default)
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
