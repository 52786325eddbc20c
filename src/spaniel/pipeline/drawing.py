"""Drawings of a pipeline as SVG or Mermaid text, rendered locally."""

import builtins
import html
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from spaniel.core.component.annotations import format_type
from spaniel.errors import PipelineDrawingError
from spaniel.pipeline.graph import Edge, Nodes, iter_edges

_BOX_HEIGHT, _LAYER, _GAP, _MARGIN, _CHARACTER, _LINE = 44, 110, 40, 20, 7.5, 13
_SWEEPS = 4
_STYLE = (
    "text{font:13px sans-serif;text-anchor:middle}.type,.edge{font-size:11px;fill:#555}"
    "rect{fill:#eef4fb;stroke:#37699e}path{fill:none;stroke:#37699e}"
)
_ARROW = (
    '<marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
    '<path d="M0 0L8 4L0 8z" style="fill:#37699e"/></marker>'
)


def write_drawing(nodes: Nodes, path: Path) -> None:
    """Write a picture into a file.

    :param path: its ending says which kind.
    :raises PipelineDrawingError: there is no picture of that kind.
    """
    write = _WRITERS.get(path.suffix.lower())
    if write is None:
        raise PipelineDrawingError(f"A pipeline is drawn into files ending in {sorted(_WRITERS)}, not '{path.name}'.")
    path.write_text(write(nodes), encoding="utf-8")


def show_drawing(nodes: Nodes) -> None:
    """Show a picture in a notebook, or print the Mermaid text."""
    if not hasattr(builtins, "get_ipython"):  # notebooks put it there
        print(mermaid(nodes), end="")  # noqa: T201 (showing is what it is for)
        return
    display: Any = import_module("IPython.display")
    display.display(display.SVG(svg(nodes)))


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
        f"    {ids[edge.sender]} -->|{_label(_route(edge), edge.output.type)}| {ids[edge.receiver]}"
        for edge in iter_edges(nodes.values())
    ]
    results = [
        f"    {ids[node.name]} -->|{_label(name, socket.type)}| output"
        for node in nodes.values()
        for name, socket in node.outputs.items()
        if name not in node.consumed
    ]
    ends = ["    input([input])"] * bool(given) + ["    output([output])"] * bool(results)
    return "\n".join([*lines, *ends, *given, *between, *results]) + "\n"


def _route(edge: Edge) -> str:
    output, input_ = edge.output.name, edge.input.name
    return output if output == input_ else f"{output} → {input_}"


def _label(name: str, type_: object) -> str:
    return f'"{_text(name)}: {_text(format_type(type_))}"'


def _text(text: str) -> str:
    return html.escape(text).replace("#", "&num;")


def svg(nodes: Nodes) -> str:
    """Return the picture as text."""
    edges = list(iter_edges(nodes.values()))
    layers = _untangled(_layers(nodes, edges), edges)
    widths = {
        name: _CHARACTER * max(len(name), len(type(node.instance).__name__), 8) + 20 for name, node in nodes.items()
    }
    centres = _centres(layers, widths)
    width = max((x + widths[name] / 2 for name, (x, _) in centres.items()), default=0) + _MARGIN
    height = len(layers) * _LAYER
    boxes = [_box(name, type(node.instance).__name__, centres[name], widths[name]) for name, node in nodes.items()]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" height="{height}">',
            f"<style>{_STYLE}</style><defs>{_ARROW}</defs>",
            *_arrows(edges, centres),
            *boxes,
            "</svg>\n",
        ]
    )


def _layers(nodes: Nodes, edges: Sequence[Edge]) -> list[list[str]]:
    """Put each component below those that feed it; the edges that close a loop go back up."""
    import networkx as nx

    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(nodes)
    for edge in edges:
        if not (edge.receiver in graph and nx.has_path(graph, edge.receiver, edge.sender)):
            graph.add_edge(edge.sender, edge.receiver)
    return [list(layer) for layer in nx.topological_generations(graph)]


def _untangled(layers: list[list[str]], edges: Sequence[Edge]) -> list[list[str]]:
    """Order each layer by where its neighbours stand, up and down in turn, so that fewer edges cross."""
    neighbours: dict[str, list[str]] = {name: [] for layer in layers for name in layer}
    for edge in edges:
        neighbours[edge.sender].append(edge.receiver)
        neighbours[edge.receiver].append(edge.sender)
    for sweep in range(_SWEEPS):
        place = {name: number / len(layer) for layer in layers for number, name in enumerate(layer)}
        for layer in layers if sweep % 2 == 0 else reversed(layers):
            layer.sort(key=lambda name: _mean([place[other] for other in neighbours[name]] or [place[name]]))
            place.update((name, number / len(layer)) for number, name in enumerate(layer))
    return layers


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _centres(layers: Sequence[Sequence[str]], widths: Mapping[str, float]) -> dict[str, tuple[float, float]]:
    spans = [sum(widths[name] + _GAP for name in layer) - _GAP for layer in layers]
    centres = {}
    for number, (layer, span) in enumerate(zip(layers, spans, strict=True)):
        left = _MARGIN + (max(spans) - span) / 2
        for name in layer:
            centres[name] = (left + widths[name] / 2, number * _LAYER + _MARGIN + _BOX_HEIGHT / 2)
            left += widths[name] + _GAP
    return centres


def _box(name: str, kind: str, centre: tuple[float, float], width: float) -> str:
    x, y = centre
    return (
        f'<rect x="{x - width / 2:.1f}" y="{y - _BOX_HEIGHT / 2:.1f}" width="{width:.1f}" height="{_BOX_HEIGHT}" rx="6"/>'
        f'<text x="{x:.1f}" y="{y - 3:.1f}">{html.escape(name)}</text>'
        f'<text class="type" x="{x:.1f}" y="{y + 14:.1f}">{html.escape(kind)}</text>'
    )


def _arrows(edges: Iterable[Edge], centres: Mapping[str, tuple[float, float]]) -> Iterator[str]:
    """Draw one arrow for each pair of components, with a label for each value that goes along it."""
    labels: dict[tuple[str, str], list[str]] = {}
    for edge in edges:
        labels.setdefault((edge.sender, edge.receiver), []).append(_route(edge))
    for (sender, receiver), lines in labels.items():
        (x1, y1), (x2, y2) = centres[sender], centres[receiver]
        y1, y2 = y1 + _BOX_HEIGHT / 2, y2 - _BOX_HEIGHT / 2
        bend = _LAYER / 2
        yield (
            f'<path d="M{x1:.1f} {y1:.1f}C{x1:.1f} {y1 + bend:.1f} {x2:.1f} {y2 - bend:.1f} {x2:.1f} {y2:.1f}" '
            f'marker-end="url(#arrow)"/>'
        )
        for number, line in enumerate(lines):
            y = (y1 + y2) / 2 + 4 + _LINE * (number - (len(lines) - 1) / 2)
            yield f'<text class="edge" x="{(x1 + x2) / 2:.1f}" y="{y:.1f}">{html.escape(line)}</text>'


_WRITERS: dict[str, Callable[[Nodes], str]] = {
    ".svg": svg,
    ".mmd": mermaid,
    ".md": lambda nodes: f"```mermaid\n{mermaid(nodes)}```\n",
}
