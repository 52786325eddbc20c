"""Execution of a pipeline run: its schedule as a program of `spaniel.runtime`."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from typing import TypeAlias

from spaniel.core.component import Component
from spaniel.core.component.annotations import Value
from spaniel.dataclasses.mutation import Owner
from spaniel.errors import PipelineRuntimeError
from spaniel.pipeline.ownership import deep_copy
from spaniel.pipeline.run_state import ComponentCall, RunState
from spaniel.pipeline.schedule import schedule
from spaniel.runtime import Call, Gather, Program, execute_async
from spaniel.runtime.concurrency import wait_until_done

OnFinish: TypeAlias = Callable[[str, dict[str, Value]], None]
"""Called with the name and the outputs of each component that adds to the result."""

_MAX_SHOWN_CHARACTERS = 80


def run_components(run: RunState, limit: int, on_finish: OnFinish = lambda _name, _outputs: None) -> Program[None]:
    """Run the components of a pipeline, at most `limit` at a time."""
    with Owner(run.is_owned):
        if limit == 1:
            yield from _run_calls(run, schedule(run, limit), on_finish)
        else:
            calls = schedule(run, limit)
            yield Gather((None if call is None else _run_calls(run, [call], on_finish) for call in calls), limit)


def _run_calls(run: RunState, calls: Iterable[ComponentCall | None], on_finish: OnFinish) -> Program[None]:
    for call in calls:
        if call is None:
            continue
        try:
            outputs = yield Call(call.node.instance, Component.run, call.arguments)
        except PipelineRuntimeError as error:  # from a pipeline inside the component
            error.add_note(f"It runs inside the component '{call.node.name}'.")
            raise
        except Exception as error:
            raise make_component_error(call, error) from error
        if added := run.finish(call.node, outputs):
            on_finish(call.node.name, added)


async def iterate_outputs(run: RunState, limit: int) -> AsyncGenerator[tuple[str, dict[str, Value]], None]:
    """Run the components, and yield name and copied outputs of each that adds to the result."""
    outputs: asyncio.Queue[tuple[str, dict[str, Value]] | None] = asyncio.Queue()
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
    """Return the error with a failed component, its type, its arguments and the cause."""
    kind = type(call.node.instance)
    arguments = ", ".join(f"{name}={summarize_value(value)}" for name, value in call.arguments.items())
    return PipelineRuntimeError(
        call.node.name,
        kind,
        f"A component of the pipeline failed.\n"
        f"Component name: '{call.node.name}'\n"
        f"Component type: '{kind.__name__}'\n"
        f"Error: {type(error).__name__}: {error}\n"
        f"Input: {arguments or 'none'}",
    )


def summarize_value(value: Value) -> str:
    """Return a short description: the type and number of elements of a long container.

    >>> summarize_value([0.5, 0.25, 1.0]), summarize_value("third"), summarize_value({"field": "lang"})
    ('list of 3 float', "'third'", "{'field': 'lang'}")
    """
    if isinstance(value, (list, tuple, set)) and value:
        kinds = sorted({type(item).__name__ for item in value})
        return f"{type(value).__name__} of {len(value)} {' and '.join(kinds)}"
    text = repr(value)
    if len(text) <= _MAX_SHOWN_CHARACTERS:
        return text
    if isinstance(value, Mapping):
        return f"{type(value).__name__} with the keys {list(value)[:10]}"
    return f"{text[:_MAX_SHOWN_CHARACTERS]}... ({len(text)} characters)"
