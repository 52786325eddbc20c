"""Resolution of a connection: the output and the input that two names mean."""

from collections.abc import Mapping
from itertools import product
from typing import NamedTuple, TypeVar

from spaniel.core.component import InputSocket, OutputSocket
from spaniel.core.component.annotations import format_type
from spaniel.errors import PipelineConnectError
from spaniel.pipeline.conversion import Conversion, find_conversion
from spaniel.pipeline.graph import ComponentNode, Edge, InputPort, Nodes
from spaniel.pipeline.type_compatibility import is_assignable, is_list

S = TypeVar("S", InputSocket, OutputSocket)


class _Match(NamedTuple):
    output: OutputSocket
    input: InputSocket
    conversion: Conversion | None


def resolve_edge(nodes: Nodes, sender: str, receiver: str, *, check_types: bool) -> Edge:
    """Return the edge between two named components or sockets. The graph is not changed.

    :param sender: ``"component"`` or ``"component.output"``.
    :param receiver: ``"component"`` or ``"component.input"``.
    :param check_types: reject sockets of incompatible types.
    :raises ValueError: a component does not exist.
    :raises PipelineConnectError: no pair of sockets matches, or several do, or the input is taken.
    """
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
    match = _choose_match(_find_matches(outputs, inputs, check_types=check_types), source, outputs, target, inputs)
    edge = Edge(sender_name, match.output, receiver_name, match.input, match.conversion)
    port = target.inputs[match.input.name]
    is_new = edge.endpoints not in (known.endpoints for known in source.edges)
    if is_new and not accepts_another_sender(port):
        raise PipelineConnectError(
            f"'{receiver_name}.{port.socket.name}' is already connected to '{next(iter(port.senders))}'. Only a variadic "
            f"input or one of a list type takes several senders; its type is {format_type(port.socket.type)}."
        )
    return edge


def find_node(nodes: Nodes, name: str) -> ComponentNode:
    """Return the node of a component.

    :raises ValueError: the component does not exist.
    """
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


def _find_matches(outputs: list[OutputSocket], inputs: list[InputSocket], *, check_types: bool) -> list[_Match]:
    """Return the pairs of assignable types; if there are none, those that a conversion joins."""
    pairs = list(product(outputs, inputs))
    direct = [_Match(*pair, None) for pair in pairs if not check_types or is_assignable(pair[0].type, pair[1].type)]
    if direct:
        return direct
    converted = (_Match(*pair, find_conversion(pair[0].type, pair[1].type)) for pair in pairs)
    return [match for match in converted if match.conversion is not None]


def _choose_match(
    matches: list[_Match],
    source: ComponentNode,
    outputs: list[OutputSocket],
    target: ComponentNode,
    inputs: list[InputSocket],
) -> _Match:
    if len(matches) == 1:
        return matches[0]
    same_name = [match for match in matches if match.output.name == match.input.name]
    if len(same_name) == 1:
        return same_name[0]
    if matches:
        first = matches[0]
        reason = (
            "more than one connection is possible. Name the sockets, "
            f"as in connect('{source.name}.{first.output.name}', '{target.name}.{first.input.name}')."
        )
    elif len(outputs) == len(inputs) == 1:
        raise PipelineConnectError(
            f"Cannot connect '{source.name}.{outputs[0].name}' with '{target.name}.{inputs[0].name}': "
            f"their declared input and output types do not match.\n{_list_sockets(source, outputs, target, inputs)}"
        )
    else:
        reason = "no matching connections available."
    raise PipelineConnectError(
        f"Cannot connect '{source.name}' with '{target.name}': {reason}\n"
        f"{_list_sockets(source, outputs, target, inputs)}"
    )


def _list_sockets(
    source: ComponentNode, outputs: list[OutputSocket], target: ComponentNode, inputs: list[InputSocket]
) -> str:
    lines = [f"'{source.name}':", *(f" - {output.name}: {format_type(output.type)}" for output in outputs)]
    lines.append(f"'{target.name}':")
    for input_ in inputs:
        senders = ", ".join(target.inputs[input_.name].senders)
        status = f"sent by {senders}" if senders else "available"
        lines.append(f" - {input_.name}: {format_type(input_.type)} ({status})")
    return "\n".join(lines)
