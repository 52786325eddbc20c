import asyncio
import threading

import pytest

from spaniel import Pipeline, component, trace
from spaniel.core.component import Variadic
from spaniel.errors import PipelineRuntimeError
from tests.pipeline.paired_components import OURS


class Meeting:
    """A place where several must be at the same time."""

    def __init__(self, parties):
        self.parties, self.arrived, self.all_there = parties, 0, asyncio.Event()

    async def attend(self):
        self.arrived += 1
        if self.arrived == self.parties:
            self.all_there.set()
        await asyncio.wait_for(self.all_there.wait(), 5)


@component
class Attend:
    def __init__(self, meeting):
        self.meeting = meeting

    @component.output_types(value=int)
    def run(self, value: int):
        return {"value": value}

    @component.output_types(value=int)
    async def run_async(self, value: int):
        await self.meeting.attend()
        return {"value": value}


@component
class Wait:
    """Waits for ever, and remembers how it ended."""

    def __init__(self):
        self.ended = None
        self.started = asyncio.Event()

    @component.output_types(value=int)
    def run(self):
        return {"value": 1}

    @component.output_types(value=int)
    async def run_async(self):
        self.started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await asyncio.sleep(0)
            self.ended = "cancelled"
            raise


@component
class Slow:
    def __init__(self, seconds):
        self.seconds = seconds

    @component.output_types(value=float)
    def run(self):
        return {"value": self.seconds}

    @component.output_types(value=float)
    async def run_async(self):
        await asyncio.sleep(self.seconds)
        return {"value": self.seconds}


@component
class Collect:
    @component.output_types(values=list[float])
    def run(self, values: Variadic[float]):
        return {"values": list(values)}


@component
class Thread:
    def __init__(self):
        self.go, self.entered, self.finished = threading.Event(), threading.Event(), False

    @component.output_types(value=int)
    def run(self):
        self.entered.set()
        self.go.wait(5)
        self.finished = True
        return {"value": 1}


async def test_independent_components_run_in_parallel():
    meeting = Meeting(3)
    pipeline = Pipeline().add_components({name: Attend(meeting) for name in "abc"})
    assert await pipeline.run_async({"value": 1}) == {name: {"value": 1} for name in "abc"}


async def test_concurrency_limit_bounds_running_components():
    running, most = 0, 0

    @component
    class Count:
        @component.output_types(n=int)
        def run(self):
            return {"n": 1}

        @component.output_types(n=int)
        async def run_async(self):
            nonlocal running, most
            running += 1
            most = max(most, running)
            await asyncio.sleep(0.001)
            running -= 1
            return {"n": 1}

    await Pipeline().add_components({name: Count() for name in "abcdef"}).run_async({}, concurrency_limit=2)
    assert most == 2
    with pytest.raises(ValueError, match="concurrency_limit"):
        await Pipeline().run_async({}, concurrency_limit=0)


async def test_component_starts_as_soon_as_its_inputs_arrive():
    slow, meeting = Wait(), Meeting(1)
    pipeline = Pipeline().add_components({"a_slow": slow, "b": OURS.Constant(), "c": Attend(meeting)})
    pipeline.connect("b.value", "c.value")
    task = asyncio.create_task(pipeline.run_async({}))
    await asyncio.wait_for(meeting.all_there.wait(), 5)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_joined_values_have_the_order_of_a_sync_run():
    pipeline = Pipeline().add_components({"a": Slow(0.03), "b": Slow(0.0), "c": Slow(0.01), "collect": Collect()})
    pipeline.connect_many([(name, "collect") for name in "bca"])
    assert await pipeline.run_async({}) == pipeline.run({}) == {"collect": {"values": [0.03, 0.0, 0.01]}}


async def test_failure_cancels_and_awaits_running_components():
    wait = Wait()
    pipeline = Pipeline().add_components({"wait": wait, "fragile": OURS.Fragile()})
    with pytest.raises(PipelineRuntimeError, match="Component name: 'fragile'"):
        await pipeline.run_async({"fragile": {"value": 5}})
    assert wait.ended in (None, "cancelled")
    assert (wait.ended == "cancelled") == wait.started.is_set()


async def test_cancelled_run_cancels_and_awaits_components():
    waits = {"a": Wait(), "b": Wait()}
    task = asyncio.create_task(Pipeline().add_components(waits).run_async({}))
    await asyncio.gather(*(wait.started.wait() for wait in waits.values()))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [wait.ended for wait in waits.values()] == ["cancelled", "cancelled"]
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_cancelled_run_awaits_components_in_threads():
    thread = Thread()
    task = asyncio.create_task(Pipeline().add_component("a", thread).run_async({}))
    await asyncio.to_thread(thread.entered.wait, 5)
    task.cancel()
    await asyncio.sleep(0.01)
    assert not task.done()
    thread.go.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert thread.finished


async def test_component_without_run_async_does_not_block():
    thread = Thread()

    @component
    class Release:
        @component.output_types(value=int)
        def run(self):
            return {"value": 1}

        @component.output_types(value=int)
        async def run_async(self):
            await asyncio.to_thread(thread.entered.wait, 5)
            thread.go.set()
            return {"value": 2}

    result = await Pipeline().add_components({"a": thread, "b": Release()}).run_async({})
    assert result == {"a": {"value": 1}, "b": {"value": 2}}


async def test_generator_yields_outputs_as_components_finish_then_all():
    pipeline = Pipeline().add_components({"a": Slow(0.02), "b": Slow(0.0)})
    parts = [part async for part in pipeline.run_async_generator({})]
    assert parts == [{"b": {"value": 0.0}}, {"a": {"value": 0.02}}, {"a": {"value": 0.02}, "b": {"value": 0.0}}]


async def test_closing_the_generator_cancels_components():
    wait = Wait()
    generator = Pipeline().add_components({"a": Slow(0.0), "wait": wait}).run_async_generator({})
    assert await anext(generator) == {"a": {"value": 0.0}}
    await generator.aclose()
    assert wait.ended == "cancelled"


async def test_partial_outputs_are_copies():
    pipeline = Pipeline().add_component("a", Collect())
    partial, result = [part async for part in pipeline.run_async_generator({"values": 1.0})]
    partial["a"]["values"].append(2.0)
    assert result == {"a": {"values": [1.0]}}


async def test_async_loop_ends_as_in_a_sync_run():
    pipeline = Pipeline().add_components({"first": OURS.First(), "add": OURS.Add(3), "branch": OURS.Branch(9)})
    pipeline.connect_many([("first", "add.value"), ("add", "branch"), ("branch.below", "first")])
    assert await pipeline.run_async({"first": {"value": 1}}) == {"branch": {"above": 10}}


async def test_trace_covers_threads_and_tasks():
    from spaniel import Document
    from spaniel.components.retrievers.in_memory import InMemoryBM25Retriever
    from spaniel.document_stores.in_memory import InMemoryDocumentStore

    store = InMemoryDocumentStore()
    store.write_documents([Document(content="dog")])
    with trace() as opened:
        await Pipeline().add_component("a", InMemoryBM25Retriever(store)).run_async({"query": "dog"})
    assert [stage.name for stage in opened.stages] == ["InMemoryBM25Retriever"]


async def test_warms_up_and_closes_by_async_methods():
    calls = []

    @component
    class Heavy:
        async def warm_up_async(self):
            calls.append("warm_up_async")

        async def close_async(self):
            calls.append("close_async")

        @component.output_types(n=int)
        def run(self):
            return {"n": 1}

    pipeline = Pipeline().add_component("a", Heavy())
    await pipeline.run_async({})
    await pipeline.close_async()
    assert calls == ["warm_up_async", "close_async"]
