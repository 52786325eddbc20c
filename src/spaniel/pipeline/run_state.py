"""One run of a pipeline: what has arrived at each input, how often each component has run, what comes out."""

import itertools
import logging
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from spaniel.core.component.annotations import format_type
from spaniel.errors import PipelineMaxComponentRuns, PipelineRuntimeError
from spaniel.pipeline.graph import Edge, InputPort, Node, Nodes, compute_run_order
from spaniel.pipeline.inputs import Given
from spaniel.pipeline.ownership import CopyOnShare, OwnedArguments, deep_copy

logger = logging.getLogger(__name__)


class Nothing:
    """Stands for the value of an output that a component did not give when it ran."""


class ReceivedValue(NamedTuple):
    """A value at an input: who sent it (None: the caller), and the value, or `Nothing`."""

    sender: str | None
    value: Any


class ComponentCall(NamedTuple):
    """A component to run, and the arguments for it."""

    node: Node
    arguments: dict[str, Any]


class Run:
    """The state of one run. A component is started, then finished; in between it is among `running`.

    :param nodes: the pipeline.
    :param given: what the caller passed, checked.
    :param include: the components whose outputs are all part of the result.
    :param max_runs: how often a component may run.
    :param in_order: whether values that components send to one input at the same time are put into the order in which
        `Pipeline.run` would send them.
    """

    def __init__(
        self, nodes: Nodes, given: Given, include: Collection[str], max_runs: int, *, in_order: bool = False
    ) -> None:
        self.nodes = nodes
        self.visits = dict.fromkeys(nodes, 0)
        self.running: dict[str, dict[str, Any]] = {}
        self._possessions: dict[str, OwnedArguments] = {}
        self.changed: set[str] = set(nodes)
        self.outputs: dict[str, dict[str, Any]] = {}
        self.arrived: dict[str, dict[str, list[ReceivedValue]]] = {name: {} for name in nodes}
        for component, values in given.items():
            self.arrived[component] = {name: [ReceivedValue(None, value)] for name, value in values.items()}
        self._include = include
        self._max_runs = max_runs
        # A list input that a component feeds takes the caller's list besides, in this run.
        self._joined = {(component, name) for component, values in given.items() for name in values}
        self._order = compute_run_order(nodes) if in_order and _has_collecting_inputs(nodes) else None

    def start(self, name: str) -> ComponentCall:
        """Return the call of a component whose turn it is; what had arrived for it is used up.

        What the caller passed stays for its next turn.

        :raises PipelineMaxComponentRuns: it has run as often as it may.
        """
        if self.visits[name] >= self._max_runs:
            raise PipelineMaxComponentRuns(
                f"Maximum run count {self._max_runs} reached for component '{name}'. If its loop needs more rounds to come "
                "to its end, raise max_runs_per_component."
            )
        node, arrived = self.nodes[name], self.arrived[name]
        arguments: dict[str, Any] = {}
        kept: dict[str, list[ReceivedValue]] = {}
        for input_name, inlet in node.inputs.items():
            arrivals = arrived.get(input_name, ())
            values = self._values(arrivals)
            if values:
                arguments[input_name] = self._argument(name, input_name, inlet, values)
            elif not inlet.socket.is_mandatory:
                default = deep_copy(inlet.socket.default_value)
                arguments[input_name] = [default] if inlet.socket.variadic else default
            from_caller = [arrival for arrival in arrivals if arrival.sender is None]
            if from_caller and not (inlet.is_greedy and values):  # else it would start the component for ever
                kept[input_name] = from_caller
        self.arrived[name] = kept
        self.visits[name] += 1
        self.running[name] = arguments
        self.changed.add(name)
        return ComponentCall(node, arguments)

    def owns(self, value: object) -> bool:
        """Return True for a record among the arguments of a component that runs."""
        return any(
            self._possessions.setdefault(name, OwnedArguments(arguments)).holds(value)
            for name, arguments in list(self.running.items())
        )

    def finish(self, node: Node, outputs: object) -> dict[str, Any]:
        """Send a component's outputs on, and return those that belong to the result.

        :raises PipelineRuntimeError: they are no mapping, or one of them can't be converted for the input it is sent to.
        """
        self.running.pop(node.name, None)
        self._possessions.pop(node.name, None)
        if type(outputs) is not dict and not isinstance(outputs, Mapping):
            raise PipelineRuntimeError(
                node.name,
                type(node.instance),
                f"The component '{node.name}' of type {type(node.instance).__name__} returned an invalid output: expected a "
                f"dictionary of its outputs, but got {type(outputs).__name__}.",
            )
        _warn_of_undeclared(node, outputs)
        is_included = node.name in self._include
        consumed = node.consumed
        result = {name: value for name, value in outputs.items() if is_included or name not in consumed}
        handover = CopyOnShare() if len(node.edges) + len(result) > 1 else None
        for edge in node.edges:
            value = outputs.get(edge.output.name, Nothing)
            if value is not Nothing:
                value = _converted(self.nodes, edge, value if handover is None else handover.give(value))
            self._arrive(edge, value)
        if handover is not None:
            result = {name: handover.give(value) for name, value in result.items()}
        if result or is_included:
            self.outputs[node.name] = result
        return result

    def _arrive(self, edge: Edge, value: Any) -> None:
        arrived = self.arrived[edge.receiver]
        inlet = self.nodes[edge.receiver].inputs[edge.input.name]
        arrivals = arrived.setdefault(edge.input.name, [])
        if self._collects(edge.receiver, edge.input.name, inlet):
            arrivals.append(ReceivedValue(edge.sender, value))
        elif not arrivals or value is not Nothing:
            arrivals[:] = [ReceivedValue(edge.sender, value)]
        self.changed.add(edge.receiver)

    def _collects(self, component: str, name: str, inlet: InputPort) -> bool:
        return inlet.collects or (not inlet.is_greedy and (component, name) in self._joined)

    def _values(self, arrivals: Collection[ReceivedValue]) -> list[Any]:
        if self._order is not None and len(arrivals) > 1:
            order = self._order
            arrivals = sorted(arrivals, key=lambda arrival: -1 if arrival.sender is None else order[arrival.sender])
        # The caller still holds what it passed, so a component gets a copy.
        return [deep_copy(value) if sender is None else value for sender, value in arrivals if value is not Nothing]

    def _argument(self, component: str, name: str, inlet: InputPort, values: list[Any]) -> Any:
        if inlet.is_greedy:
            return values[:1]
        if not self._collects(component, name, inlet):
            return values[0]
        if inlet.socket.variadic:
            return values
        return (
            values[0] if len(values) == 1 else list(itertools.chain(*(value for value in values if value is not None)))
        )


def _has_collecting_inputs(nodes: Nodes) -> bool:
    return any(len(inlet.senders) > 1 for node in nodes.values() for inlet in node.inputs.values())


def _warn_of_undeclared(node: Node, outputs: Mapping[str, Any]) -> None:
    if node.outputs and not outputs.keys() <= node.outputs.keys():
        undeclared = outputs.keys() - node.outputs.keys()
        logger.warning(
            "The component '%s' of type %s returned outputs that it does not declare, so no component gets them: %s",
            node.name,
            type(node.instance).__name__,
            sorted(undeclared),
        )


def _converted(nodes: Nodes, edge: Edge, value: Any) -> Any:
    if edge.conversion is None:
        return value
    try:
        return edge.conversion(value)
    except Exception as error:
        sender, receiver = edge.ends
        raise PipelineRuntimeError(
            edge.sender,
            type(nodes[edge.sender].instance),
            f"The value of '{sender}' ({format_type(edge.output.type)}) can't be converted for '{receiver}' "
            f"({format_type(edge.input.type)}): {error}",
        ) from error
