"""The free sockets of a pipeline's graph; Spaniel has `Pipeline.inputs` and `Pipeline.outputs` for them."""

from typing import TYPE_CHECKING

from spaniel.core.component import InputSocket, OutputSocket

if TYPE_CHECKING:
    import networkx as nx


def find_pipeline_inputs(
    graph: "nx.MultiDiGraph[str]", include_connected_sockets: bool = False
) -> dict[str, list[InputSocket]]:
    """Return the inputs of each component that accept a value of the caller.

    :param graph: the `graph` of a pipeline.
    :param include_connected_sockets: include the inputs that another component feeds.
    """
    return {
        name: [
            socket
            for socket in facts["input_sockets"].values()
            if include_connected_sockets or socket.is_variadic or not socket.senders
        ]
        for name, facts in graph.nodes(data=True)
    }


def find_pipeline_outputs(
    graph: "nx.MultiDiGraph[str]", include_connected_sockets: bool = False
) -> dict[str, list[OutputSocket]]:
    """Return the unconnected outputs of each component.

    :param graph: the `graph` of a pipeline.
    :param include_connected_sockets: include the connected outputs.
    """
    return {
        name: [
            socket for socket in facts["output_sockets"].values() if include_connected_sockets or not socket.receivers
        ]
        for name, facts in graph.nodes(data=True)
    }
