"""Adapter: a component of Spaniel in a pipeline of Haystack."""

import asyncio
import copy
from collections.abc import Iterator, Mapping
from typing import Any, Self

import haystack
from haystack.core.component import types as their_sockets
from haystack.core.serialization import default_to_dict

from spaniel.core.component import Component, get_input_sockets, get_output_sockets, is_component
from spaniel.core.component.sockets import GREEDY, LAZY
from spaniel.core.known_types import allow_modules
from spaniel.core.serialization import component_to_dict, default_from_dict
from spaniel.errors import ComponentError
from spaniel.interop.haystack.annotations import type_to_haystack
from spaniel.interop.haystack.boundary import FROM_HAYSTACK
from spaniel.interop.haystack.conversion import to_haystack
from spaniel.interop.haystack.trusted_modules import find_trusted_modules


@haystack.component
class SpanielComponent:
    """The component that `as_component` returns, with the sockets of the wrapped component.

    :param component: a component of Spaniel.
    :raises ComponentError: it is not one.
    """

    def __init__(self, component: Component) -> None:
        if not is_component(component):
            raise ComponentError(f"as_component takes a component of Spaniel, not {component!r:.100}.")
        self.component = component
        for socket in get_input_sockets(component).values():
            default = {} if socket.is_mandatory else {"default": to_haystack(socket.default_value)}
            theirs = type_to_haystack(socket.type)
            declared = _VARIADIC[socket.variadic][theirs] if socket.variadic else theirs
            haystack.component.set_input_type(self, socket.name, declared, **default)
        outputs = {name: type_to_haystack(socket.type) for name, socket in get_output_sockets(component).items()}
        haystack.component.set_output_types(self, **outputs)

    def run(self, **inputs: Any) -> dict[str, Any]:
        """Run the component on Haystack's documents."""
        return dict(FROM_HAYSTACK.wrap(self.component.run)(**inputs))

    async def run_async(self, **inputs: Any) -> dict[str, Any]:
        """Run the component; one without ``run_async`` runs in a thread."""
        run_async = getattr(self.component, "run_async", None)
        if run_async is None:
            return await asyncio.to_thread(self.run, **inputs)
        return dict(await FROM_HAYSTACK.wrap(run_async)(**inputs))

    def warm_up(self) -> None:
        """Warm up the component, if it can be."""
        getattr(self.component, "warm_up", lambda: None)()

    async def warm_up_async(self) -> None:
        """Warm up the component by its async method, or else by the plain one."""
        await self._call_async("warm_up")

    def close(self) -> None:
        """Close the component, if it can be."""
        getattr(self.component, "close", lambda: None)()

    async def close_async(self) -> None:
        """Close the component by its async method, or else by the plain one."""
        await self._call_async("close")

    async def _call_async(self, method: str) -> None:
        if hasattr(self.component, f"{method}_async"):
            await getattr(self.component, f"{method}_async")()
        else:
            getattr(self, method)()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        memo.update({id(store): store for store in _stores_in(self.component)})  # a copy shares the stores
        copied = memo[id(self)] = object.__new__(type(self))
        copied.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return copied

    def to_dict(self) -> dict[str, Any]:
        """Serialize the component, with the wrapped one."""
        return default_to_dict(self, component=component_to_dict(self.component, type(self.component).__name__))

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Deserialize the component.

        :raises spaniel.errors.DeserializationError: a class is unknown, or its module is allowed in
            neither package.
        """
        with allow_modules(find_trusted_modules(data)):
            return default_from_dict(cls, data)


def as_component(component: Component) -> SpanielComponent:
    """Wrap a component of Spaniel for pipelines of Haystack.

    Its inputs and outputs have the same names, and Haystack's types. Load a saved pipeline with
    ``Pipeline.loads(text, allowed_modules=["spaniel"])``.

    :param component: any component of Spaniel: a retriever, a splitter, a whole `SuperComponent`.
    :raises ComponentError: it is not one.

    >>> from haystack import Document, Pipeline
    >>> from spaniel.components.rankers import LostInTheMiddleRanker
    >>> pipeline = Pipeline()
    >>> _ = pipeline.add_component("ranker", as_component(LostInTheMiddleRanker()))
    >>> found = pipeline.run({"ranker": {"documents": [Document(content=text) for text in "abc"]}})
    >>> [document.content for document in found["ranker"]["documents"]]
    ['a', 'c', 'b']
    """
    return SpanielComponent(component)


def _stores_in(value: Any) -> Iterator[Any]:
    if hasattr(value, "filter_documents") or hasattr(value, "filter_documents_async"):
        yield value
    elif is_component(value):
        yield from _stores_in(list(vars(value).values()))
    elif isinstance(value, (list, tuple, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _stores_in(item)


_VARIADIC: Mapping[str, Any] = {LAZY: their_sockets.Variadic, GREEDY: their_sockets.GreedyVariadic}
