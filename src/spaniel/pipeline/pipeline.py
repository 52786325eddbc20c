"""`Pipeline`: connected components that run together."""

from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Self, TextIO

from spaniel.components.lifecycle import Lifecycle, call_each
from spaniel.core.component import Component
from spaniel.core.component.annotations import Value
from spaniel.core.foreign import use_foreign_package
from spaniel.core.known_types import allow_modules
from spaniel.core.serialization import component_to_dict
from spaniel.dataclasses.copying import copy_value
from spaniel.json_types import Json, JsonObject
from spaniel.marshal import Marshaller, YamlMarshaller
from spaniel.pipeline.graph import iter_edges
from spaniel.pipeline.inputs import RunInputs, group_inputs, validate_inputs
from spaniel.pipeline.ownership import deep_copy
from spaniel.pipeline.run_state import RunState
from spaniel.pipeline.runner import iterate_outputs, run_components
from spaniel.pipeline.serialized_form import build_components, parse_connections, validate_pipeline_data
from spaniel.pipeline.wiring import Wiring
from spaniel.runtime import Program, async_method, execute, execute_async, sync_method

_YAML = YamlMarshaller()


class Pipeline(Wiring):
    """Runs components along their connections.

    :param metadata: plain data that is serialised with the pipeline.
    :param max_runs_per_component: maximum number of runs per component in a run of the pipeline,
        which bounds loops.
    :param connection_type_validation: reject connections of incompatible types.

    >>> from spaniel import Document
    >>> from spaniel.components.retrievers.in_memory import InMemoryBM25Retriever
    >>> from spaniel.document_stores.in_memory import InMemoryDocumentStore
    >>> store = InMemoryDocumentStore()
    >>> store.write_documents([Document(content="a brown dog"), Document(content="a white cat")])
    2
    >>> pipeline = Pipeline().add_component("retriever", InMemoryBM25Retriever(store))
    >>> [found.content for found in pipeline.run({"query": "dog"})["retriever"]["documents"]]
    ['a brown dog']
    """

    def __init__(
        self,
        metadata: JsonObject | None = None,
        max_runs_per_component: int = 100,
        connection_type_validation: bool = True,
    ) -> None:
        super().__init__(connection_type_validation=connection_type_validation)
        self.metadata = copy_value(metadata or {})
        self._max_runs_per_component = max_runs_per_component

    def run(self, data: Mapping[str, Value], include_outputs_from: Collection[str] | None = None) -> dict[str, Value]:
        """Run the pipeline, and return the free outputs by component.

        Components own their arguments: `data` is copied, and an output with several receivers is
        copied for all but the first.

        :param data: inputs by component, ``{"retriever": {"query": "dog"}}``, or by input name
            alone, ``{"query": "dog"}``, for every component with a free input of that name.
        :param include_outputs_from: names of components whose outputs are all returned, in a loop
            those of the last run.
        :raises ValueError: an input is unknown, missing or connected.
        :raises PipelineRuntimeError: a component failed, or none can start.
        :raises PipelineMaxComponentRuns: a component has reached `max_runs_per_component`.
        """
        self.warm_up()
        run = self._prepare_run(data, include_outputs_from)
        execute(run_components(run, limit=1))
        return run.outputs

    async def run_async(
        self, data: Mapping[str, Value], include_outputs_from: Collection[str] | None = None, concurrency_limit: int = 4
    ) -> dict[str, Value]:
        """Run the pipeline with independent components in parallel, and return the outputs of
        `run`.

        A component without ``run_async`` runs in a thread. If a component fails or the caller is
        cancelled, the running components are cancelled and awaited; the end of a thread is awaited.
        Values that meet at an input are in the order of `run`.

        :param data: as in `run`.
        :param include_outputs_from: as in `run`.
        :param concurrency_limit: maximum number of running components.
        :raises ValueError: as in `run`, or `concurrency_limit` is below 1.
        :raises PipelineRuntimeError: as in `run`.
        :raises PipelineMaxComponentRuns: as in `run`.
        """
        run = await self._prepare_run_async(data, include_outputs_from, concurrency_limit)
        await execute_async(run_components(run, concurrency_limit))
        return run.outputs

    async def run_async_generator(
        self, data: Mapping[str, Value], include_outputs_from: Collection[str] | None = None, concurrency_limit: int = 4
    ) -> AsyncGenerator[dict[str, Value], None]:
        """Yield the outputs of each component that adds to the result, as it finishes; then the
        whole result.

        :param data: as in `run`.
        :param include_outputs_from: as in `run`.
        :param concurrency_limit: maximum number of running components.
        :raises ValueError: as in `run_async`.
        :raises PipelineRuntimeError: as in `run`.
        :raises PipelineMaxComponentRuns: as in `run`.
        """
        run = await self._prepare_run_async(data, include_outputs_from, concurrency_limit)
        async with aclosing(iterate_outputs(run, concurrency_limit)) as finished:
            async for name, outputs in finished:
                yield {name: outputs}
        yield run.outputs

    def validate_input(self, data: RunInputs) -> None:
        """Check inputs as `run` does, without a run.

        :param data: inputs by component.
        :raises ValueError: an input is unknown, missing or connected.
        """
        validate_inputs(self._nodes, data)

    @sync_method
    def warm_up(self) -> Program[None]:
        """Prepare the components that have a ``warm_up``; `run` calls it."""
        yield from call_each((instance for _, instance in self.walk()), Lifecycle.warm_up)

    warm_up_async = async_method(warm_up)

    @sync_method
    def close(self) -> Program[None]:
        """Close the components that have a ``close``."""
        yield from call_each((instance for _, instance in self.walk()), Lifecycle.close)

    close_async = async_method(close)

    def to_dict(self) -> JsonObject:
        """Return the serialised form of the pipeline.

        :raises SerializationError: a component can't be serialised.
        """
        endpoints = (edge.endpoints for edge in iter_edges(self._nodes.values()))
        return {
            "metadata": self.metadata,
            "max_runs_per_component": self._max_runs_per_component,
            "components": {name: component_to_dict(instance, name) for name, instance in self.walk()},
            "connections": [{"sender": sender, "receiver": receiver} for sender, receiver in endpoints],
            "connection_type_validation": self._checks_types,
        }

    @classmethod
    def from_dict(
        cls,
        data: Mapping[str, Json],
        *,
        allowed_modules: Sequence[str] = (),
        components: Mapping[str, Component] | None = None,
        foreign: bool = False,
    ) -> Self:
        """Return a pipeline from the serialised form of Spaniel or of Haystack.

        Only known types are built: Spaniel's, also under Haystack's names, registered component
        classes, and those of modules that `allow_deserialization_module` or this call allows. No
        other module is imported.

        :param data: the serialised pipeline; it is not changed.
        :param allowed_modules: names of modules whose types are allowed, with their submodules.
        :param components: components that replace those of the same name.
        :param foreign: load components and stores that Spaniel lacks from the installed packages of
            Haystack. Trust the file then as you would with Haystack.
        :raises DeserializationError: the data is not a pipeline, types are unknown (the message
            lists all), or a component can't be built.
        :raises PipelineError: a component has no type, or a connection is incomplete or does not
            match.
        """
        validate_pipeline_data(data)
        copied = deep_copy(dict(data))
        max_runs = copied.get("max_runs_per_component", copied.get("max_loops_allowed"))  # its name until Haystack 2.4
        checks_types = copied.get("connection_type_validation")
        pipeline = cls(
            metadata=copied.get("metadata"),
            max_runs_per_component=100 if max_runs is None else max_runs,
            connection_type_validation=True if checks_types is None else checks_types,
        )
        with allow_modules(allowed_modules), use_foreign_package(foreign):
            pipeline.add_components(dict(build_components(copied, components or {})))
        return pipeline.connect_many(parse_connections(copied))

    def dumps(self, marshaller: Marshaller = _YAML) -> str:
        """Return the pipeline as YAML.

        :param marshaller: writes another format.
        :raises SerializationError: a component can't be serialised.
        """
        return marshaller.marshal(self.to_dict())

    def dump(self, fp: TextIO, marshaller: Marshaller = _YAML) -> None:
        """Write the pipeline as YAML into an open file.

        :param fp: the file.
        :param marshaller: writes another format.
        :raises SerializationError: a component can't be serialised; nothing is written.
        """
        fp.write(self.dumps(marshaller))

    @classmethod
    def loads(
        cls,
        data: str | bytes | bytearray,
        marshaller: Marshaller = _YAML,
        *,
        allowed_modules: Sequence[str] = (),
        foreign: bool = False,
    ) -> Self:
        """Return a pipeline from the YAML of Spaniel or of Haystack.

        :param data: the YAML text.
        :param marshaller: reads another format.
        :param allowed_modules: as in `from_dict`.
        :param foreign: as in `from_dict`.
        :raises DeserializationError: as in `from_dict`, or the text is malformed.
        :raises PipelineError: as in `from_dict`.
        """
        return cls.from_dict(marshaller.unmarshal(data), allowed_modules=allowed_modules, foreign=foreign)

    @classmethod
    def load(
        cls, fp: TextIO, marshaller: Marshaller = _YAML, *, allowed_modules: Sequence[str] = (), foreign: bool = False
    ) -> Self:
        """Return a pipeline from an open file.

        :param fp: the file.
        :param marshaller: reads another format than YAML.
        :param allowed_modules: as in `from_dict`.
        :param foreign: as in `from_dict`.
        :raises DeserializationError: as in `loads`.
        :raises PipelineError: as in `from_dict`.
        """
        return cls.loads(fp.read(), marshaller, allowed_modules=allowed_modules, foreign=foreign)

    def draw(self, path: str | Path) -> None:
        """Draw the pipeline into a file. It is rendered locally.

        :param path: with the suffix ``.svg`` for a picture, ``.mmd`` or ``.md`` for Mermaid text.
        :raises PipelineDrawingError: it has another suffix.
        """
        from spaniel.pipeline.drawing import write_drawing

        write_drawing(self._nodes, Path(path))

    def show(self) -> None:
        """Show the pipeline: as a picture in a notebook, as Mermaid text elsewhere."""
        from spaniel.pipeline.drawing import show_drawing

        show_drawing(self._nodes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]  # pipelines are compared by value, and are mutable

    def _prepare_run(
        self, data: Mapping[str, Value], include: Collection[str] | None, *, in_order: bool = False
    ) -> RunState:
        inputs = group_inputs(self._nodes, data)
        validate_inputs(self._nodes, inputs)
        return RunState(self._nodes, inputs, include or (), self._max_runs_per_component, in_order=in_order)

    async def _prepare_run_async(
        self, data: Mapping[str, Value], include_outputs_from: Collection[str] | None, concurrency_limit: int
    ) -> RunState:
        if concurrency_limit < 1:
            raise ValueError(f"concurrency_limit must be greater than or equal to 1, but is {concurrency_limit}.")
        await self.warm_up_async()
        return self._prepare_run(data, include_outputs_from, in_order=True)
