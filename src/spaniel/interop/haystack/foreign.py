"""Haystack's components and stores as ours: what a pipeline takes from there, and what a program hands over itself."""

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any

from haystack.core.component.component import component as their_component
from haystack.core.component.types import InputSocket as TheirSocket
from haystack.core.pipeline import Pipeline as TheirPipeline
from haystack.core.serialization import component_to_dict, default_from_dict, import_class_by_name
from haystack.version import __version__

from spaniel.core.component import GreedyVariadic, Variadic, component
from spaniel.core.component.sockets import Mandatory
from spaniel.core.haystack_names import what_to_do
from spaniel.errors import ComponentError, DeserializationError
from spaniel.interop.haystack.documents import from_haystack, to_haystack
from spaniel.interop.haystack.types import type_from_haystack

_FIRST_SAFE = 3  # older versions import whatever a file names
_DELEGATED = ("warm_up", "warm_up_async", "close", "close_async")


@component
class HaystackComponent:
    """A component of Haystack that runs in a pipeline of ours: documents and types are turned into the other's and back.

    :param component: an object of a class that is decorated with Haystack's ``@component``.
    :raises ComponentError: it is none.

    >>> from haystack.components.builders import PromptBuilder
    >>> from spaniel import Document
    >>> prompt = HaystackComponent(PromptBuilder("{{ documents[0].content }}"))
    >>> prompt.run(documents=[Document(content="a brown dog")])
    {'prompt': 'a brown dog'}
    """

    def __init__(self, component: Any) -> None:
        if not is_theirs(component):
            raise ComponentError(f"{type(component).__name__} is no component of Haystack.")
        self.component = component
        _declare_sockets(self, component)

    def __new__(cls, component: Any) -> "HaystackComponent":
        """Return an object of a class that has the name of the component's class, as errors and pictures show it."""
        return object.__new__(_named_after(cls, type(component).__name__))

    def __getattr__(self, name: str) -> Any:  # what not every component has
        theirs = self.__dict__.get("component")
        if name in _DELEGATED:
            return getattr(theirs, name)
        if name == "run_async" and getattr(theirs, "__haystack_supports_async__", False):
            return self._run_async
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)

    def run(self, **given: Any) -> dict[str, Any]:
        """Return the outputs of the component.

        :param given: its inputs.
        """
        return _outputs(self.component.run(**to_haystack(given)))

    async def _run_async(self, **given: Any) -> dict[str, Any]:
        return _outputs(await self.component.run_async(**to_haystack(given)))

    def to_dict(self) -> dict[str, Any]:
        """Return the component as plain data, under Haystack's name for it."""
        return component_to_dict(self.component, type(self).__name__)


@cache
def _named_after(base: type, name: str) -> type:
    return type(name, (base,), {"__module__": base.__module__, "__doc__": base.__doc__})


def _outputs(given: Any) -> Any:
    return from_haystack(dict(given)) if isinstance(given, Mapping) else given


def _declare_sockets(ours: Any, theirs: Any) -> None:
    for name, socket in theirs.__haystack_input__._sockets_dict.items():
        default = Mandatory if socket.is_mandatory else socket.default_value
        component.set_input_type(ours, name, _input_type(socket), default)
    outputs = theirs.__haystack_output__._sockets_dict
    component.set_output_types(ours, **{name: type_from_haystack(socket.type) for name, socket in outputs.items()})


def _input_type(socket: TheirSocket) -> Any:
    item = type_from_haystack(socket.type)
    variadic = GreedyVariadic if socket.is_greedy else Variadic if socket.is_lazy_variadic else Annotated[Any, ""]
    return variadic[item] if socket.is_variadic else item


def is_theirs(instance: object) -> bool:
    """Return whether an object is a component of Haystack."""
    return type(instance) in their_component.registry.values()


def fault(name: str) -> str:
    """Return why a type can't be taken from Haystack, with what to do; nothing if it can.

    :param name: ``module.ClassName``, in a package of Haystack; its module is imported.
    """
    if int(__version__.partition(".")[0]) < _FIRST_SAFE:
        return f"foreign=True needs haystack-ai 3 or later, not {__version__}: older versions import whatever a file names."
    try:
        found = import_class_by_name(name)
    except Exception as error:  # noqa: BLE001 (whatever an optional package raises where it can't be imported)
        return f"The type '{name}' is not in what is installed of Haystack ({error}). {_remedy(name)}"
    if found in their_component.registry.values() or _is_store(found):
        return ""
    return f"The type '{name}' is no component and no document store of Haystack, so it is not built."


def _remedy(name: str) -> str:
    if name.startswith("haystack."):
        return f"haystack-ai is {__version__}: if another version has it, install that, or put a newer component in its place."
    return what_to_do(name)


def _is_store(cls: Any) -> bool:
    return isinstance(cls, type) and all(
        callable(getattr(cls, name, None)) for name in ("filter_documents", "write_documents", "from_dict")
    )


def build(data: Mapping[str, Any]) -> Any:
    """Return the component or store that data of Haystack describes, as one of ours.

    Haystack builds it by its own rules: of what the parameters name, it imports modules of its packages only.

    :param data: ``{"type": ..., "init_parameters": {...}}``.
    :raises DeserializationError: it can't be built.
    """
    cls = import_class_by_name(data["type"])
    if _is_store(cls):
        raise DeserializationError("not yet")
    described = {**data, "init_parameters": data.get("init_parameters") or {}}
    return HaystackComponent(_built_component(cls, described))


def _built_component(cls: type, data: dict[str, Any]) -> Any:
    return cls.from_dict(data) if hasattr(cls, "from_dict") else default_from_dict(cls, data)


def adopted(instance: Any) -> Any:
    """Return a component of Haystack as one of ours; anything else stays itself."""
    return HaystackComponent(instance) if is_theirs(instance) else instance
