"""The ``@component`` decorator."""

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ParamSpec, Protocol, TypeGuard, TypeVar, overload, runtime_checkable

from spaniel.core.component.annotations import Annotation, Value
from spaniel.core.component.sockets import InputSocket, Mandatory, OutputSocket, Sockets, build_input_sockets
from spaniel.errors import ComponentError

ClassT = TypeVar("ClassT", bound=type)
P = ParamSpec("P")
R = TypeVar("R")

_OUTPUTS = "__spaniel_outputs__"
_INPUTS = "__spaniel_inputs__"
_MARK = "__spaniel_component__"
OWNER = "__spaniel_pipeline__"
"""The attribute of a component with a weak reference to its pipeline."""


@runtime_checkable
class Component(Protocol):
    """An object whose ``run`` takes named inputs and returns a mapping of named outputs."""

    def run(self, *args: Value, **kwargs: Value) -> Mapping[str, Value]:
        """Return the outputs by name."""


class _ComponentDecorator:
    """Registers classes as components, and declares their sockets.

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
        """Register a class under its module path, and return it.

        A ``run_async`` that differs from ``run`` is an error of the constructor.

        :raises ComponentError: the class has no ``run``.
        """
        return self._register if cls is None else self._register(cls)

    def output_types(self, **types: Annotation) -> Callable[[Callable[P, R]], Callable[P, R]]:
        """Return a decorator that declares the names and types of the outputs of ``run`` or
        ``run_async``.

        :raises ComponentError: it decorates another method.
        """

        def declare(method: Callable[P, R]) -> Callable[P, R]:
            if method.__name__ not in ("run", "run_async"):
                raise ComponentError(f"output_types belongs on 'run' and 'run_async', not on '{method.__name__}'.")
            setattr(method, _OUTPUTS, _make_output_sockets(types))
            return method

        return declare

    def set_output_types(self, instance: object, /, **types: Annotation) -> None:
        """Declare the outputs of an instance, if they depend on the arguments of its constructor.

        :raises ComponentError: the class has declared them with `output_types`.
        """
        if any(hasattr(getattr(instance, method, None), _OUTPUTS) for method in ("run", "run_async")):
            raise ComponentError(
                f"Cannot call `set_output_types` on {type(instance).__name__}: it has declared its outputs with output_types."
            )
        instance.__dict__[_OUTPUTS] = _make_output_sockets(types)

    def set_input_type(self, instance: Component, name: str, type: Annotation, default: Value = Mandatory) -> None:
        """Declare another input of an instance whose ``run`` takes ``**kwargs``.

        :raises ComponentError: its ``run`` takes no ``**kwargs``, or has a different parameter of
            this name.
        """
        parameters = inspect.signature(instance.run).parameters
        if not any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values()):
            raise ComponentError(
                f"Inputs can't be set: run() of {instance.__class__.__name__} doesn't have a kwargs parameter (**kwargs)."
            )
        socket = InputSocket(name, type, default)
        if name in parameters and build_input_sockets(instance.__class__.run).get(name) != socket:
            raise ComponentError(
                f"set_input_type cannot override the parameters of the 'run' method: {instance.__class__.__name__} has '{name}'."
            )
        instance.__dict__.setdefault(_INPUTS, {})[name] = socket

    def set_input_types(self, instance: Component, /, **types: Annotation) -> None:
        """Declare all inputs beside the named parameters of ``run``; each is mandatory."""
        instance.__dict__[_INPUTS] = {}
        for name, type_ in types.items():
            self.set_input_type(instance, name, type_)

    def _register(self, cls: ClassT) -> ClassT:
        if not callable(getattr(cls, "run", None)):
            raise ComponentError(f"{cls.__name__} must have a 'run()' method to be a component.")
        if problem := _check_run_async(cls):
            _reject_instances(cls, problem)
        for name, value in _HAYSTACK_ATTRIBUTES.items():
            setattr(cls, name, value)
        if getattr(cls, "__repr__", None) is object.__repr__:
            setattr(cls, "__repr__", _format_component)  # noqa: B010 (mypy takes it for an assignment to a method)
        setattr(cls, _MARK, True)
        self.registry[f"{cls.__module__}.{cls.__name__}"] = cls
        return cls


def _make_output_sockets(types: Mapping[str, Annotation]) -> dict[str, OutputSocket]:
    return {name: OutputSocket(name, type_) for name, type_ in types.items()}


def _reject_instances(cls: Any, problem: str) -> None:
    """Make the constructor raise, as in Haystack: the module of a faulty class can be imported."""
    original = cls.__init__

    @functools.wraps(original)
    def __init__(self: object, *args: object, **kwargs: object) -> None:  # noqa: N807 (it becomes the constructor)
        original(self, *args, **kwargs)  # its own errors come first
        raise ComponentError(problem)

    cls.__init__ = __init__


def _check_run_async(cls: Any) -> str:
    """Return the difference of ``run_async`` from ``run``, or an empty text."""
    if not hasattr(cls, "run_async"):
        return ""
    if not inspect.iscoroutinefunction(cls.run_async):
        return f"'run_async' of {cls.__name__} must be a coroutine (async def)."
    sync, async_ = (list(inspect.signature(method).parameters.values()) for method in (cls.run, cls.run_async))
    if sync != async_:
        differences = "\n".join(_compare_parameters(sync, async_))
        return f"Parameters of 'run' and 'run_async' methods must be the same in {cls.__name__}:\n{differences}"
    if getattr(cls.run, _OUTPUTS, {}) != getattr(cls.run_async, _OUTPUTS, {}):
        return f"Output type specifications of 'run' and 'run_async' methods must be the same in {cls.__name__}."
    return ""


def _compare_parameters(sync: list[inspect.Parameter], async_: list[inspect.Parameter]) -> Iterator[str]:
    if len(sync) != len(async_):
        yield f"Different number of parameters: {len(sync)} in run, {len(async_)} in run_async"
    for first, second in zip(sync, async_, strict=False):
        for label, expected, actual in (
            ("name", first.name, second.name),
            ("type", first.annotation, second.annotation),
            ("default value", first.default, second.default),
            ("kind (POSITIONAL, KEYWORD, etc.)", first.kind, second.kind),
        ):
            if expected != actual:
                yield f"Parameter '{first.name}': {label} mismatch: {expected} in run, {actual} in run_async"


component = _ComponentDecorator()


def is_component(instance: object) -> TypeGuard[Component]:
    """Return True if the class of an object is decorated with ``@component``."""
    return getattr(type(instance), _MARK, False)


def get_input_sockets(instance: Component) -> Mapping[str, InputSocket]:
    """Return the input sockets of a component by name."""
    return {**build_input_sockets(type(instance).run), **instance.__dict__.get(_INPUTS, {})}


def get_output_sockets(instance: Component) -> Mapping[str, OutputSocket]:
    """Return the output sockets of a component by name."""
    own = instance.__dict__.get(_OUTPUTS)
    return own if own is not None else getattr(type(instance).run, _OUTPUTS, {})


def get_pipeline(instance: object) -> Any:
    """Return the pipeline of a component, or None."""
    return getattr(instance, "__dict__", {}).get(OWNER, lambda: None)()


def _format_component(instance: Any) -> str:
    pipeline = get_pipeline(instance)
    name = [] if pipeline is None else [pipeline.get_component_name(instance)]
    sockets = [repr(instance.__haystack_input__), repr(instance.__haystack_output__)]
    return "\n".join([object.__repr__(instance), *name, *sockets])


def _get_sockets(instance: Component, kind: type[InputSocket] | type[OutputSocket]) -> Sockets:
    pipeline = get_pipeline(instance)
    if pipeline is None:
        own = get_input_sockets(instance) if kind is InputSocket else get_output_sockets(instance)
        return Sockets(instance, own, kind)
    node = pipeline.graph.nodes[pipeline.get_component_name(instance)]
    return Sockets(instance, node["input_sockets" if kind is InputSocket else "output_sockets"], kind)


_HAYSTACK_ATTRIBUTES = {
    "__haystack_input__": property(lambda self: _get_sockets(self, InputSocket)),
    "__haystack_output__": property(lambda self: _get_sockets(self, OutputSocket)),
    "__haystack_supports_async__": property(lambda self: hasattr(self, "run_async")),
    "__haystack_added_to_pipeline__": property(get_pipeline),
}
"""Read-only attributes that programs for Haystack use."""
