"""The order of components where the flow of values leaves it open."""

from collections.abc import Mapping

from spaniel.pipeline.graph import Nodes, as_networkx


def flow_order(nodes: Nodes) -> Mapping[str, int]:
    """Return each component's place along the flow of values; those of one loop share a place.

    Without loops ties are broken by name.
    """
    import networkx as nx

    graph = as_networkx(nodes)
    if nx.is_directed_acyclic_graph(graph):
        return {name: place for place, name in enumerate(nx.lexicographical_topological_sort(graph))}
    condensed = nx.condensation(graph)
    places = {loop: place for place, loop in enumerate(nx.topological_sort(condensed))}
    return {name: places[loop] for name, loop in condensed.graph["mapping"].items()}


def run_order(nodes: Nodes) -> Mapping[str, int] | None:
    """Return the order in which components run one after another, if each runs once; with loops there is none."""
    import networkx as nx

    graph = as_networkx(nodes)
    if not nx.is_directed_acyclic_graph(graph):
        return None
    names = [name for level in nx.topological_generations(graph) for name in sorted(level)]
    return {name: place for place, name in enumerate(names)}
