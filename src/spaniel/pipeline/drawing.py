"""Drawings of a pipeline as SVG or Mermaid text, rendered locally."""

import builtins
import html
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from statistics import fmean

from spaniel.core.component.annotations import Annotation, format_type
from spaniel.errors import PipelineDrawingError
from spaniel.pipeline.graph import Edge, Nodes, iter_edges

_BOX_HEIGHT, _LAYER_HEIGHT, _GAP, _MARGIN, _CHARACTER_WIDTH, _LINE_HEIGHT = 44, 110, 40, 20, 7.5, 13
_NUM_SWEEPS = 4
_STYLE = (
    "text{font:13px sans-serif;text-anchor:middle}.type,.edge{font-size:11px;fill:#555}"
    "rect{fill:#eef4fb;stroke:#37699e}path{fill:none;stroke:#37699e}"
)
_ARROW = (
    '<marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
    '<path d="M0 0L8 4L0 8z" style="fill:#37699e"/></marker>'
)


def write_drawing(nodes: Nodes, path: Path) -> None:
    """Write a drawing in the format of the file's suffix."""
    render = _RENDERERS.get(path.suffix.lower())
    if render is None:
        raise PipelineDrawingError(f"A drawing must have a suffix in {sorted(_RENDERERS)}, got '{path.name}'.")
    path.write_text(render(nodes), encoding="utf-8")


def show_drawing(nodes: Nodes) -> None:
    """Display the SVG in a notebook; elsewhere print the Mermaid text."""
    if not hasattr(builtins, "get_ipython"):  # set by notebooks
        print(render_mermaid(nodes), end="")  # noqa: T201 (the purpose of the function)
        return
    display = import_module("IPython.display")
    display.display(display.SVG(render_svg(nodes)))


def render_mermaid(nodes: Nodes) -> str:
    """Return a Mermaid flow chart with the mandatory inputs and the free outputs."""
    ids = {name: f"c{number}" for number, name in enumerate(nodes)}
    boxes = [
        f'    {ids[node.name]}["{_escape(node.name)}<br>{_escape(type(node.instance).__name__)}"]'
        for node in nodes.values()
    ]
    inputs = [
        f"    input -->|{_format_label(name, port.socket.type)}| {ids[node.name]}"
        for node in nodes.values()
        for name, port in node.inputs.items()
        if port.socket.is_mandatory and not port.senders
    ]
    edges = [
        f"    {ids[edge.sender]} -->|{_format_label(_name_route(edge), edge.output.type)}| {ids[edge.receiver]}"
        for edge in iter_edges(nodes.values())
    ]
    outputs = [
        f"    {ids[node.name]} -->|{_format_label(name, socket.type)}| output"
        for node in nodes.values()
        for name, socket in node.outputs.items()
        if name not in node.consumed
    ]
    ends = ["    input([input])"] * bool(inputs) + ["    output([output])"] * bool(outputs)
    return "\n".join(["flowchart TD", *boxes, *ends, *inputs, *edges, *outputs]) + "\n"


def _name_route(edge: Edge) -> str:
    output, input_ = edge.output.name, edge.input.name
    return output if output == input_ else f"{output} → {input_}"


def _format_label(name: str, annotation: Annotation) -> str:
    return f'"{_escape(name)}: {_escape(format_type(annotation))}"'


def _escape(text: str) -> str:
    return html.escape(text).replace("#", "&num;")


def render_svg(nodes: Nodes) -> str:
    """Return the SVG text: components in layers from top to bottom, along the flow of values."""
    edges = list(iter_edges(nodes.values()))
    layers = _reduce_crossings(_assign_layers(nodes, edges), edges)
    kinds = {name: type(node.instance).__name__ for name, node in nodes.items()}
    widths = {name: _CHARACTER_WIDTH * max(len(name), len(kind), 8) + 20 for name, kind in kinds.items()}
    centres = _place_boxes(layers, widths)
    width = max((x + widths[name] / 2 for name, (x, _) in centres.items()), default=0) + _MARGIN
    height = len(layers) * _LAYER_HEIGHT
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" height="{height}">',
            f"<style>{_STYLE}</style><defs>{_ARROW}</defs>",
            *_draw_arrows(edges, centres),
            *(_draw_box(name, kind, centres[name], widths[name]) for name, kind in kinds.items()),
            "</svg>\n",
        ]
    )


def _assign_layers(nodes: Nodes, edges: Sequence[Edge]) -> list[list[str]]:
    """Return the layers of the graph without the edges that close a loop."""
    import networkx as nx

    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(nodes)
    for edge in edges:
        if not (edge.receiver in graph and nx.has_path(graph, edge.receiver, edge.sender)):
            graph.add_edge(edge.sender, edge.receiver)
    return [list(layer) for layer in nx.topological_generations(graph)]


def _reduce_crossings(layers: list[list[str]], edges: Sequence[Edge]) -> list[list[str]]:
    """Sort each layer by the mean position of its neighbours, sweeping down and up alternately."""
    neighbours: dict[str, list[str]] = {name: [] for layer in layers for name in layer}
    for edge in edges:
        neighbours[edge.sender].append(edge.receiver)
        neighbours[edge.receiver].append(edge.sender)
    for sweep in range(_NUM_SWEEPS):
        position = {name: number / len(layer) for layer in layers for number, name in enumerate(layer)}
        for layer in layers if sweep % 2 == 0 else reversed(layers):
            layer.sort(key=lambda name: fmean([position[other] for other in neighbours[name]] or [position[name]]))
            position.update((name, number / len(layer)) for number, name in enumerate(layer))
    return layers


def _place_boxes(layers: Sequence[Sequence[str]], widths: Mapping[str, float]) -> dict[str, tuple[float, float]]:
    spans = [sum(widths[name] + _GAP for name in layer) - _GAP for layer in layers]
    centres = {}
    for number, (layer, span) in enumerate(zip(layers, spans, strict=True)):
        left = _MARGIN + (max(spans) - span) / 2
        for name in layer:
            centres[name] = (left + widths[name] / 2, number * _LAYER_HEIGHT + _MARGIN + _BOX_HEIGHT / 2)
            left += widths[name] + _GAP
    return centres


def _draw_box(name: str, kind: str, centre: tuple[float, float], width: float) -> str:
    x, y = centre
    return (
        f'<rect x="{x - width / 2:.1f}" y="{y - _BOX_HEIGHT / 2:.1f}" width="{width:.1f}" height="{_BOX_HEIGHT}" rx="6"/>'
        f'<text x="{x:.1f}" y="{y - 3:.1f}">{html.escape(name)}</text>'
        f'<text class="type" x="{x:.1f}" y="{y + 14:.1f}">{html.escape(kind)}</text>'
    )


def _draw_arrows(edges: Iterable[Edge], centres: Mapping[str, tuple[float, float]]) -> Iterator[str]:
    """Draw an arrow for each pair of components, with a label for each of its connections."""
    labels: dict[tuple[str, str], list[str]] = {}
    for edge in edges:
        labels.setdefault((edge.sender, edge.receiver), []).append(_name_route(edge))
    for (sender, receiver), lines in labels.items():
        (x1, y1), (x2, y2) = centres[sender], centres[receiver]
        y1, y2 = y1 + _BOX_HEIGHT / 2, y2 - _BOX_HEIGHT / 2
        bend = _LAYER_HEIGHT / 2
        yield (
            f'<path d="M{x1:.1f} {y1:.1f}C{x1:.1f} {y1 + bend:.1f} {x2:.1f} {y2 - bend:.1f} {x2:.1f} {y2:.1f}" '
            f'marker-end="url(#arrow)"/>'
        )
        for number, line in enumerate(lines):
            y = (y1 + y2) / 2 + 4 + _LINE_HEIGHT * (number - (len(lines) - 1) / 2)
            yield f'<text class="edge" x="{(x1 + x2) / 2:.1f}" y="{y:.1f}">{html.escape(line)}</text>'


_RENDERERS: dict[str, Callable[[Nodes], str]] = {
    ".svg": render_svg,
    ".mmd": render_mermaid,
    ".md": lambda nodes: f"```mermaid\n{render_mermaid(nodes)}```\n",
}
