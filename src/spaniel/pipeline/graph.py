"""A pipeline as data: nodes with their sockets, and the edges between them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from spaniel.core.component import Component, InputSocket, OutputSocket
from spaniel.core.component.annotations import format_type
from spaniel.core.component.sockets import GREEDY, LAZY
from spaniel.pipeline.conversion import Conversion

if TYPE_CHECKING:
    import networkx as nx


@dataclass
class InputPort:
    """An input of a component, and who feeds it.

    :param socket: its name, type and default value.
    :param senders: the names of the components that feed it, in the order of connecting, each once.
    :param joins_lists: it is no variadic input, but takes lists from several senders, which are joined.
    """

    socket: InputSocket
    senders: dict[str, None] = field(default_factory=dict)
    joins_lists: bool = False

    @property
    def collects(self) -> bool:
        """Whether values of several senders are kept side by side."""
        return self.joins_lists or self.socket.variadic == LAZY

    @property
    def shown(self) -> InputSocket:
        """The socket with its senders; one that joins lists is variadic, as in Haystack."""
        variadic = LAZY if self.joins_lists else self.socket.variadic
        return replace(self.socket, variadic=variadic, senders=[*self.senders])

    @property
    def is_greedy(self) -> bool:
        """Whether the component runs as soon as one sender gives a value."""
        return self.socket.variadic == GREEDY

    @property
    def takes_more(self) -> bool:
        """Whether it may have another sender, or a value from outside beside its senders."""
        return not self.senders or self.joins_lists or self.socket.variadic != ""


@dataclass(frozen=True)
class Edge:
    """A connection: an output of one component feeds an input of another.

    :param conversion: what the value goes through on its way.
    """

    sender: str
    output: OutputSocket
    receiver: str
    input: InputSocket
    conversion: Conversion | None = None

    @property
    def ends(self) -> tuple[str, str]:
        """The two ends as they are written: ``("retriever.documents", "ranker.documents")``."""
        return f"{self.sender}.{self.output.name}", f"{self.receiver}.{self.input.name}"


@dataclass
class Node:
    """A component under its name, its sockets, and the edges that leave it."""

    name: str
    instance: Component
    inputs: dict[str, InputPort]
    outputs: Mapping[str, OutputSocket]
    edges: list[Edge] = field(default_factory=list)

    @property
    def consumed(self) -> set[str]:
        """The names of the outputs that other components take."""
        return {edge.output.name for edge in self.edges}

    @property
    def has_senders(self) -> bool:
        """Whether any other component feeds it."""
        return any(inlet.senders for inlet in self.inputs.values())


Nodes = Mapping[str, Node]


def iter_edges(nodes: Iterable[Node]) -> Iterator[Edge]:
    """Yield every edge: by sender, then by receiver in the order of their first connection."""
    for node in nodes:
        for receiver in dict.fromkeys(edge.receiver for edge in node.edges):
            yield from (edge for edge in node.edges if edge.receiver == receiver)


def to_networkx(nodes: Nodes) -> "nx.MultiDiGraph[str]":
    """Return the nodes and edges as a graph to compute on; it is a copy.

    A node has its ``instance``, ``input_sockets`` with their senders and ``output_sockets`` with their receivers; an edge its ``from_socket``, ``to_socket``,
    ``conn_type`` and whether the input is ``mandatory``.
    """
    import networkx as nx

    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    for node in nodes.values():
        inputs = {name: inlet.shown for name, inlet in node.inputs.items()}
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


def describe_inputs(nodes: Nodes, *, connected: bool = False) -> dict[str, dict[str, dict[str, Any]]]:
    """Return what may be given from outside: component, input, then ``type``, ``is_mandatory``, ``default_value``.

    :param connected: whether to list the inputs that other components feed, too.
    """
    described: dict[str, dict[str, dict[str, Any]]] = {}
    for node in nodes.values():
        for name, inlet in node.inputs.items():
            if connected or inlet.takes_more:
                socket = inlet.socket
                facts = {"type": socket.type, "is_mandatory": socket.is_mandatory and not inlet.senders}
                if not socket.is_mandatory:
                    facts["default_value"] = socket.default_value
                described.setdefault(node.name, {})[name] = facts
    return described


def describe_outputs(nodes: Nodes, *, connected: bool = False) -> dict[str, dict[str, dict[str, Any]]]:
    """Return what a run gives: component, output, then ``type``.

    :param connected: whether to list the outputs that other components take, too.
    """
    described: dict[str, dict[str, dict[str, Any]]] = {}
    for node in nodes.values():
        taken = set() if connected else node.consumed
        for name, socket in node.outputs.items():
            if name not in taken:
                described.setdefault(node.name, {})[name] = {"type": socket.type}
    return described


def compute_flow_order(nodes: Nodes) -> Mapping[str, int]:
    """Return each component's place along the flow of values; those of one loop share a place.

    Without loops ties are broken by name.
    """
    import networkx as nx

    graph = to_networkx(nodes)
    if nx.is_directed_acyclic_graph(graph):
        return {name: place for place, name in enumerate(nx.lexicographical_topological_sort(graph))}
    condensed = nx.condensation(graph)
    places = {loop: place for place, loop in enumerate(nx.topological_sort(condensed))}
    return {name: places[loop] for name, loop in condensed.graph["mapping"].items()}


def compute_run_order(nodes: Nodes) -> Mapping[str, int] | None:
    """Return the order in which components run one after another, if each runs once; with loops there is none."""
    import networkx as nx

    graph = to_networkx(nodes)
    if not nx.is_directed_acyclic_graph(graph):
        return None
    names = [name for level in nx.topological_generations(graph) for name in sorted(level)]
    return {name: place for place, name in enumerate(names)}
