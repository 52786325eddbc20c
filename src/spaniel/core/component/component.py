"""The ``@component`` decorator: a class whose ``run`` method can be wired to others."""

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ParamSpec, Protocol, TypeVar, overload, runtime_checkable

from spaniel.core.component.sockets import InputSocket, Mandatory, OutputSocket, Sockets, sockets_of_signature
from spaniel.errors import ComponentError

ClassT = TypeVar("ClassT", bound=type)
P = ParamSpec("P")
R = TypeVar("R")

_OUTPUTS = "__spaniel_outputs__"
_INPUTS = "__spaniel_inputs__"
_MARK = "__spaniel_component__"
OWNER = "__spaniel_pipeline__"
"""Where a component keeps a weak reference to the pipeline that it is part of."""


@runtime_checkable
class Component(Protocol):
    """Anything with a ``run`` method that takes named inputs and returns a mapping of named outputs."""

    def run(self, *args: Any, **kwargs: Any) -> Mapping[str, Any]:
        """Return the outputs by name."""
        ...


class _ComponentDecorator:
    """Marks classes as components, and declares their sockets.

    >>> from spaniel import component
    >>> @component
    ... class Shout:
    ...     @component.output_types(text=str)
    ...     def run(self, text: str) -> dict[str, str]:
    ...         return {"text": text.upper()}
    >>> Shout().run("hello")
    {'text': 'HELLO'}
    """

    def __init__(self) -> None:
        self.registry: dict[str, type] = {}

    @overload
    def __call__(self, cls: ClassT) -> ClassT: ...
    @overload
    def __call__(self) -> Callable[[ClassT], ClassT]: ...
    def __call__(self, cls: ClassT | None = None) -> ClassT | Callable[[ClassT], ClassT]:
        """Return the class, checked and registered under its module path.

        A ``run_async`` that does not match ``run`` is an error when an object is made.

        :raises ComponentError: it has no ``run``.
        """
        return self._register if cls is None else self._register(cls)

    def output_types(self, **types: Any) -> Callable[[Callable[P, R]], Callable[P, R]]:
        """Return a decorator that declares what ``run`` or ``run_async`` gives: names and types.

        :raises ComponentError: used on another method.
        """

        def declare(method: Callable[P, R]) -> Callable[P, R]:
            if method.__name__ not in ("run", "run_async"):
                raise ComponentError(f"output_types belongs on 'run' and 'run_async', not on '{method.__name__}'.")
            setattr(method, _OUTPUTS, {name: OutputSocket(name, type_) for name, type_ in types.items()})
            return method

        return declare

    def set_output_types(self, instance: Any, /, **types: Any) -> None:
        """Declare the outputs of one instance, where they depend on its constructor's arguments.

        :raises ComponentError: the class has declared them with `output_types` already.
        """
        if any(hasattr(getattr(instance, method, None), _OUTPUTS) for method in ("run", "run_async")):
            raise ComponentError(
                f"Cannot call `set_output_types` on {type(instance).__name__}: it has declared its outputs with output_types."
            )
        instance.__dict__[_OUTPUTS] = {name: OutputSocket(name, type_) for name, type_ in types.items()}

    def set_input_type(self, instance: Any, name: str, type: Any, default: Any = Mandatory) -> None:
        """Declare one more input of an instance whose ``run`` takes ``**kwargs``.

        :raises ComponentError: its ``run`` takes no ``**kwargs``, or has another parameter of this name.
        """
        parameters = inspect.signature(instance.run).parameters
        if not any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values()):
            raise ComponentError(
                f"Inputs can't be set: run() of {instance.__class__.__name__} doesn't have a kwargs parameter (**kwargs)."
            )
        socket = InputSocket(name, type, default)
        if name in parameters and sockets_of_signature(instance.__class__.run).get(name) != socket:
            raise ComponentError(
                f"set_input_type cannot override the parameters of the 'run' method: {instance.__class__.__name__} has '{name}'."
            )
        instance.__dict__.setdefault(_INPUTS, {})[name] = socket

    def set_input_types(self, instance: Any, /, **types: Any) -> None:
        """Declare all inputs beside the named parameters of ``run``; each is mandatory."""
        instance.__dict__[_INPUTS] = {}
        for name, type_ in types.items():
            self.set_input_type(instance, name, type_)

    def _register(self, cls: ClassT) -> ClassT:
        if not callable(getattr(cls, "run", None)):
            raise ComponentError(f"{cls.__name__} must have a 'run()' method to be a component.")
        if fault := _fault_of_twin(cls):
            _refuse_objects(cls, fault)
        for name, value in _SHOWN.items():
            setattr(cls, name, value)
        if getattr(cls, "__repr__", None) is object.__repr__:
            setattr(cls, "__repr__", _shown)  # noqa: B010 (mypy takes it for an assignment to a method)
        setattr(cls, _MARK, True)
        self.registry[f"{cls.__module__}.{cls.__name__}"] = cls
        return cls


def _refuse_objects(cls: Any, fault: str) -> None:
    """Let no object be made, as in Haystack, where a module with a faulty class can still be imported."""
    original = cls.__init__

    @functools.wraps(original)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807 (it becomes the constructor)
        original(self, *args, **kwargs)  # what it does wrongly itself is told first
        raise ComponentError(fault)

    cls.__init__ = __init__


def _fault_of_twin(cls: Any) -> str:
    """Return what is wrong with ``run_async``, or nothing."""
    if not hasattr(cls, "run_async"):
        return ""
    if not inspect.iscoroutinefunction(cls.run_async):
        return f"'run_async' of {cls.__name__} must be a coroutine (async def)."
    sync, twin = (list(inspect.signature(method).parameters.values()) for method in (cls.run, cls.run_async))
    if sync != twin:
        differences = "\n".join(_differences(sync, twin))
        return f"Parameters of 'run' and 'run_async' methods must be the same in {cls.__name__}:\n{differences}"
    if getattr(cls.run, _OUTPUTS, {}) != getattr(cls.run_async, _OUTPUTS, {}):
        return f"Output type specifications of 'run' and 'run_async' methods must be the same in {cls.__name__}."
    return ""


def _differences(sync: list[inspect.Parameter], twin: list[inspect.Parameter]) -> Iterator[str]:
    if len(sync) != len(twin):
        yield f"Different number of parameters: {len(sync)} in run, {len(twin)} in run_async"
    for one, other in zip(sync, twin, strict=False):
        for what, attribute in _COMPARED.items():
            ours, theirs = getattr(one, attribute), getattr(other, attribute)
            if ours != theirs:
                yield f"Parameter '{one.name}': {what} mismatch: {ours} in run, {theirs} in run_async"


_COMPARED = {
    "name": "name",
    "type": "annotation",
    "default value": "default",
    "kind (POSITIONAL, KEYWORD, etc.)": "kind",
}
"""What two parameters are compared by, and the attribute that holds it."""


component = _ComponentDecorator()


def is_component(instance: object) -> bool:
    """Return whether an object's class is marked with ``@component``."""
    return getattr(type(instance), _MARK, False)


def get_input_sockets(instance: Component) -> Mapping[str, InputSocket]:
    """Return the input sockets of a component by name."""
    return {**sockets_of_signature(type(instance).run), **instance.__dict__.get(_INPUTS, {})}


def get_output_sockets(instance: Component) -> Mapping[str, OutputSocket]:
    """Return the output sockets of a component by name."""
    own = instance.__dict__.get(_OUTPUTS)
    return own if own is not None else getattr(type(instance).run, _OUTPUTS, {})


def get_pipeline(instance: object) -> Any:
    """Return the pipeline that a component is part of, or None."""
    return getattr(instance, "__dict__", {}).get(OWNER, lambda: None)()


def _shown(self: Any) -> str:
    pipeline = get_pipeline(self)
    name = [] if pipeline is None else [pipeline.get_component_name(self)]
    return "\n".join([object.__repr__(self), *name, repr(self.__haystack_input__), repr(self.__haystack_output__)])


def _sockets_of(instance: Any, own: Callable[[Any], Mapping[str, Any]], kind: Any) -> Sockets:
    """Return the sockets; in a pipeline, with what is connected to them."""
    if (pipeline := get_pipeline(instance)) is None:
        return Sockets(instance, own(instance), kind)
    node = pipeline.graph.nodes[pipeline.get_component_name(instance)]
    return Sockets(instance, node["input_sockets" if kind is InputSocket else "output_sockets"], kind)


_SHOWN = {
    "__haystack_input__": property(lambda self: _sockets_of(self, get_input_sockets, InputSocket)),
    "__haystack_output__": property(lambda self: _sockets_of(self, get_output_sockets, OutputSocket)),
    "__haystack_supports_async__": property(lambda self: hasattr(self, "run_async")),
    "__haystack_added_to_pipeline__": property(get_pipeline),
}
"""What code that was written for Haystack's components asks of one. To be read only: `component` declares sockets."""
