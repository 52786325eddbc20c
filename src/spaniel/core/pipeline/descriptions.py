"""The free sockets of a pipeline's graph (see `Pipeline.inputs` and `Pipeline.outputs`)."""

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
    sockets = {name: facts["input_sockets"].values() for name, facts in graph.nodes(data=True)}
    if include_connected_sockets:
        return {name: list(own) for name, own in sockets.items()}
    return {name: [each for each in own if each.is_variadic or not each.senders] for name, own in sockets.items()}


def find_pipeline_outputs(
    graph: "nx.MultiDiGraph[str]", include_connected_sockets: bool = False
) -> dict[str, list[OutputSocket]]:
    """Return the unconnected outputs of each component.

    :param graph: the `graph` of a pipeline.
    :param include_connected_sockets: include the connected outputs.
    """
    sockets = {name: facts["output_sockets"].values() for name, facts in graph.nodes(data=True)}
    if include_connected_sockets:
        return {name: list(own) for name, own in sockets.items()}
    return {name: [each for each in own if not each.receivers] for name, own in sockets.items()}
