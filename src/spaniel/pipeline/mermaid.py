"""A pipeline as Mermaid text."""

import html

from spaniel.core.component.type_labels import type_label
from spaniel.pipeline.graph import Nodes, edges_of


def mermaid(nodes: Nodes) -> str:
    """Return the text of a flow chart: a box for each component, an arrow for each connection.

    Mandatory inputs come from a box *input*, and outputs that no component takes go to a box *output*.
    """
    ids = {name: f"c{number}" for number, name in enumerate(nodes)}
    lines = ["flowchart TD"]
    lines += [
        f'    {ids[node.name]}["{_text(node.name)}<br>{_text(type(node.instance).__name__)}"]'
        for node in nodes.values()
    ]
    given = [
        f"    input -->|{_label(name, inlet.socket.type)}| {ids[node.name]}"
        for node in nodes.values()
        for name, inlet in node.inputs.items()
        if inlet.socket.is_mandatory and not inlet.senders
    ]
    between = [
        f"    {ids[edge.sender]} -->|{_label(_route(edge.output.name, edge.input.name), edge.output.type)}| {ids[edge.receiver]}"
        for edge in edges_of(nodes.values())
    ]
    results = [
        f"    {ids[node.name]} -->|{_label(name, socket.type)}| output"
        for node in nodes.values()
        for name, socket in node.outputs.items()
        if name not in node.consumed
    ]
    ends = ["    input([input])"] * bool(given) + ["    output([output])"] * bool(results)
    return "\n".join([*lines, *ends, *given, *between, *results]) + "\n"


def _route(output: str, input_: str) -> str:
    return output if output == input_ else f"{output} → {input_}"


def _label(name: str, type_: object) -> str:
    return f'"{_text(name)}: {_text(type_label(type_))}"'


def _text(text: str) -> str:
    return html.escape(text).replace("#", "&num;")
