"""The order of component runs: one algorithm for `Pipeline.run` and `Pipeline.run_async`."""

import enum
import logging
from collections.abc import Iterator

from spaniel.errors import PipelineComponentsBlockedError
from spaniel.pipeline.graph import ComponentNode, compute_flow_order, describe_outputs
from spaniel.pipeline.run_state import ComponentCall, NoOutput, ReceivedValue, RunState

logger = logging.getLogger(__name__)


class Priority(enum.IntEnum):
    """The urgency of a component's next run."""

    ALONE = 1  # a greedy input has a value; a component beside it could send it another
    READY = 2  # all of its senders have run
    DEFERRED = 3  # it can run, but may receive more values
    BLOCKED = 4  # a mandatory input has no value, or no value has arrived since its last run


def schedule(run: RunState, limit: int) -> Iterator[ComponentCall | None]:
    """Yield the calls to start, and None to wait for the end of a call, until none can run."""
    priorities = dict.fromkeys(run.nodes, Priority.BLOCKED)
    _update(priorities, run)
    if priorities and min(priorities.values()) is Priority.BLOCKED:
        waiting = "\n".join(map(_describe_missing, run.nodes.values()))
        raise PipelineComponentsBlockedError(
            None,
            None,
            f"Cannot run the pipeline: no component can start.\n{waiting}\n"
            "Pass a value to one of them, or give an input that closes a loop a default value.",
        )
    while True:
        while len(run.running) >= limit:
            yield None
        batch = _select_ready(priorities, run)
        if not batch and not run.running:
            batch = _select_deferred(priorities, run)
        if not batch and not run.running:
            _warn_if_stuck(run)
            return
        if not batch:
            yield None
        for name in batch:
            alone = priorities[name] is Priority.ALONE
            while run.running and (alone or len(run.running) >= limit):
                yield None
            yield run.start(name)
            if alone:
                yield None


def compute_priority(node: ComponentNode, received: dict[str, list[ReceivedValue]], run_count: int) -> Priority:
    """Return the priority of a component, by the values at its inputs and its number of runs."""
    triggered = run_count == 0 and not any(port.senders for port in node.inputs.values())
    greedy = False
    complete = True
    all_senders_ran = True
    for name, port in node.inputs.items():
        values = received.get(name, ())
        has_value = False
        for sender, value in values:
            if value is not NoOutput:
                has_value = True
                triggered = triggered or sender is not None or run_count == 0
        if not has_value:
            if port.socket.is_mandatory:
                return Priority.BLOCKED
            complete = complete and not port.senders
        elif port.socket.is_greedy:
            greedy = True
        if port.senders and port.senders.keys() != {sender for sender, _ in values if sender is not None}:
            all_senders_ran = False
    if not triggered:
        return Priority.BLOCKED
    if greedy and complete:
        return Priority.ALONE
    return Priority.READY if all_senders_ran else Priority.DEFERRED


def _update(priorities: dict[str, Priority], run: RunState) -> None:
    for name in run.changed:
        priorities[name] = compute_priority(run.nodes[name], run.received[name], run.run_counts[name])
    run.changed.clear()


def _select_ready(priorities: dict[str, Priority], run: RunState) -> list[str]:
    _update(priorities, run)
    lowest, running = Priority.READY, run.running
    ready = [name for name, priority in priorities.items() if priority <= lowest and name not in running]
    return sorted(ready, key=lambda name: (priorities[name], name)) if len(ready) > 1 else ready


def _select_deferred(priorities: dict[str, Priority], run: RunState) -> list[str]:
    names = [name for name, priority in priorities.items() if priority is Priority.DEFERRED]
    if len(names) > 1:
        order = compute_flow_order(run.nodes)
        return [min(names, key=lambda name: (order[name], name.lower()))]
    return names


def _describe_missing(node: ComponentNode) -> str:
    missing = [
        f"'{name}' from {' or '.join(port.senders)}"
        for name, port in node.inputs.items()
        if port.senders and port.socket.is_mandatory
    ]
    return f" - '{node.name}' ({type(node.instance).__name__}) waits for {', '.join(missing) or 'any value'}"


def _warn_if_stuck(run: RunState) -> None:
    """Warn if the run ends without any free output of the pipeline."""
    free_outputs = describe_outputs(run.nodes)
    if run.outputs.keys() & free_outputs.keys() or not free_outputs:
        return
    waiting = [node for node in run.nodes.values() if run.run_counts[node.name] == 0]
    logger.warning(
        "Cannot run pipeline - the pipeline appears to be blocked. It has no outputs, and these components did not run:\n"
        "%s\nIf this is not a branch that was skipped, check their connections and inputs.",
        "\n".join(map(_describe_missing, waiting)),
    )
