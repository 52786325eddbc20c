"""The two drivers of a run: one calls each component in turn, one lets them run side by side."""

import asyncio
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any

from spaniel.dataclasses.mutation import owner
from spaniel.errors import PipelineRuntimeError
from spaniel.pipeline.failure import component_failed
from spaniel.pipeline.ownership import Possession
from spaniel.pipeline.schedule import schedule
from spaniel.pipeline.state import Call, Run

if TYPE_CHECKING:
    from spaniel.pipeline.graph import Node


def drive(run: Run) -> None:
    """Run the components one after another.

    :raises PipelineRuntimeError: one failed.
    """
    for call in schedule(run, limit=1):
        if call is not None:
            run.finish(call.node, _called(call))


def _called(call: Call) -> object:
    try:
        with owner(Possession(call.arguments).holds):
            return call.node.instance.run(**call.arguments)
    except PipelineRuntimeError as error:  # of a pipeline inside the component: it names what failed there
        error.add_note(f"It runs inside the component '{call.node.name}'.")
        raise
    except Exception as error:
        raise component_failed(call, error) from error


async def drive_async(run: Run, limit: int) -> AsyncGenerator[tuple[str, dict[str, Any]], None]:
    """Run components side by side, and yield the name and outputs of each that adds to the result.

    However it ends, no component is left running: the others are cancelled and awaited.

    :param limit: how many components at a time.
    :raises PipelineRuntimeError: one failed.
    """
    tasks: dict[asyncio.Task[object], Node] = {}
    try:
        for call in schedule(run, limit):
            if call is not None:
                tasks[asyncio.create_task(_called_async(call), name=call.node.name)] = call.node
                continue
            if len(tasks) > 1:
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            task = next((task for task in tasks if task.done()), next(iter(tasks)))
            outputs = await task
            node = tasks.pop(task)
            if added := run.finish(node, outputs):
                yield node.name, added
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _called_async(call: Call) -> object:
    run_async = getattr(call.node.instance, "run_async", None)
    try:
        with owner(Possession(call.arguments).holds):
            return await (_in_thread(call) if run_async is None else run_async(**call.arguments))
    except PipelineRuntimeError as error:
        error.add_note(f"It runs inside the component '{call.node.name}'.")
        raise
    except Exception as error:
        raise component_failed(call, error) from error


async def _in_thread(call: Call) -> object:
    thread = asyncio.ensure_future(asyncio.to_thread(call.node.instance.run, **call.arguments))
    try:
        return await asyncio.shield(thread)
    except asyncio.CancelledError:
        await asyncio.gather(thread, return_exceptions=True)  # a thread can't be stopped, so its end is awaited
        raise
