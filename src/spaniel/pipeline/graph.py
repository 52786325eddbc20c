"""The graph of a pipeline: component nodes with their sockets, and the edges between them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from spaniel.core.component import Component, InputSocket, OutputSocket
from spaniel.core.component.annotations import Value, format_type
from spaniel.core.component.sockets import LAZY
from spaniel.pipeline.conversion import Conversion

if TYPE_CHECKING:
    import networkx as nx

SocketTable: TypeAlias = dict[str, dict[str, dict[str, Value]]]
"""Properties of sockets, such as ``type``, by component and by socket."""


@dataclass
class InputPort:
    """An input socket in a pipeline, with its senders in the order of their connections."""

    socket: InputSocket
    senders: dict[str, None] = field(default_factory=dict)
    joins_lists: bool = False  # a list input with several senders

    @property
    def collects(self) -> bool:
        """True if the values of all senders are kept."""
        return self.joins_lists or self.socket.is_lazy_variadic

    @property
    def accepts_more(self) -> bool:
        """True if it accepts another sender, or a value from the caller."""
        return not self.senders or self.joins_lists or self.socket.is_variadic

    def to_socket(self) -> InputSocket:
        """Return the socket with its senders; a port that joins lists is variadic."""
        variadic = LAZY if self.joins_lists else self.socket.variadic
        return replace(self.socket, variadic=variadic, senders=[*self.senders])


@dataclass(frozen=True)
class Edge:
    """A connection from an output to an input; values are converted on the way."""

    sender: str
    output: OutputSocket
    receiver: str
    input: InputSocket
    conversion: Conversion = ()

    @property
    def endpoints(self) -> tuple[str, str]:
        """Both ends in the serialised form: ``("retriever.documents", "ranker.documents")``."""
        return f"{self.sender}.{self.output.name}", f"{self.receiver}.{self.input.name}"


@dataclass
class ComponentNode:
    """A component in a pipeline: its name, its sockets and its outgoing edges."""

    name: str
    instance: Component
    inputs: dict[str, InputPort]
    outputs: Mapping[str, OutputSocket]
    edges: list[Edge] = field(default_factory=list)

    @property
    def consumed(self) -> set[str]:
        """The names of the connected outputs."""
        return {edge.output.name for edge in self.edges}


Nodes: TypeAlias = Mapping[str, ComponentNode]


def iter_edges(nodes: Iterable[ComponentNode]) -> Iterator[Edge]:
    """Yield every edge: by sender, then by receiver in the order of their first connection."""
    for node in nodes:
        for receiver in dict.fromkeys(edge.receiver for edge in node.edges):
            yield from (edge for edge in node.edges if edge.receiver == receiver)


def to_networkx(nodes: Nodes) -> "nx.MultiDiGraph[str]":
    """Return a copy of the graph, with the attributes that Haystack's graph has."""
    import networkx as nx

    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    for node in nodes.values():
        inputs = {name: port.to_socket() for name, port in node.inputs.items()}
        outputs = {
            name: replace(socket, receivers=[edge.receiver for edge in node.edges if edge.output.name == name])
            for name, socket in node.outputs.items()
        }
        graph.add_node(node.name, instance=node.instance, input_sockets=inputs, output_sockets=outputs)
    for edge in iter_edges(nodes.values()):
        graph.add_edge(
            edge.sender,
            edge.receiver,
            key=f"{edge.output.name}/{edge.input.name}",
            conn_type=format_type(edge.output.type),
            from_socket=edge.output,
            to_socket=edge.input,
            mandatory=edge.input.is_mandatory,
        )
    return graph


def describe_inputs(nodes: Nodes, *, connected: bool = False) -> SocketTable:
    """Return the inputs of a run; `connected` includes those that other components feed."""
    table: SocketTable = {}
    for node in nodes.values():
        for name, port in node.inputs.items():
            if connected or port.accepts_more:
                socket = port.socket
                facts = {"type": socket.type, "is_mandatory": socket.is_mandatory and not port.senders}
                if not socket.is_mandatory:
                    facts["default_value"] = socket.default_value
                table.setdefault(node.name, {})[name] = facts
    return table


def describe_outputs(nodes: Nodes, *, connected: bool = False) -> SocketTable:
    """Return the outputs of a run; `connected` includes those that other components consume."""
    table: SocketTable = {}
    for node in nodes.values():
        consumed = set() if connected else node.consumed
        for name, socket in node.outputs.items():
            if name not in consumed:
                table.setdefault(node.name, {})[name] = {"type": socket.type}
    return table


def compute_flow_order(nodes: Nodes) -> Mapping[str, int]:
    """Return the topological rank of each component; the components of a loop share a rank."""
    import networkx as nx

    graph = to_networkx(nodes)
    if nx.is_directed_acyclic_graph(graph):
        return {name: rank for rank, name in enumerate(nx.lexicographical_topological_sort(graph))}
    condensed = nx.condensation(graph)
    ranks = {loop: rank for rank, loop in enumerate(nx.topological_sort(condensed))}
    return {name: ranks[loop] for name, loop in condensed.graph["mapping"].items()}


def compute_run_order(nodes: Nodes) -> Mapping[str, int] | None:
    """Return the order in which `Pipeline.run` runs the components; None if the graph has loops."""
    import networkx as nx

    graph = to_networkx(nodes)
    if not nx.is_directed_acyclic_graph(graph):
        return None
    names = [name for generation in nx.topological_generations(graph) for name in sorted(generation)]
    return {name: position for position, name in enumerate(names)}
