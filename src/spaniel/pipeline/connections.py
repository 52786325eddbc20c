"""Resolution of a connection: the output and the input that two names mean."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from typing import TypeVar

from spaniel.core.component import InputSocket, OutputSocket
from spaniel.core.component.annotations import format_type
from spaniel.errors import PipelineConnectError
from spaniel.pipeline.conversion import find_conversion
from spaniel.pipeline.graph import ComponentNode, Edge, InputPort, Nodes
from spaniel.pipeline.type_compatibility import is_assignable, is_list

S = TypeVar("S", InputSocket, OutputSocket)


def resolve_edge(nodes: Nodes, sender: str, receiver: str, *, check_types: bool) -> Edge:
    """Return the edge between two components or sockets (``"component.socket"``)."""
    (sender_name, _, output_name), (receiver_name, _, input_name) = sender.partition("."), receiver.partition(".")
    if sender_name == receiver_name:
        raise PipelineConnectError(f"'{sender_name}' can't be connected to itself.")
    source, target = find_node(nodes, sender_name), find_node(nodes, receiver_name)
    if not source.outputs:
        raise PipelineConnectError(
            f"'{sender_name}' does not have any output connections. Declare them with @component.output_types on "
            f"{type(source.instance).__name__}.run."
        )
    outputs = _select_sockets(source.outputs, sender_name, output_name, "output")
    sockets = {name: port.socket for name, port in target.inputs.items()}
    inputs = _select_sockets(sockets, receiver_name, input_name, "input")
    pairs = [Edge(sender_name, output, receiver_name, input_) for output, input_ in product(outputs, inputs)]
    edges = _match_types(pairs) if check_types else pairs
    if len(edges) != 1:
        same_name = [edge for edge in edges if edge.output.name == edge.input.name]
        if len(same_name) != 1:
            raise PipelineConnectError(_explain_mismatch(pairs, edges, source, target))
        edges = same_name
    port = target.inputs[edges[0].input.name]
    is_new = edges[0].endpoints not in (known.endpoints for known in source.edges)
    if is_new and not accepts_another_sender(port):
        raise PipelineConnectError(
            f"'{receiver_name}.{port.socket.name}' is already connected to '{next(iter(port.senders))}'. Only a variadic "
            f"input or one of a list type takes several senders; its type is {format_type(port.socket.type)}."
        )
    return edges[0]


def find_node(nodes: Nodes, name: str) -> ComponentNode:
    """Return the node of a component."""
    if name not in nodes:
        raise ValueError(f"Component named {name} not found in the pipeline; it has {sorted(nodes)}.")
    return nodes[name]


def accepts_another_sender(port: InputPort) -> bool:
    """Return True for an input without a sender, a variadic input and one of a list type."""
    return port.accepts_more or is_list(port.socket.type)


def _select_sockets(sockets: Mapping[str, S], component: str, name: str, kind: str) -> list[S]:
    if not name:
        return list(sockets.values())
    if name not in sockets:
        listed = ", ".join(f"{known} (type {format_type(socket.type)})" for known, socket in sockets.items())
        raise PipelineConnectError(
            f"'{component}.{name}' does not exist. {kind.capitalize()} connections of {component} are: {listed}"
        )
    return [sockets[name]]


def _match_types(pairs: list[Edge]) -> list[Edge]:
    """Return the pairs of assignable types; if there are none, those that a conversion joins."""
    if assignable := [pair for pair in pairs if is_assignable(pair.output.type, pair.input.type)]:
        return assignable
    converted = (replace(pair, conversion=find_conversion(pair.output.type, pair.input.type)) for pair in pairs)
    return [pair for pair in converted if pair.conversion]


def _explain_mismatch(pairs: list[Edge], matches: list[Edge], source: ComponentNode, target: ComponentNode) -> str:
    ends = source.name, target.name
    if matches:
        sender, receiver = matches[0].endpoints
        reason = f"more than one connection is possible. Name the sockets, as in connect('{sender}', '{receiver}')."
    elif len(pairs) == 1:
        ends = pairs[0].endpoints
        reason = "their declared input and output types do not match."
    else:
        reason = "no matching connections available."
    outputs = {pair.output.name: format_type(pair.output.type) for pair in pairs}
    inputs = {pair.input.name: format_type(pair.input.type) for pair in pairs}
    lines = [f"Cannot connect '{ends[0]}' with '{ends[1]}': {reason}"]
    lines += [f"'{source.name}':", *(f" - {name}: {type_}" for name, type_ in outputs.items()), f"'{target.name}':"]
    for name, type_ in inputs.items():
        senders = ", ".join(target.inputs[name].senders)
        lines.append(f" - {name}: {type_} ({f'sent by {senders}' if senders else 'available'})")
    return "\n".join(lines)
