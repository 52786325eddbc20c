"""Components wired together, and run."""

from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any, Self, TextIO

from spaniel.components.lifecycle import Lifecycle, call_each
from spaniel.core.component import Component
from spaniel.core.foreign import use_foreign_package
from spaniel.core.known_types import allow_modules
from spaniel.dataclasses.copying import copy_value
from spaniel.marshal import Marshaller, YamlMarshaller
from spaniel.pipeline.inputs import check, group_inputs
from spaniel.pipeline.ownership import deep_copy
from spaniel.pipeline.run_state import Run
from spaniel.pipeline.runner import iterate_outputs, run_components
from spaniel.pipeline.serialized_form import (
    build_components,
    parse_connections,
    serialize_components,
    serialize_connections,
    validate_pipeline_data,
)
from spaniel.pipeline.wiring import Wiring
from spaniel.runtime import Program, async_method, execute, execute_async, sync_method

_YAML = YamlMarshaller()


class Pipeline(Wiring):
    """Runs components in the order in which values flow between them.

    :param metadata: anything that can be written as YAML, saved with the pipeline.
    :param max_runs_per_component: how often one component may run in one run of the pipeline, which ends loops.
    :param connection_type_validation: whether `connect` checks types.

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
        metadata: dict[str, Any] | None = None,
        max_runs_per_component: int = 100,
        connection_type_validation: bool = True,
    ) -> None:
        super().__init__(connection_type_validation=connection_type_validation)
        self.metadata = copy_value(metadata or {})
        self._max_runs_per_component = max_runs_per_component

    def run(self, data: Mapping[str, Any], include_outputs_from: Collection[str] | None = None) -> dict[str, Any]:
        """Return the outputs that no component takes, by component.

        Each component gets values of its own: what `data` holds is copied, and an output that several components take is
        copied for all but one.

        :param data: inputs by component, ``{"retriever": {"query": "dog"}}``, or by input name alone, ``{"query": "dog"}``,
            for each component with a free input of that name.
        :param include_outputs_from: names of components whose outputs are all returned, those of their last run in a loop.
        :raises ValueError: an input is unknown, missing or taken.
        :raises PipelineRuntimeError: a component failed, or none can start.
        :raises PipelineMaxComponentRuns: a component of a loop ran too often.
        """
        self.warm_up()
        run = self._prepared(data, include_outputs_from)
        execute(run_components(run, limit=1))
        return run.outputs

    async def run_async(
        self, data: Mapping[str, Any], include_outputs_from: Collection[str] | None = None, concurrency_limit: int = 4
    ) -> dict[str, Any]:
        """Return what `run` returns. Components that don't wait for each other run at the same time.

        One without ``run_async`` runs in a thread. If one fails or the caller is cancelled, the others are cancelled and
        awaited; a thread can't be stopped, so its end is awaited. Values that meet at one input are in the order of `run`.

        :param data: as in `run`.
        :param include_outputs_from: as in `run`.
        :param concurrency_limit: how many components run at the same time.
        :raises ValueError: as in `run`, or `concurrency_limit` is below 1.
        :raises PipelineRuntimeError: as in `run`.
        :raises PipelineMaxComponentRuns: as in `run`.
        """
        run = await self._prepared_async(data, include_outputs_from, concurrency_limit)
        await execute_async(run_components(run, concurrency_limit))
        return run.outputs

    async def run_async_generator(
        self, data: Mapping[str, Any], include_outputs_from: Collection[str] | None = None, concurrency_limit: int = 4
    ) -> AsyncGenerator[dict[str, Any], None]:
        """Yield the outputs of each component that adds to the result, as it finishes; last the whole result.

        :param data: as in `run`.
        :param include_outputs_from: as in `run`.
        :param concurrency_limit: how many components run at the same time.
        :raises ValueError: as in `run_async`.
        :raises PipelineRuntimeError: as in `run`.
        :raises PipelineMaxComponentRuns: as in `run`.
        """
        run = await self._prepared_async(data, include_outputs_from, concurrency_limit)
        async with aclosing(iterate_outputs(run, concurrency_limit)) as finished:
            async for name, outputs in finished:
                yield {name: outputs}
        yield run.outputs

    def validate_input(self, data: Mapping[str, Mapping[str, Any]]) -> None:
        """Check inputs as `run` does, without running.

        :param data: inputs by component.
        :raises ValueError: an input is unknown, missing or taken.
        """
        check(self._nodes, data)

    @sync_method
    def warm_up(self) -> Program[None]:
        """Prepare every component that can be prepared; `run` does so, too."""
        yield from call_each((instance for _, instance in self.walk()), Lifecycle.warm_up)

    warm_up_async = async_method(warm_up)

    @sync_method
    def close(self) -> Program[None]:
        """Close every component that can be closed."""
        yield from call_each((instance for _, instance in self.walk()), Lifecycle.close)

    close_async = async_method(close)

    def to_dict(self) -> dict[str, Any]:
        """Return the pipeline as plain data.

        :raises SerializationError: a component can't be written so.
        """
        return {
            "metadata": self.metadata,
            "max_runs_per_component": self._max_runs_per_component,
            "components": serialize_components(self._nodes),
            "connections": serialize_connections(self._nodes),
            "connection_type_validation": self._checks_types,
        }

    @classmethod
    def from_dict(
        cls,
        data: Mapping[str, Any],
        *,
        allowed_modules: Sequence[str] = (),
        components: Mapping[str, Component] | None = None,
        foreign: bool = False,
    ) -> Self:
        """Return the pipeline that `to_dict` wrote, or one that Haystack wrote.

        Only known types are built: Spaniel's, also under Haystack's names for them, those of components that are declared
        already, those of modules that `allow_deserialization_module` or this call allows. No other module is imported.

        :param data: the pipeline; it is not changed.
        :param allowed_modules: names of modules whose types may be built, besides; those below them, too.
        :param components: components to take in the place of those of the same name.
        :param foreign: take components and stores that Spaniel does not have from Haystack's packages, which must be
            installed; they run inside this pipeline. Trust the file then as you would with Haystack.
        :raises DeserializationError: the data has not the form of a pipeline, types are not known (all of them are named),
            or a component can't be built.
        :raises PipelineError: the data lacks a type or the end of a connection, or two ends don't fit.
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

        :param marshaller: another format.
        :raises SerializationError: a component can't be written so.
        """
        return marshaller.marshal(self.to_dict())

    def dump(self, fp: TextIO, marshaller: Marshaller = _YAML) -> None:
        """Write the pipeline as YAML into an open file.

        :param fp: the file.
        :param marshaller: another format.
        :raises SerializationError: a component can't be written so; nothing is written then.
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
        """Return the pipeline that `dumps` wrote, or one that Haystack wrote.

        :param data: YAML.
        :param marshaller: another format.
        :param allowed_modules: as in `from_dict`.
        :param foreign: as in `from_dict`.
        :raises DeserializationError: the text can't be read, a type is not known, or a component can't be built.
        :raises PipelineError: as in `from_dict`.
        """
        return cls.from_dict(marshaller.unmarshal(data), allowed_modules=allowed_modules, foreign=foreign)

    @classmethod
    def load(
        cls,
        fp: TextIO,
        marshaller: Marshaller = _YAML,
        *,
        allowed_modules: Sequence[str] = (),
        foreign: bool = False,
    ) -> Self:
        """Return the pipeline that an open file holds.

        :param fp: the file.
        :param marshaller: another format than YAML.
        :param allowed_modules: as in `from_dict`.
        :param foreign: as in `from_dict`.
        :raises DeserializationError: as in `loads`.
        :raises PipelineError: as in `from_dict`.
        """
        return cls.loads(fp.read(), marshaller, allowed_modules=allowed_modules, foreign=foreign)

    def draw(self, path: str | Path) -> None:
        """Write a picture of the pipeline into a file. Nothing is sent anywhere.

        :param path: ending in ``.svg`` for a picture, in ``.mmd`` or ``.md`` for Mermaid text.
        :raises PipelineDrawingError: it has another ending.
        """
        from spaniel.pipeline.drawing import write_drawing

        write_drawing(self._nodes, Path(path))

    def show(self) -> None:
        """Show the pipeline: as a picture in a notebook, as Mermaid text elsewhere."""
        from spaniel.pipeline.drawing import show_drawing

        show_drawing(self._nodes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]  # pipelines are compared by what they are made of, and can be changed

    def _prepared(
        self, data: Mapping[str, Any], include_outputs_from: Collection[str] | None, *, in_order: bool = False
    ) -> Run:
        given = group_inputs(self._nodes, data)
        check(self._nodes, given)
        return Run(self._nodes, given, include_outputs_from or (), self._max_runs_per_component, in_order=in_order)

    async def _prepared_async(
        self, data: Mapping[str, Any], include_outputs_from: Collection[str] | None, concurrency_limit: int
    ) -> Run:
        if concurrency_limit < 1:
            raise ValueError(f"concurrency_limit must be greater than or equal to 1, but is {concurrency_limit}.")
        await self.warm_up_async()
        return self._prepared(data, include_outputs_from, in_order=True)
