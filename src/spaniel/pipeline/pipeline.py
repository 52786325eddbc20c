"""Components wired together, and run."""

from collections.abc import AsyncIterator, Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TextIO

from spaniel.core.component import Component
from spaniel.core.known_types import also_allowed
from spaniel.pipeline.drive import drive, drive_async
from spaniel.pipeline.inputs import arranged, check
from spaniel.pipeline.ownership import own_copy
from spaniel.pipeline.saved import Marshaller, YamlMarshaller, components_of, connections_of, read, saved
from spaniel.pipeline.state import Run
from spaniel.pipeline.wiring import Wiring

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
        self.metadata = metadata or {}
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
        drive(run)
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
        async for _ in drive_async(run, concurrency_limit):
            pass
        return run.outputs

    async def run_async_generator(
        self, data: Mapping[str, Any], include_outputs_from: Collection[str] | None = None, concurrency_limit: int = 4
    ) -> AsyncIterator[dict[str, Any]]:
        """Yield the outputs of each component that adds to the result, as it finishes; last the whole result.

        :param data: as in `run`.
        :param include_outputs_from: as in `run`.
        :param concurrency_limit: how many components run at the same time.
        :raises ValueError: as in `run_async`.
        :raises PipelineRuntimeError: as in `run`.
        :raises PipelineMaxComponentRuns: as in `run`.
        """
        run = await self._prepared_async(data, include_outputs_from, concurrency_limit)
        async for name, outputs in drive_async(run, concurrency_limit):
            yield {name: own_copy(outputs)}
        yield run.outputs

    def warm_up(self) -> None:
        """Prepare every component that has a ``warm_up``; `run` does so, too."""
        for _, instance in self.walk():
            if hasattr(instance, "warm_up"):
                instance.warm_up()

    async def warm_up_async(self) -> None:
        """Prepare every component that has a ``warm_up_async`` or a ``warm_up``; `run_async` does so, too."""
        for _, instance in self.walk():
            if hasattr(instance, "warm_up_async"):
                await instance.warm_up_async()
            elif hasattr(instance, "warm_up"):
                instance.warm_up()

    def close(self) -> None:
        """Close every component that has a ``close``."""
        for _, instance in self.walk():
            if hasattr(instance, "close"):
                instance.close()

    async def close_async(self) -> None:
        """Close every component that has a ``close_async`` or a ``close``."""
        for _, instance in self.walk():
            if hasattr(instance, "close_async"):
                await instance.close_async()
            elif hasattr(instance, "close"):
                instance.close()
