"""What a pipeline itself costs a component, Spaniel beside haystack-ai, in one process, interleaved.

The components do nothing, so a run's time is the pipeline's. Each passes its documents on to the next.
usage: python -m benchmarks.pipeline_overhead [ROUNDS]
"""

import asyncio
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import haystack
import haystack.telemetry._telemetry as telemetry

import spaniel

telemetry.telemetry = None  # it sends usage data over the network

LENGTH = 10
RUNS = 5


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


def timed(action: Callable[[], object]) -> float:
    """Return the CPU seconds of an action, as other work on the machine then counts less."""
    started = time.process_time()
    action()
    return time.process_time() - started


def per_component(package: Any, count: int, *, run_async: bool) -> Callable[[], float]:
    """Return a measurement: microseconds a component, in runs with so many documents."""
    pipeline, data = chain(package), {"c00": {"documents": documents(package, count)}}

    async def runs_async() -> None:
        for _ in range(RUNS):
            await pipeline.run_async(data)

    def runs() -> None:
        for _ in range(RUNS):
            pipeline.run(data)

    def measure() -> float:
        seconds = timed((lambda: asyncio.run(runs_async())) if run_async else runs)
        return seconds / RUNS / LENGTH * 1e6

    return measure


def main(rounds: int) -> None:
    """Run and print."""
    print(f"microseconds a component, median of {rounds} rounds, CPU time")
    print(f"{'':22}{'spaniel':>10}{'haystack-ai':>14}{'ratio':>8}")
    for run_async in (False, True):
        for count in (0, 10, 100):
            ours, theirs = (per_component(package, count, run_async=run_async) for package in (spaniel, haystack))
            pairs = [(ours(), theirs()) for _ in range(rounds)]
            our_time, their_time = (statistics.median(times) for times in zip(*pairs, strict=True))
            label = f"{'run_async' if run_async else 'run'}, {count} documents"
            print(f"{label:22}{our_time:10.1f}{their_time:14.1f}{our_time / their_time:8.3f}")


if __name__ == "__main__":
    main(int((sys.argv[1:] or ["50"])[0]))
