"""The state of a pipeline run: values received by each input, run counts, outputs."""

import itertools
import logging
from collections.abc import Collection, Mapping
from typing import NamedTuple

from spaniel.core.component.annotations import Value, format_type
from spaniel.errors import PipelineMaxComponentRuns, PipelineRuntimeError
from spaniel.pipeline.graph import ComponentNode, Edge, InputPort, Nodes, compute_run_order
from spaniel.pipeline.inputs import RunInputs
from spaniel.pipeline.ownership import CopyOnShare, OwnedArguments, deep_copy

logger = logging.getLogger(__name__)


class NoOutput:
    """Received for an output that its component did not return."""


class ReceivedValue(NamedTuple):
    """A value, or `NoOutput`, at an input; the sender is None for the caller of the run."""

    sender: str | None
    value: Value


class ComponentCall(NamedTuple):
    """A component to run, with its arguments."""

    node: ComponentNode
    arguments: dict[str, Value]


class RunState:
    """The state of a run: received values, and the components that run now."""

    def __init__(
        self, nodes: Nodes, inputs: RunInputs, include: Collection[str], max_runs: int, *, in_order: bool = False
    ) -> None:
        self.nodes = nodes
        self.run_counts = dict.fromkeys(nodes, 0)
        self.running: dict[str, OwnedArguments] = {}
        self.changed: set[str] = set(nodes)
        self.outputs: dict[str, dict[str, Value]] = {}
        self.received: dict[str, dict[str, list[ReceivedValue]]] = {name: {} for name in nodes}
        for component, values in inputs.items():
            self.received[component] = {name: [ReceivedValue(None, value)] for name, value in values.items()}
        self._include = include
        self._max_runs = max_runs
        # A connected list input accepts a list of the caller too, in this run.
        self._joined = {(component, name) for component, values in inputs.items() for name in values}
        is_sorted = in_order and any(len(port.senders) > 1 for node in nodes.values() for port in node.inputs.values())
        self._order = compute_run_order(nodes) if is_sorted else None

    def start(self, name: str) -> ComponentCall:
        """Return the call of a component, and consume its values, except those of the caller."""
        if self.run_counts[name] >= self._max_runs:
            raise PipelineMaxComponentRuns(
                f"Maximum run count {self._max_runs} reached for component '{name}'. If its loop needs more runs, raise "
                "max_runs_per_component."
            )
        node, received = self.nodes[name], self.received[name]
        arguments: dict[str, Value] = {}
        remaining: dict[str, list[ReceivedValue]] = {}
        for input_name, port in node.inputs.items():
            received_values = received.get(input_name, ())
            values = self._extract_values(received_values)
            if values:
                arguments[input_name] = self._build_argument(name, input_name, port, values)
            elif not port.socket.is_mandatory:
                default = deep_copy(port.socket.default_value)
                arguments[input_name] = [default] if port.socket.is_variadic else default
            from_caller = [each for each in received_values if each.sender is None]
            # A value that remains at a greedy input would start the component for ever.
            if from_caller and not (port.socket.is_greedy and values):
                remaining[input_name] = from_caller
        self.received[name] = remaining
        self.run_counts[name] += 1
        self.running[name] = OwnedArguments(arguments)
        self.changed.add(name)
        return ComponentCall(node, arguments)

    def is_owned(self, value: object) -> bool:
        """Return True for a record in the arguments of a running component."""
        return any(owned.contains(value) for owned in list(self.running.values()))

    def finish(self, node: ComponentNode, outputs: object) -> dict[str, Value]:
        """Send the outputs of a component to their receivers, and return those for the result."""
        self.running.pop(node.name, None)
        if type(outputs) is not dict and not isinstance(outputs, Mapping):
            kind = type(node.instance)
            raise PipelineRuntimeError(
                node.name,
                kind,
                f"The component '{node.name}' of type {kind.__name__} returned an invalid output: expected a "
                f"dictionary of its outputs, but got {type(outputs).__name__}.",
            )
        _warn_of_undeclared(node, outputs)
        is_included = node.name in self._include
        consumed = node.consumed
        result = {name: value for name, value in outputs.items() if is_included or name not in consumed}
        sharing = CopyOnShare() if len(node.edges) + len(result) > 1 else None
        for edge in node.edges:
            value = outputs.get(edge.output.name, NoOutput)
            if value is not NoOutput:
                value = _convert(self.nodes, edge, value if sharing is None else sharing.share(value))
            self._receive(edge, value)
        if sharing is not None:
            result = {name: sharing.share(value) for name, value in result.items()}
        if result or is_included:
            self.outputs[node.name] = result
        return result

    def _receive(self, edge: Edge, value: Value) -> None:
        received = self.received[edge.receiver].setdefault(edge.input.name, [])
        port = self.nodes[edge.receiver].inputs[edge.input.name]
        if self._collects(edge.receiver, edge.input.name, port):
            received.append(ReceivedValue(edge.sender, value))
        elif not received or value is not NoOutput:
            received[:] = [ReceivedValue(edge.sender, value)]
        self.changed.add(edge.receiver)

    def _collects(self, component: str, name: str, port: InputPort) -> bool:
        return port.collects or (not port.socket.is_greedy and (component, name) in self._joined)

    def _extract_values(self, received: Collection[ReceivedValue]) -> list[Value]:
        if self._order is not None and len(received) > 1:
            order = self._order
            received = sorted(received, key=lambda each: -1 if each.sender is None else order[each.sender])
        # The caller still owns its values, so the component gets a copy.
        return [deep_copy(value) if sender is None else value for sender, value in received if value is not NoOutput]

    def _build_argument(self, component: str, name: str, port: InputPort, values: list[Value]) -> Value:
        if port.socket.is_greedy:
            return values[:1]
        if not self._collects(component, name, port):
            return values[0]
        if port.socket.is_variadic:
            return values
        if len(values) == 1:
            return values[0]
        return list(itertools.chain(*(value for value in values if value is not None)))


def _warn_of_undeclared(node: ComponentNode, outputs: Mapping[str, Value]) -> None:
    if node.outputs and not outputs.keys() <= node.outputs.keys():
        logger.warning(
            "The component '%s' of type %s returned outputs that it does not declare, so they are not sent: %s",
            node.name,
            type(node.instance).__name__,
            sorted(outputs.keys() - node.outputs.keys()),
        )


def _convert(nodes: Nodes, edge: Edge, value: Value) -> Value:
    try:
        for function in edge.conversion:
            value = function(value)
    except Exception as error:
        sender, receiver = edge.endpoints
        raise PipelineRuntimeError(
            edge.sender,
            type(nodes[edge.sender].instance),
            f"The value of '{sender}' ({format_type(edge.output.type)}) can't be converted for '{receiver}' "
            f"({format_type(edge.input.type)}): {error}",
        ) from error
    return value
