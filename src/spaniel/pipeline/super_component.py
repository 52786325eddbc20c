"""A pipeline as one component of another."""

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self, TypeVar

from spaniel.core.component import component
from spaniel.core.serialization import default_from_dict, default_to_dict, get_type_name
from spaniel.dataclasses.copying import copy_value
from spaniel.errors import DeserializationError
from spaniel.pipeline.mapping import (
    NotGiven,
    map_free_inputs,
    map_free_outputs,
    output_types,
    resolve_input_types,
    split_path,
)
from spaniel.pipeline.pipeline import Pipeline
from spaniel.runtime import Call, Program, async_method, sync_method

ClassT = TypeVar("ClassT", bound=type)


class _Wrapped:
    """A component that runs a pipeline."""

    pipeline: Pipeline
    input_mapping: dict[str, list[str]]
    output_mapping: dict[str, str]

    def _wrap(
        self,
        pipeline: Pipeline,
        input_mapping: dict[str, list[str]] | None,
        output_mapping: dict[str, str] | None,
    ) -> None:
        self.pipeline = pipeline
        self.input_mapping = map_free_inputs(pipeline) if input_mapping is None else input_mapping
        self.output_mapping = map_free_outputs(pipeline) if output_mapping is None else output_mapping
        for name, facts in resolve_input_types(pipeline, self.input_mapping).items():
            component.set_input_type(self, name, **facts)
        component.set_output_types(self, **output_types(pipeline, self.output_mapping))

    @sync_method
    def warm_up(self) -> Program[None]:
        """Prepare the components inside."""
        yield Call(self.pipeline, Pipeline.warm_up, {})

    warm_up_async = async_method(warm_up)

    @sync_method
    def close(self) -> Program[None]:
        """Close the components inside."""
        yield Call(self.pipeline, Pipeline.close, {})

    close_async = async_method(close)

    @sync_method
    def run(self, /, **kwargs: Any) -> Program[dict[str, Any]]:
        """Return the outputs of the pipeline under the names of `output_mapping`.

        :param kwargs: its inputs under the names of `input_mapping`.
        """
        arguments = {"data": self._inner_inputs(kwargs), "include_outputs_from": self._givers()}
        return self._renamed((yield Call(self.pipeline, Pipeline.run, arguments)))

    run_async = async_method(run)

    def _givers(self) -> set[str]:
        return {split_path(path)[0] for path in self.output_mapping}

    def _inner_inputs(self, given: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        inner: dict[str, dict[str, Any]] = {}
        for name, paths in self.input_mapping.items():
            if name in given and given[name] is not NotGiven:
                for path in paths:
                    inner_component, input_name = split_path(path)
                    inner.setdefault(inner_component, {})[input_name] = given[name]
        return inner

    def _renamed(self, outputs: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        named = ((split_path(path), name) for path, name in self.output_mapping.items())
        return {
            name: outputs[giver][output]
            for (giver, output), name in named
            if giver in outputs and output in outputs[giver]
        }


@component
class SuperComponent(_Wrapped):
    """Runs a pipeline as one component.

    :param pipeline: what to run.
    :param input_mapping: input names, each with the sockets inside that get its value:
        ``{"query": ["retriever.query", "ranker.query"]}``; by default every free input of the pipeline under its own name.
    :param output_mapping: sockets inside, each with the name of the output that it becomes:
        ``{"ranker.documents": "documents"}``; by default every free output under its own name.
    :raises ValueError: a mapping names what is not there, two outputs have one name, or there is no pipeline.
    :raises TypeError: a mapping is no mapping of names, or no value fits all sockets of an input.

    >>> from spaniel import Document, Pipeline
    >>> from spaniel.components.writers import DocumentWriter
    >>> from spaniel.document_stores.in_memory import InMemoryDocumentStore
    >>> inner = Pipeline().add_component("writer", DocumentWriter(InMemoryDocumentStore()))
    >>> indexing = SuperComponent(inner, {"docs": ["writer.documents"]}, {"writer.documents_written": "count"})
    >>> indexing.run(docs=[Document(content="a")])
    {'count': 1}
    """

    __module__ = "spaniel.core.super_component.super_component"  # the name in saved pipelines, as in Haystack

    def __init__(
        self,
        pipeline: Pipeline,
        input_mapping: dict[str, list[str]] | None = None,
        output_mapping: dict[str, str] | None = None,
    ) -> None:
        if not isinstance(pipeline, Pipeline):
            raise ValueError(f"A SuperComponent needs a Pipeline, not {type(pipeline).__name__}.")
        self._given_mappings = copy_value(input_mapping), copy_value(output_mapping)
        self._wrap(pipeline, *self._given_mappings)

    def to_dict(self) -> dict[str, Any]:
        """Return the component, with the pipeline inside, as plain data."""
        input_mapping, output_mapping = self._given_mappings
        return default_to_dict(
            self, pipeline=self.pipeline.to_dict(), input_mapping=input_mapping, output_mapping=output_mapping
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Return the component that `to_dict` wrote.

        :raises DeserializationError: there is no pipeline in it, or it can't be built.
        """
        given = dict(data.get("init_parameters") or {})
        if not isinstance(given.get("pipeline"), dict):
            raise DeserializationError(f"{get_type_name(cls)} needs the init parameter 'pipeline', which is missing.")
        given["pipeline"] = Pipeline.from_dict(given["pipeline"])
        given.pop("is_pipeline_async", None)  # older versions of Haystack wrote it
        return default_from_dict(cls, {**data, "init_parameters": given})

    def draw(self, path: str | Path) -> None:
        """Write a picture of the pipeline inside into a file, as `Pipeline.draw` does."""
        self.pipeline.draw(path)

    def show(self) -> None:
        """Show the pipeline inside, as `Pipeline.show` does."""
        self.pipeline.show()


def super_component(cls: ClassT) -> ClassT:
    """Return the class as a component that runs the pipeline which its constructor builds.

    The constructor sets ``self.pipeline``, and may set ``self.input_mapping`` and ``self.output_mapping``.

    :raises ValueError: when an object is made: its constructor sets no pipeline.

    >>> from spaniel.components.writers import DocumentWriter
    >>> from spaniel.document_stores.in_memory import InMemoryDocumentStore
    >>> @super_component
    ... class Indexing:
    ...     def __init__(self) -> None:
    ...         self.pipeline = Pipeline().add_component("writer", DocumentWriter(InMemoryDocumentStore()))
    >>> Indexing().run(documents=[])
    {'documents_written': 0}
    """
    original = cls.__init__  # type: ignore[misc]  # a class, not an instance

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807 (it becomes the constructor)
        original(self, *args, **kwargs)
        if not isinstance(getattr(self, "pipeline", None), Pipeline):
            raise ValueError(f"{cls.__name__} is decorated with @super_component, so it must set self.pipeline.")
        self._wrap(self.pipeline, getattr(self, "input_mapping", None), getattr(self, "output_mapping", None))

    functools.update_wrapper(__init__, original)
    names = {name: getattr(cls, name) for name in ("__module__", "__qualname__", "__doc__")}
    return component(type(cls.__name__, (cls, _Wrapped), {"__init__": __init__, **names}))  # type: ignore[return-value]  # a subclass of it
