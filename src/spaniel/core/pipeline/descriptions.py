"""The free sockets of a pipeline's graph, under Haystack's module path."""

from typing import TYPE_CHECKING

from spaniel.core.component import InputSocket, OutputSocket

if TYPE_CHECKING:
    import networkx as nx


def find_pipeline_inputs(
    graph: "nx.MultiDiGraph[str]", include_connected_sockets: bool = False
) -> dict[str, list[InputSocket]]:
    """Return for each component the inputs that take a value from outside.

    :param graph: the `graph` of a pipeline.
    :param include_connected_sockets: whether those are listed, too, that another component feeds.
    """
    fed = {(receiver, facts["to_socket"].name) for _, receiver, facts in graph.edges(data=True)}
    return {
        name: [
            socket
            for socket in facts["input_sockets"].values()
            if include_connected_sockets or socket.is_variadic or (name, socket.name) not in fed
        ]
        for name, facts in graph.nodes(data=True)
    }


def find_pipeline_outputs(
    graph: "nx.MultiDiGraph[str]", include_connected_sockets: bool = False
) -> dict[str, list[OutputSocket]]:
    """Return for each component the outputs that no other component takes.

    :param graph: the `graph` of a pipeline.
    :param include_connected_sockets: whether those are listed, too, that another component takes.
    """
    taken = {(sender, facts["from_socket"].name) for sender, _, facts in graph.edges(data=True)}
    return {
        name: [
            socket
            for socket in facts["output_sockets"].values()
            if include_connected_sockets or (name, socket.name) not in taken
        ]
        for name, facts in graph.nodes(data=True)
    }
