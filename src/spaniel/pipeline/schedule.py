"""Which component runs next. One algorithm for `Pipeline.run` and `Pipeline.run_async`: it says what to start and when to
wait, and its caller does so.
"""

import enum
import logging
from collections.abc import Generator

from spaniel.errors import PipelineComponentsBlockedError
from spaniel.pipeline.graph import Node, compute_flow_order, describe_outputs
from spaniel.pipeline.run_state import ComponentCall, Nothing, ReceivedValue, Run

logger = logging.getLogger(__name__)


class Priority(enum.IntEnum):
    """How urgent it is to run a component."""

    ALONE = 1
    """A greedy input has its value; nothing else may run beside it, since that could send it another."""
    READY = 2
    """All components that feed it have run."""
    DEFERRED = 3
    """It can run, but more values may come."""
    BLOCKED = 4
    """A mandatory input has no value, or nothing has happened since it last ran."""


Steps = Generator[ComponentCall | None, None, None]
"""What to do: start a call; at None, wait until one of those that were started has finished."""


def schedule(run: Run, limit: int) -> Steps:
    """Yield what to start and when to wait, until nothing can run any more.

    Components that are ready run in the order of their names. If there are none, one of the deferred runs: the first along
    the flow of values.

    :param run: the state; the caller finishes each call in it.
    :param limit: how many components may run at the same time.
    :raises PipelineComponentsBlockedError: not one component can start.
    """
    priorities = dict.fromkeys(run.nodes, Priority.BLOCKED)
    _update(priorities, run)
    if priorities and min(priorities.values()) is Priority.BLOCKED:
        raise PipelineComponentsBlockedError(None, None, _all_blocked(run))
    while True:
        while len(run.running) >= limit:
            yield None
        batch = _batch(priorities, run)
        if not batch and not run.running:
            batch = _deferred(priorities, run)
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


def priority_of(node: Node, arrived: dict[str, list[ReceivedValue]], visits: int) -> Priority:
    """Return how urgent it is to run a component.

    :param arrived: what has arrived at its inputs.
    :param visits: how often it has run. What the caller passed starts a component once; a value from another component
        starts it each time.
    """
    triggered = visits == 0 and not node.has_senders
    greedy = False
    complete = True
    heard_of_all = True
    for name, inlet in node.inputs.items():
        arrivals = arrived.get(name, ())
        has_value = False
        for sender, value in arrivals:
            if value is not Nothing:
                has_value = True
                triggered = triggered or sender is not None or visits == 0
        if not has_value:
            if inlet.socket.is_mandatory:
                return Priority.BLOCKED
            complete = complete and not inlet.senders
        elif inlet.is_greedy:
            greedy = True
        if inlet.senders and inlet.senders.keys() != {sender for sender, _ in arrivals if sender is not None}:
            heard_of_all = False
    if not triggered:
        return Priority.BLOCKED
    if greedy and complete:
        return Priority.ALONE
    return Priority.READY if heard_of_all else Priority.DEFERRED


def _update(priorities: dict[str, Priority], run: Run) -> None:
    for name in run.changed:
        priorities[name] = priority_of(run.nodes[name], run.arrived[name], run.visits[name])
    run.changed.clear()


def _batch(priorities: dict[str, Priority], run: Run) -> list[str]:
    _update(priorities, run)
    due, running = Priority.READY, run.running
    ready = [name for name, priority in priorities.items() if priority <= due and name not in running]
    return sorted(ready, key=lambda name: (priorities[name], name)) if len(ready) > 1 else ready


def _deferred(priorities: dict[str, Priority], run: Run) -> list[str]:
    names = [name for name, priority in priorities.items() if priority is Priority.DEFERRED]
    if len(names) > 1:
        order = compute_flow_order(run.nodes)
        return [min(names, key=lambda name: (order[name], name.lower()))]
    return names


def _all_blocked(run: Run) -> str:
    return "\n".join(
        [
            "Cannot run the pipeline: no component can start.",
            *map(_missing, run.nodes.values()),
            "Pass one of them a value, or give an input that closes a loop a default value.",
        ]
    )


def _missing(node: Node) -> str:
    waits = [
        f"'{name}' from {' or '.join(inlet.senders)}"
        for name, inlet in node.inputs.items()
        if inlet.senders and inlet.socket.is_mandatory
    ]
    return f" - '{node.name}' ({type(node.instance).__name__}) waits for {', '.join(waits) or 'any value'}"


def _warn_if_stuck(run: Run) -> None:
    """Warn where the run ends without any of the outputs that the pipeline is there for."""
    if run.outputs.keys() & describe_outputs(run.nodes).keys() or not describe_outputs(run.nodes):
        return
    waiting = [node for node in run.nodes.values() if run.visits[node.name] == 0]
    logger.warning(
        "Cannot run pipeline - the pipeline appears to be blocked. It gave no output. These components never ran:\n%s\nThat is right if a branch "
        "was not taken; else check their connections and inputs.",
        "\n".join(map(_missing, waiting)),
    )
