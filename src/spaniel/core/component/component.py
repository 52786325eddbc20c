"""The ``@component`` decorator: a class whose ``run`` method can be wired to others."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, Protocol, TypeVar, overload, runtime_checkable

from spaniel.core.component.sockets import InputSocket, Mandatory, OutputSocket, input_socket, sockets_of_signature
from spaniel.errors import ComponentError

ClassT = TypeVar("ClassT", bound=type)
P = ParamSpec("P")
R = TypeVar("R")

_OUTPUTS = "__spaniel_outputs__"
_INPUTS = "__spaniel_inputs__"
_MARK = "__spaniel_component__"


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

        :raises ComponentError: it has no ``run``, or its ``run_async`` does not match ``run``.
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
            raise ComponentError(f"{type(instance).__name__} has declared its outputs with output_types already.")
        instance.__dict__[_OUTPUTS] = {name: OutputSocket(name, type_) for name, type_ in types.items()}

    def set_input_type(self, instance: Any, name: str, type: Any, default: Any = Mandatory) -> None:
        """Declare one more input of an instance whose ``run`` takes ``**kwargs``.

        :raises ComponentError: its ``run`` takes no ``**kwargs``, or has a parameter of this name.
        """
        parameters = inspect.signature(instance.run).parameters
        if not any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values()):
            raise ComponentError(
                f"Inputs can be set only where run() takes **kwargs; {instance.__class__.__name__}.run does not."
            )
        if name in parameters:
            raise ComponentError(f"'{name}' is a parameter of run() of {instance.__class__.__name__} already.")
        instance.__dict__.setdefault(_INPUTS, {})[name] = input_socket(name, type, default)

    def set_input_types(self, instance: Any, /, **types: Any) -> None:
        """Declare all inputs beside the named parameters of ``run``; each is mandatory."""
        instance.__dict__[_INPUTS] = {}
        for name, type_ in types.items():
            self.set_input_type(instance, name, type_)

    def _register(self, cls: ClassT) -> ClassT:
        if not callable(getattr(cls, "run", None)):
            raise ComponentError(f"{cls.__name__} must have a 'run' method to be a component.")
        if hasattr(cls, "run_async"):
            _check_twin(cls)
        setattr(cls, _MARK, True)
        self.registry[f"{cls.__module__}.{cls.__name__}"] = cls
        return cls


def _check_twin(cls: Any) -> None:
    if not inspect.iscoroutinefunction(cls.run_async):
        raise ComponentError(f"'run_async' of {cls.__name__} must be a coroutine (async def).")
    sync, twin = inspect.signature(cls.run), inspect.signature(cls.run_async)
    if list(sync.parameters.values()) != list(twin.parameters.values()):
        raise ComponentError(f"'run' and 'run_async' of {cls.__name__} differ in their parameters: {sync} and {twin}.")
    if getattr(cls.run, _OUTPUTS, {}) != getattr(cls.run_async, _OUTPUTS, {}):
        raise ComponentError(f"'run' and 'run_async' of {cls.__name__} differ in their output types.")


component = _ComponentDecorator()


def is_component(instance: object) -> bool:
    """Return whether an object's class is marked with ``@component``."""
    return getattr(type(instance), _MARK, False)


def inputs_of(instance: Component) -> Mapping[str, InputSocket]:
    """Return the input sockets of a component by name."""
    return {**sockets_of_signature(type(instance).run), **instance.__dict__.get(_INPUTS, {})}


def outputs_of(instance: Component) -> Mapping[str, OutputSocket]:
    """Return the output sockets of a component by name."""
    own = instance.__dict__.get(_OUTPUTS)
    return own if own is not None else getattr(type(instance).run, _OUTPUTS, {})
