"""The overhead of a pipeline per component, Spaniel beside haystack-ai.

The components do nothing, so a run's time is the pipeline's. Each passes its documents on to the
next.
"""

import asyncio
from collections.abc import Callable
from typing import Any

import haystack

import spaniel
from benchmarks import clock
from benchmarks.rows import Row, row

LENGTH = 10
RUNS = 5
ROUNDS = 7


def chain(package: Any) -> Any:
    """Return a pipeline of components that each pass their documents on."""

    @package.component
    class Pass:
        @package.component.output_types(documents=list[package.Document])
        def run(self, documents: list[package.Document], top_k: int | None = None) -> dict[str, Any]:  # noqa: ARG002 (as retrievers)
            return {"documents": documents}

        @package.component.output_types(documents=list[package.Document])
        async def run_async(self, documents: list[package.Document], top_k: int | None = None) -> dict[str, Any]:  # noqa: ARG002 (as retrievers)
            return {"documents": documents}

    pipeline = package.Pipeline()
    for number in range(LENGTH):
        pipeline.add_component(f"c{number:02}", Pass())
        if number:
            pipeline.connect(f"c{number - 1:02}", f"c{number:02}")
    return pipeline


def documents(package: Any, count: int) -> list[Any]:
    """Return documents as a retriever gives them: some metadata and an embedding of 384 numbers."""
    meta = {"title": "t", "page": 3, "tags": ["a", "b"], "source_id": "s"}
    return [package.Document(content="word " * 100, meta=dict(meta), embedding=[0.5] * 384) for _ in range(count)]


def runs(package: Any, count: int, *, run_async: bool) -> Callable[[], None]:
    """Return an action: some runs, each with this number of documents."""
    pipeline, data = chain(package), {"c00": {"documents": documents(package, count)}}

    async def awaited() -> None:
        for _ in range(RUNS):
            await pipeline.run_async(data)

    def plain() -> None:
        for _ in range(RUNS):
            pipeline.run(data)

    return (lambda: asyncio.run(awaited())) if run_async else plain


def rows() -> list[Row]:
    """Return the microseconds a component."""
    found = []
    for run_async in (False, True):
        for count in (0, 10, 100):
            sides = {
                name: [runs(package, count, run_async=run_async)]
                for name, package in (("ours", spaniel), ("theirs", haystack))
            }
            costs = {
                name: milliseconds * 1000 / RUNS / LENGTH
                for name, milliseconds in clock.interleaved(sides, ROUNDS).items()
            }
            label = f"pipeline, {'run_async' if run_async else 'run'}"
            found.append(row("haystack-ai", label, count, costs["ours"], costs["theirs"], "µs a component"))
    return found
