"""A pipeline as an SVG picture: components in layers from top to bottom, along the flow of values."""

import html
from collections.abc import Iterable, Iterator, Mapping, Sequence

from spaniel.pipeline.graph import Edge, Nodes, edges_of

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


def svg(nodes: Nodes) -> str:
    """Return the picture as text."""
    edges = list(edges_of(nodes.values()))
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
        output, input_ = edge.output.name, edge.input.name
        label = output if output == input_ else f"{output} → {input_}"
        labels.setdefault((edge.sender, edge.receiver), []).append(label)
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
