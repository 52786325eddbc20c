"""Adapter: a component of Haystack in a pipeline of Spaniel."""

from typing import Any, Self

from haystack.core.component.component import component as their_component
from haystack.core.serialization import component_to_dict

from spaniel.core.component import GreedyVariadic, Variadic, component
from spaniel.core.component.sockets import Mandatory
from spaniel.errors import ComponentError
from spaniel.interop.haystack.annotations import type_from_haystack
from spaniel.interop.haystack.boundary import FROM_SPANIEL

_OPTIONAL_METHODS = ("warm_up", "warm_up_async", "close", "close_async")


@component
class HaystackComponent:
    """A component of Haystack for pipelines of Spaniel.

    Its inputs and outputs have the same names, and our types. It is serialized under Haystack's
    type name; load such a pipeline with ``foreign=True``.

    :param component: an object of a class that is decorated with Haystack's ``@component``.
    :raises ComponentError: it is not one.

    >>> from haystack.components.builders import PromptBuilder
    >>> from spaniel import Document
    >>> prompt = HaystackComponent(PromptBuilder("{{ documents[0].content }}?", required_variables="*"))
    >>> prompt.run(documents=[Document(content="a brown dog")])
    {'prompt': 'a brown dog?'}
    """

    def __new__(cls, component: Any) -> Self:
        """Return an object of a class named like the component's class, for errors and pictures."""
        named: type[Self] = type(
            type(component).__name__, (cls,), {"__module__": cls.__module__, "__doc__": cls.__doc__}
        )
        return object.__new__(named)

    def __init__(self, component: Any) -> None:
        if not is_their_class(type(component)):
            raise ComponentError(f"HaystackComponent takes a component of Haystack, not {component!r:.100}.")
        self.component = component
        _declare_sockets(self, component)

    def __getattr__(self, name: str) -> Any:
        theirs = self.__dict__.get("component")
        if name in _OPTIONAL_METHODS and hasattr(theirs, name):
            return getattr(theirs, name)
        if name == "run_async" and getattr(theirs, "__haystack_supports_async__", False):
            return self._run_async
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)

    def __reduce__(self) -> tuple[Any, tuple[Any]]:  # for `copy` and `pickle`
        return HaystackComponent, (self.component,)

    def run(self, *args: Any, **inputs: Any) -> dict[str, Any]:
        """Run the component, with inputs by name or in the order of its ``run``."""
        return FROM_SPANIEL.wrap(self.component.run)(*args, **inputs)  # type: ignore[no-any-return]  # the pipeline checks it

    async def _run_async(self, *args: Any, **inputs: Any) -> dict[str, Any]:
        return await FROM_SPANIEL.wrap(self.component.run_async)(*args, **inputs)  # type: ignore[no-any-return]  # as above

    def to_dict(self) -> dict[str, Any]:
        """Serialize the component under Haystack's type name."""
        return component_to_dict(self.component, type(self).__name__)


def is_their_class(cls: object) -> bool:
    """Return if a class is decorated with Haystack's ``@component``."""
    return any(cls is known for known in their_component.registry.values())


def _declare_sockets(ours: Any, theirs: Any) -> None:
    for name, socket in _sockets(theirs.__haystack_input__):
        default = Mandatory if socket.is_mandatory else socket.default_value
        item = type_from_haystack(socket.type)
        variadic: Any = GreedyVariadic if socket.is_greedy else Variadic
        component.set_input_type(ours, name, variadic[item] if socket.is_variadic else item, default)
    outputs = {name: type_from_haystack(socket.type) for name, socket in _sockets(theirs.__haystack_output__)}
    component.set_output_types(ours, **outputs)


def _sockets(sockets: Any) -> Any:
    return sockets._sockets_dict.items()  # noqa: SLF001 (there is no public way to list them)
