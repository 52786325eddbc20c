"""Which output of one component goes into which input of another."""

from collections.abc import Mapping
from itertools import product
from typing import NamedTuple, TypeVar

from spaniel.core.component import InputSocket, OutputSocket
from spaniel.core.component.annotations import format_type
from spaniel.errors import PipelineConnectError
from spaniel.pipeline.conversion import Conversion, find_conversion
from spaniel.pipeline.graph import Edge, InputPort, Node, Nodes
from spaniel.pipeline.type_compatibility import fits, is_list

S = TypeVar("S", InputSocket, OutputSocket)


class _Match(NamedTuple):
    output: OutputSocket
    input: InputSocket
    conversion: Conversion | None


def resolve_edge(nodes: Nodes, sender: str, receiver: str, *, check_types: bool) -> Edge:
    """Return the edge that two names ask for. Nothing is changed.

    :param sender: ``"component"`` or ``"component.output"``.
    :param receiver: ``"component"`` or ``"component.input"``.
    :param check_types: whether the types must fit.
    :raises ValueError: there is no such component.
    :raises PipelineConnectError: no two sockets fit, or several do, or the input is taken. The sockets are listed.
    """
    (sender_name, _, output_name), (receiver_name, _, input_name) = sender.partition("."), receiver.partition(".")
    if sender_name == receiver_name:
        raise PipelineConnectError(f"'{sender_name}' can't be connected to itself.")
    giver, taker = find_node(nodes, sender_name), find_node(nodes, receiver_name)
    if not giver.outputs:
        raise PipelineConnectError(
            f"'{sender_name}' does not have any output connections. Declare them with @component.output_types on "
            f"{type(giver.instance).__name__}.run."
        )
    outputs = _candidates(giver.outputs, sender_name, output_name, "output")
    sockets = {name: inlet.socket for name, inlet in taker.inputs.items()}
    inputs = _candidates(sockets, receiver_name, input_name, "input")
    match = _only_match(_matches(outputs, inputs, check_types=check_types), giver, outputs, taker, inputs)
    edge = Edge(sender_name, match.output, receiver_name, match.input, match.conversion)
    if edge.ends not in (known.ends for known in giver.edges):
        _check_room(taker.name, taker.inputs[match.input.name])
    return edge


def find_node(nodes: Nodes, name: str) -> Node:
    """Return the node of this name.

    :raises ValueError: there is none.
    """
    if name not in nodes:
        raise ValueError(f"Component named {name} not found in the pipeline; it has {sorted(nodes)}.")
    return nodes[name]


def accepts_another_sender(inlet: InputPort) -> bool:
    """Return whether an input may have another source beside those it has: it is variadic, or takes a list."""
    return inlet.takes_more or is_list(inlet.socket.type)


def _candidates(sockets: Mapping[str, S], component: str, name: str, kind: str) -> list[S]:
    if not name:
        return list(sockets.values())
    if name not in sockets:
        listed = ", ".join(f"{known} (type {format_type(socket.type)})" for known, socket in sockets.items())
        raise PipelineConnectError(
            f"'{component}.{name}' does not exist. {kind.capitalize()} connections of {component} are: {listed}"
        )
    return [sockets[name]]


def _matches(outputs: list[OutputSocket], inputs: list[InputSocket], *, check_types: bool) -> list[_Match]:
    """Return the pairs that fit as they are; only where there are none, those that fit after a conversion."""
    pairs = list(product(outputs, inputs))
    as_they_are = [_Match(*pair, None) for pair in pairs if not check_types or fits(pair[0].type, pair[1].type)]
    if as_they_are:
        return as_they_are
    converted = ((*pair, find_conversion(pair[0].type, pair[1].type)) for pair in pairs)
    return [_Match(*found) for found in converted if found[2] is not None]


def _only_match(
    matches: list[_Match], giver: Node, outputs: list[OutputSocket], taker: Node, inputs: list[InputSocket]
) -> _Match:
    if len(matches) == 1:
        return matches[0]
    same_name = [match for match in matches if match.output.name == match.input.name]
    if len(same_name) == 1:
        return same_name[0]
    sockets = _listed(giver, outputs, taker, inputs)
    if matches:
        first = matches[0]
        raise PipelineConnectError(
            f"Cannot connect '{giver.name}' with '{taker.name}': more than one connection is possible. Name the sockets, "
            f"as in connect('{giver.name}.{first.output.name}', '{taker.name}.{first.input.name}').\n{sockets}"
        )
    if len(outputs) == len(inputs) == 1:
        raise PipelineConnectError(
            f"Cannot connect '{giver.name}.{outputs[0].name}' with '{taker.name}.{inputs[0].name}': "
            f"their declared input and output types do not match.\n{sockets}"
        )
    raise PipelineConnectError(
        f"Cannot connect '{giver.name}' with '{taker.name}': no matching connections available.\n{sockets}"
    )


def _listed(giver: Node, outputs: list[OutputSocket], taker: Node, inputs: list[InputSocket]) -> str:
    lines = [f"'{giver.name}':", *(f" - {output.name}: {format_type(output.type)}" for output in outputs)]
    lines.append(f"'{taker.name}':")
    for input_ in inputs:
        senders = ", ".join(taker.inputs[input_.name].senders)
        lines.append(
            f" - {input_.name}: {format_type(input_.type)} ({f'sent by {senders}' if senders else 'available'})"
        )
    return "\n".join(lines)


def _check_room(component: str, inlet: InputPort) -> None:
    if not accepts_another_sender(inlet):
        raise PipelineConnectError(
            f"'{component}.{inlet.socket.name}' is fed by '{next(iter(inlet.senders))}' already. Only a variadic input, or "
            f"one whose type is a list, takes several senders; its type is {format_type(inlet.socket.type)}."
        )
