"""Base classes of components that prepare and close the stores and components they use."""

from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar, Protocol

from spaniel.core.serialization import Serializable, component_to_dict
from spaniel.json_types import JsonObject
from spaniel.runtime import Call, Program, async_method, sync_method


class Lifecycle(Protocol):
    """The optional methods of a component or a store; each may have an async counterpart."""

    def warm_up(self) -> None:
        """Acquire resources, such as by loading a model."""
        ...

    def close(self) -> None:
        """Release resources, such as connections."""
        ...


def call_each(objects: Iterable[object], method: Callable[..., object]) -> Program[None]:
    """Call a method on each object that has it."""
    name, name_async = method.__name__, f"{method.__name__}_async"
    for each in objects:
        if hasattr(each, name) or hasattr(each, name_async):
            yield Call(each, method, {}, optional=True)  # it may exist in the other mode only


class StoreComponent(Serializable):
    """A component over a document store."""

    document_store: object

    @sync_method
    def close(self) -> Program[None]:
        """Close the store, if it has a ``close``."""
        yield from call_each([self.document_store], Lifecycle.close)

    close_async = async_method(close)


class CompositeComponent(Serializable):
    """A component that calls other components: it warms up, closes and serialises them."""

    _component_parameters: ClassVar[tuple[str, ...]] = ()
    """The parameters that hold components, in calling order."""

    def _components(self) -> Sequence[object]:
        components = (getattr(self, name) for name in self._component_parameters)
        return [each for each in components if each is not None]

    def _load(self) -> None:
        """Load the component's own resources; by default it has none."""

    @sync_method
    def warm_up(self) -> Program[None]:
        """Load resources, and warm up the inner components. `run` does so on its own."""
        self._load()
        yield from call_each(self._components(), Lifecycle.warm_up)

    warm_up_async = async_method(warm_up)

    @sync_method
    def close(self) -> Program[None]:
        """Close the inner components that have a ``close``."""
        yield from call_each(self._components(), Lifecycle.close)

    close_async = async_method(close)

    def _init_parameters(self) -> JsonObject:
        components = {name: getattr(self, name) for name in self._component_parameters}
        serialized = {name: component_to_dict(each, name) for name, each in components.items() if each is not None}
        return {**super()._init_parameters(), **serialized}
