"""A run of a pipeline as a program: the schedule draws each component when it is its turn."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping
from typing import Any

from spaniel.core.component import Component
from spaniel.dataclasses.mutation import Owner
from spaniel.errors import PipelineRuntimeError
from spaniel.pipeline.ownership import deep_copy
from spaniel.pipeline.run_state import ComponentCall, Run
from spaniel.pipeline.schedule import schedule
from spaniel.runtime import Call, Gather, Program, execute_async
from spaniel.runtime.concurrency import wait_until_done

Finished = Callable[[str, dict[str, Any]], None]
"""Called with the name and outputs of each component that adds to the result."""
_RUN = Component.run
_SHOWN_CHARACTERS = 80


def run_components(run: Run, limit: int, finished: Finished = lambda _name, _outputs: None) -> Program[None]:
    """Run the components of a pipeline.

    :param limit: the number that run at the same time at most.
    :raises PipelineRuntimeError: one failed.
    """
    with Owner(run.owns):
        if limit == 1:
            yield from _run_in_turn(run, schedule(run, limit), finished)
        else:
            yield Gather(_run_each(run, limit, finished), limit)


def _run_each(run: Run, limit: int, finished: Finished) -> Iterator[Program[None] | None]:
    for call in schedule(run, limit):
        yield None if call is None else _run_in_turn(run, [call], finished)


def _run_in_turn(run: Run, calls: Iterable[ComponentCall | None], finished: Finished) -> Program[None]:
    for call in calls:
        if call is None:
            continue
        try:
            outputs = yield Call(call.node.instance, _RUN, call.arguments)
        except PipelineRuntimeError as error:  # of a pipeline inside the component: it names what failed there
            error.add_note(f"It runs inside the component '{call.node.name}'.")
            raise
        except Exception as error:
            raise make_component_error(call, error) from error
        if added := run.finish(call.node, outputs):
            finished(call.node.name, added)


async def iterate_outputs(run: Run, limit: int) -> AsyncGenerator[tuple[str, dict[str, Any]], None]:
    """Run the components of a pipeline, and yield the name and a copy of the outputs of each that adds to the result.

    However it ends, no component is left running: the others are cancelled and awaited.
    """
    outputs: asyncio.Queue[tuple[str, dict[str, Any]] | None] = asyncio.Queue()
    program = run_components(run, limit, lambda name, added: outputs.put_nowait((name, deep_copy(added))))
    task = asyncio.create_task(execute_async(program))
    task.add_done_callback(lambda _: outputs.put_nowait(None))
    try:
        while (each := await outputs.get()) is not None:
            yield each
        await task
    finally:
        task.cancel()
        await wait_until_done([task])


def make_component_error(call: ComponentCall, error: Exception) -> PipelineRuntimeError:
    """Return the error that names the component, its type, what it was given, and what it raised."""
    kind = type(call.node.instance)
    given = ", ".join(f"{name}={summary(value)}" for name, value in call.arguments.items())
    return PipelineRuntimeError(
        call.node.name,
        kind,
        f"A component of the pipeline failed.\n"
        f"Component name: '{call.node.name}'\n"
        f"Component type: '{kind.__name__}'\n"
        f"Error: {type(error).__name__}: {error}\n"
        f"Input: {given or 'none'}",
    )


def summary(value: Any) -> str:
    """Return a value in few words: short ones whole, lists and mappings as what they hold.

    >>> summary([0.5, 0.25, 1.0]), summary("third"), summary({"field": "lang"})
    ('list of 3 float', "'third'", "{'field': 'lang'}")
    """
    if isinstance(value, (list, tuple, set)) and value:
        kinds = sorted({type(item).__name__ for item in value})
        return f"{type(value).__name__} of {len(value)} {' and '.join(kinds)}"
    if isinstance(value, Mapping) and len(repr(value)) > _SHOWN_CHARACTERS:
        return f"{type(value).__name__} with the keys {list(value)[:10]}"
    text = repr(value)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}... ({len(text)} characters)"
