"""Assembly of a pipeline: components are added and connected."""

import weakref
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Self

from spaniel.core.component import Component, get_input_sockets, get_output_sockets, is_component
from spaniel.core.component.component import OWNER, get_pipeline
from spaniel.errors import PipelineError, PipelineValidationError
from spaniel.pipeline.connections import find_node, resolve_edge
from spaniel.pipeline.graph import (
    ComponentNode,
    InputPort,
    SocketTable,
    describe_inputs,
    describe_outputs,
    iter_edges,
    to_networkx,
)

if TYPE_CHECKING:
    import networkx as nx


class Wiring:
    """Named components and their connections.

    :param connection_type_validation: reject connections of incompatible types.
    """

    def __init__(self, *, connection_type_validation: bool = True) -> None:
        self._nodes: dict[str, ComponentNode] = {}
        self._checks_types = connection_type_validation

    def add_component(self, name: str, instance: Component) -> Self:
        """Add a component, and return the pipeline.

        :param name: unique in the pipeline, without dots.
        :param instance: an object of a class decorated with ``@component``. Adding it again under
            the same name has no effect.
        :raises ValueError: the name is taken or invalid.
        :raises PipelineValidationError: `instance` is not a component.
        :raises PipelineError: the component belongs to a pipeline.
        """
        return self.add_components({name: instance})

    def add_components(self, components: Mapping[str, Component]) -> Self:
        """Add several components, or none if any of them is rejected, and return the pipeline.

        :param components: the components by name.
        :raises ValueError: a name is taken or invalid.
        :raises PipelineValidationError: an object is not a component.
        :raises PipelineError: a component belongs to a pipeline, or has two names.
        """
        new = {name: instance for name, instance in components.items() if not self._has(name, instance)}
        names: dict[int, str] = {}
        for name, instance in new.items():
            self._check_new(name, instance)
            if (other := names.setdefault(id(instance), name)) != name:
                raise PipelineError(f"A component must have a single name, but is added as '{other}' and '{name}'.")
        for name, instance in new.items():
            ports = {socket_name: InputPort(socket) for socket_name, socket in get_input_sockets(instance).items()}
            self._nodes[name] = ComponentNode(name, instance, ports, get_output_sockets(instance))
            instance.__dict__[OWNER] = weakref.ref(self)
        return self

    def remove_component(self, name: str) -> Component:
        """Remove a component and its connections, and return it.

        :raises ValueError: the component does not exist.
        """
        removed = find_node(self._nodes, name)
        for edge in removed.edges:
            port = self._nodes[edge.receiver].inputs[edge.input.name]
            port.senders.pop(name, None)
            port.joins_lists = port.joins_lists and len(port.senders) > 1
        del self._nodes[name]
        for node in self._nodes.values():
            node.edges[:] = [edge for edge in node.edges if edge.receiver != name]
        removed.instance.__dict__.pop(OWNER, None)
        return removed.instance

    def connect(self, sender: str, receiver: str) -> Self:
        """Connect two components, and return the pipeline.

        The names of sockets may be omitted if a single pair matches by type, or a single matching
        pair has equal names. A value of another type may be converted: ``T`` to ``list[T]``, and
        ``list[str]`` with one element to ``str``. An input of a list type accepts several senders;
        their lists are joined.

        :param sender: ``"component"`` or ``"component.output"``.
        :param receiver: ``"component"`` or ``"component.input"``. Connecting a pair again has no
            effect.
        :raises ValueError: a component does not exist.
        :raises PipelineConnectError: no pair of sockets matches, or several do, or the input is
            taken.
        """
        edge = resolve_edge(self._nodes, sender, receiver, check_types=self._checks_types)
        edges = self._nodes[edge.sender].edges
        if edge.endpoints not in (known.endpoints for known in edges):
            port = self._nodes[edge.receiver].inputs[edge.input.name]
            port.joins_lists = port.joins_lists or not port.accepts_more
            port.senders[edge.sender] = None
            edges.append(edge)
        return self

    def connect_many(self, connections: Sequence[tuple[str, str]]) -> Self:
        """Connect pairs in sequence, up to the first that fails, and return the pipeline.

        :param connections: pairs of the arguments of `connect`.
        :raises ValueError: a component does not exist.
        :raises PipelineConnectError: a pair can't be connected.
        """
        for sender, receiver in connections:
            self.connect(sender, receiver)
        return self

    def get_component(self, name: str) -> Component:
        """Return a component by name.

        :raises ValueError: the component does not exist.
        """
        return find_node(self._nodes, name).instance

    def get_component_name(self, instance: Component) -> str:
        """Return the name of a component, or ``""`` if it is not in the pipeline."""
        return next((name for name, known in self.walk() if known is instance), "")

    def walk(self) -> Iterator[tuple[str, Component]]:
        """Yield the name of each component and the component."""
        for name, node in self._nodes.items():
            yield name, node.instance

    def inputs(self, include_components_with_connected_inputs: bool = False) -> SocketTable:
        """Return the inputs of `run` by component: ``type``, ``is_mandatory`` and
        ``default_value``.

        :param include_components_with_connected_inputs: include the inputs that other components
            feed.
        """
        return describe_inputs(self._nodes, connected=include_components_with_connected_inputs)

    def outputs(self, include_components_with_connected_outputs: bool = False) -> SocketTable:
        """Return the outputs of `run` by component, with their ``type``.

        :param include_components_with_connected_outputs: include the outputs that other components
            consume.
        """
        return describe_outputs(self._nodes, connected=include_components_with_connected_outputs)

    @property
    def graph(self) -> "nx.MultiDiGraph[str]":
        """A copy of the pipeline as a graph: nodes with an ``instance``, an edge per connection."""
        return to_networkx(self._nodes)

    def __repr__(self) -> str:
        lines = [object.__repr__(self), "Components"]
        lines += [f"  - {name}: {type(instance).__name__}" for name, instance in self.walk()]
        lines += ["Connections", *(f"  - {' -> '.join(edge.endpoints)}" for edge in iter_edges(self._nodes.values()))]
        return "\n".join(lines)

    def _has(self, name: str, instance: Component) -> bool:
        return name in self._nodes and self._nodes[name].instance is instance

    def _check_new(self, name: str, instance: Component) -> None:
        if name in self._nodes:
            raise ValueError(f"A component named '{name}' already exists in this pipeline: choose another name.")
        if "." in name or name == "_debug":
            raise ValueError(f"'{name}' is an invalid component name: dots and '_debug' have another meaning.")
        if not is_component(instance):
            remedy = "Is its class decorated with @component?"
            if hasattr(instance, "__haystack_input__"):
                remedy = "It is one of Haystack: give spaniel.interop.haystack.HaystackComponent(it)."
            raise PipelineValidationError(f"'{type(instance).__name__}' is not a component. {remedy}")
        owner = get_pipeline(instance)
        if owner is self:
            raise PipelineError(
                f"The component has already been added to this pipeline, as '{self.get_component_name(instance)}'."
            )
        if owner is not None:
            raise PipelineError("The component has already been added to another pipeline. Create a new instance.")
