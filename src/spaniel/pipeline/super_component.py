"""Super components: a pipeline as a component of another."""

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Self, TypeVar

from spaniel.core.component import component
from spaniel.core.component.annotations import Annotation, Value
from spaniel.core.serialization import default_from_dict, default_to_dict, get_type_name
from spaniel.dataclasses.copying import copy_value
from spaniel.errors import DeserializationError, InvalidMappingTypeError, InvalidMappingValueError
from spaniel.json_types import JsonObject
from spaniel.pipeline.graph import SocketTable
from spaniel.pipeline.pipeline import Pipeline
from spaniel.pipeline.type_compatibility import intersect_types
from spaniel.runtime import Call, Program, async_method, sync_method

ClassT = TypeVar("ClassT", bound=type)


class NotGiven:
    """The default of an optional input, so that the inner components use their own defaults."""


class _PipelineComponent:
    """Base of the components that run a pipeline."""

    pipeline: Pipeline
    input_mapping: dict[str, list[str]]
    output_mapping: dict[str, str]

    def _set_pipeline(
        self, pipeline: Pipeline, input_mapping: dict[str, list[str]] | None, output_mapping: dict[str, str] | None
    ) -> None:
        self.pipeline = pipeline
        self.input_mapping = _map_free_inputs(pipeline) if input_mapping is None else input_mapping
        self.output_mapping = _map_free_outputs(pipeline) if output_mapping is None else output_mapping
        for name, (type_, is_mandatory) in _resolve_inputs(pipeline, self.input_mapping).items():
            default = {} if is_mandatory else {"default": NotGiven}
            component.set_input_type(self, name, type_, **default)
        component.set_output_types(self, **_resolve_output_types(pipeline, self.output_mapping))

    @sync_method
    def warm_up(self) -> Program[None]:
        """Prepare the inner components."""
        yield Call(self.pipeline, Pipeline.warm_up, {})

    warm_up_async = async_method(warm_up)

    @sync_method
    def close(self) -> Program[None]:
        """Close the inner components."""
        yield Call(self.pipeline, Pipeline.close, {})

    close_async = async_method(close)

    @sync_method
    def run(self, /, **kwargs: Value) -> Program[dict[str, Value]]:
        """Return the outputs of the pipeline by the names in `output_mapping`.

        :param kwargs: its inputs by the names in `input_mapping`.
        """
        paths = {name: _split_path(path) for path, name in self.output_mapping.items()}
        arguments = {
            "data": self._map_inputs(kwargs),
            "include_outputs_from": {inner_component for inner_component, _ in paths.values()},
        }
        outputs: Mapping[str, Mapping[str, Value]] = yield Call(self.pipeline, Pipeline.run, arguments)
        return {
            name: outputs[inner_component][output]
            for name, (inner_component, output) in paths.items()
            if output in outputs.get(inner_component, ())
        }

    run_async = async_method(run)

    def _map_inputs(self, inputs: Mapping[str, Value]) -> dict[str, dict[str, Value]]:
        mapped: dict[str, dict[str, Value]] = {}
        for name, paths in self.input_mapping.items():
            if name in inputs and inputs[name] is not NotGiven:
                for inner_component, input_name in map(_split_path, paths):
                    mapped.setdefault(inner_component, {})[input_name] = inputs[name]
        return mapped


@component
class SuperComponent(_PipelineComponent):
    """Runs a pipeline as a single component.

    :param pipeline: the inner pipeline.
    :param input_mapping: input names, each with the inner sockets that receive its value:
        ``{"query": ["retriever.query", "ranker.query"]}``. Default: every free input under its own
        name.
    :param output_mapping: inner sockets, each with its output name: ``{"ranker.documents":
        "documents"}``. Default: every free output under its own name.
    :raises ValueError: `pipeline` is not a pipeline, a mapping names an unknown socket, or two
        outputs have the same name.
    :raises TypeError: a mapping has another form, or the sockets of an input have no common type.

    >>> from spaniel import Document, Pipeline
    >>> from spaniel.components.writers import DocumentWriter
    >>> from spaniel.document_stores.in_memory import InMemoryDocumentStore
    >>> inner = Pipeline().add_component("writer", DocumentWriter(InMemoryDocumentStore()))
    >>> indexing = SuperComponent(inner, {"docs": ["writer.documents"]}, {"writer.documents_written": "count"})
    >>> indexing.run(docs=[Document(content="a")])
    {'count': 1}
    """

    __module__ = "spaniel.core.super_component.super_component"  # the serialised name, as in Haystack

    def __init__(
        self,
        pipeline: Pipeline,
        input_mapping: dict[str, list[str]] | None = None,
        output_mapping: dict[str, str] | None = None,
    ) -> None:
        if not isinstance(pipeline, Pipeline):
            raise ValueError(f"`pipeline` must be a Pipeline, got {type(pipeline).__name__}.")
        self._given_mappings = copy_value(input_mapping), copy_value(output_mapping)
        self._set_pipeline(pipeline, *self._given_mappings)

    def to_dict(self) -> JsonObject:
        """Return the serialised component, with the inner pipeline."""
        input_mapping, output_mapping = self._given_mappings
        return default_to_dict(
            self, pipeline=self.pipeline.to_dict(), input_mapping=input_mapping, output_mapping=output_mapping
        )

    @classmethod
    def from_dict(cls, data: JsonObject) -> Self:
        """Return a component from its serialised form.

        :raises DeserializationError: the pipeline is missing or can't be built.
        """
        given = dict(data.get("init_parameters") or {})
        if not isinstance(given.get("pipeline"), dict):
            raise DeserializationError(f"{get_type_name(cls)} needs the init parameter 'pipeline', which is missing.")
        given["pipeline"] = Pipeline.from_dict(given["pipeline"])
        given.pop("is_pipeline_async", None)  # written by older versions of Haystack
        return default_from_dict(cls, {**data, "init_parameters": given})

    def draw(self, path: str | Path) -> None:
        """Draw the inner pipeline into a file, as `Pipeline.draw` does."""
        self.pipeline.draw(path)

    def show(self) -> None:
        """Show the inner pipeline, as `Pipeline.show` does."""
        self.pipeline.show()


def super_component(cls: ClassT) -> ClassT:
    """Decorate a class whose constructor builds a pipeline, so that its objects run it as
    components.

    The constructor sets ``self.pipeline``, and may set ``self.input_mapping`` and
    ``self.output_mapping``.

    :raises ValueError: from the constructor, if it sets no pipeline.

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

    def __init__(self: _PipelineComponent, *args: object, **kwargs: object) -> None:  # noqa: N807 (the constructor)
        original(self, *args, **kwargs)
        if not isinstance(getattr(self, "pipeline", None), Pipeline):
            raise ValueError(f"{cls.__name__} is decorated with @super_component, so it must set self.pipeline.")
        self._set_pipeline(self.pipeline, getattr(self, "input_mapping", None), getattr(self, "output_mapping", None))

    functools.update_wrapper(__init__, original)
    names = {name: getattr(cls, name) for name in ("__module__", "__qualname__", "__doc__")}
    return component(type(cls.__name__, (cls, _PipelineComponent), {"__init__": __init__, **names}))  # type: ignore[return-value]  # a subclass of it


def _split_path(path: str) -> tuple[str, str]:
    inner_component, _, socket = path.partition(".")
    if not socket:
        raise InvalidMappingValueError(f"'{path}' must name a component and a socket: 'component.socket'.")
    return inner_component, socket


def _map_free_inputs(pipeline: Pipeline) -> dict[str, list[str]]:
    mapping: dict[str, list[str]] = {}
    for inner_component, inputs in pipeline.inputs().items():
        for name in inputs:
            mapping.setdefault(name, []).append(f"{inner_component}.{name}")
    return mapping


def _map_free_outputs(pipeline: Pipeline) -> dict[str, str]:
    mapping = {f"{inner}.{name}": name for inner, outputs in pipeline.outputs().items() for name in outputs}
    _check_unique(mapping)
    return mapping


def _resolve_inputs(pipeline: Pipeline, mapping: Mapping[str, list[str]]) -> dict[str, tuple[Annotation, bool]]:
    """Return the type of each input, and True if any of its sockets needs a value."""
    if not isinstance(mapping, Mapping):
        raise InvalidMappingTypeError(f"input_mapping must be a dictionary, got {type(mapping).__name__}.")
    inputs: dict[str, tuple[Annotation, bool]] = {}
    for name, paths in mapping.items():
        if not isinstance(paths, list):
            raise InvalidMappingTypeError(f"Input '{name}' must map to a list of 'component.socket', got {paths!r}.")
        for path in paths:
            socket = _find_socket(pipeline.inputs(), path, "input")
            type_, is_mandatory = inputs.get(name, (socket["type"], False))
            try:
                type_ = intersect_types(type_, socket["type"])
            except TypeError as error:
                raise InvalidMappingTypeError(f"The input '{name}' can't feed all its sockets: {error}") from error
            inputs[name] = type_, is_mandatory or socket["is_mandatory"]
    return inputs


def _resolve_output_types(pipeline: Pipeline, mapping: Mapping[str, str]) -> dict[str, Annotation]:
    if not isinstance(mapping, Mapping) or not all(isinstance(name, str) for name in mapping.values()):
        raise InvalidMappingTypeError(
            f"output_mapping must be a dictionary of 'component.socket' and its output name, got {mapping!r}."
        )
    _check_unique(mapping)
    outputs = pipeline.outputs(include_components_with_connected_outputs=True)
    return {name: _find_socket(outputs, path, "output")["type"] for path, name in mapping.items()}


def _find_socket(sockets: SocketTable, path: str, kind: str) -> Mapping[str, Value]:
    inner_component, socket = _split_path(path)
    if inner_component not in sockets or socket not in sockets[inner_component]:
        known = [f"{name}.{each}" for name, names in sockets.items() for each in names]
        raise InvalidMappingValueError(f"'{path}' is not a free {kind}; the pipeline has {', '.join(known) or 'none'}.")
    return sockets[inner_component][socket]


def _check_unique(mapping: Mapping[str, str]) -> None:
    names = list(mapping.values())
    if duplicates := sorted({name for name in names if names.count(name) > 1}):
        raise InvalidMappingValueError(
            f"Several outputs have the name {duplicates}. Give an output_mapping with unique names."
        )
