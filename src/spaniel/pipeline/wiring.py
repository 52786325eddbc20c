"""Putting components into a pipeline and connecting them."""

import weakref
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from spaniel.core.component import Component, get_input_sockets, get_output_sockets, is_component
from spaniel.core.component.component import OWNER, get_pipeline
from spaniel.errors import PipelineError, PipelineValidationError
from spaniel.pipeline.connections import find_node, resolve_edge
from spaniel.pipeline.graph import InputPort, Node, describe_inputs, describe_outputs, iter_edges, to_networkx

if TYPE_CHECKING:
    import networkx as nx


class Wiring:
    """Components under names, and the connections between them.

    :param connection_type_validation: whether `connect` checks types.
    """

    def __init__(self, *, connection_type_validation: bool = True) -> None:
        self._nodes: dict[str, Node] = {}
        self._checks_types = connection_type_validation

    def add_component(self, name: str, instance: Component) -> Self:
        """Return the pipeline, with a component added to it.

        :param name: unique in the pipeline, without dots.
        :param instance: an object of a class decorated with ``@component``. Adding it again under its name does nothing.
        :raises ValueError: the name is taken or not allowed.
        :raises PipelineValidationError: `instance` is no component.
        :raises PipelineError: it is part of a pipeline already.
        """
        return self.add_components({name: instance})

    def add_components(self, components: Mapping[str, Component]) -> Self:
        """Return the pipeline, with several components added; if one can't be added, none is.

        :param components: the components by name.
        :raises ValueError: a name is taken or not allowed.
        :raises PipelineValidationError: one is no component.
        :raises PipelineError: one is part of a pipeline already, or is there twice.
        """
        new = {name: instance for name, instance in components.items() if not self._has(name, instance)}
        names: dict[int, str] = {}
        for name, instance in new.items():
            self._check_new(name, instance)
            if (other := names.setdefault(id(instance), name)) != name:
                raise PipelineError(
                    f"One component can't be added under two names, but is mapped to both '{other}' and '{name}'."
                )
        for name, instance in new.items():
            inlets = {socket_name: InputPort(socket) for socket_name, socket in get_input_sockets(instance).items()}
            self._nodes[name] = Node(name, instance, inlets, get_output_sockets(instance))
            instance.__dict__[OWNER] = weakref.ref(self)
        return self

    def remove_component(self, name: str) -> Component:
        """Return a component that is taken out of the pipeline, with all its connections.

        :raises ValueError: there is no such component.
        """
        removed = find_node(self._nodes, name)
        for edge in removed.edges:
            self._disconnect(edge.receiver, edge.input.name, name)
        del self._nodes[name]
        for node in self._nodes.values():
            node.edges[:] = [edge for edge in node.edges if edge.receiver != name]
        removed.instance.__dict__.pop(OWNER, None)
        return removed.instance

    def connect(self, sender: str, receiver: str) -> Self:
        """Return the pipeline, with two components connected.

        Names of sockets can be left out where only one pair fits by type, or only one of those that fit has the same name
        on both sides. A value that does not fit as it is may be converted: ``T`` to ``list[T]``, and ``list[str]`` of one
        element to ``str``. An input whose type is a list may have several senders; their lists are joined.

        :param sender: ``"component"`` or ``"component.output"``.
        :param receiver: ``"component"`` or ``"component.input"``. Connecting the same pair again does nothing.
        :raises ValueError: there is no such component.
        :raises PipelineConnectError: the sockets don't fit, several pairs fit, or the input is taken.
        """
        edge = resolve_edge(self._nodes, sender, receiver, check_types=self._checks_types)
        edges = self._nodes[edge.sender].edges
        if edge.ends not in (known.ends for known in edges):
            inlet = self._nodes[edge.receiver].inputs[edge.input.name]
            inlet.joins_lists = inlet.joins_lists or not inlet.takes_more
            inlet.senders[edge.sender] = None
            edges.append(edge)
        return self

    def connect_many(self, connections: Sequence[tuple[str, str]]) -> Self:
        """Return the pipeline, with several pairs connected in turn; those before one that fails stay connected.

        :param connections: pairs of what `connect` takes.
        :raises ValueError: there is no such component.
        :raises PipelineConnectError: a pair can't be connected.
        """
        for sender, receiver in connections:
            self.connect(sender, receiver)
        return self

    def get_component(self, name: str) -> Component:
        """Return the component of this name.

        :raises ValueError: there is none.
        """
        return find_node(self._nodes, name).instance

    def get_component_name(self, instance: Component) -> str:
        """Return the name of a component, or ``""`` if it is not in the pipeline."""
        return next((name for name, known in self.walk() if known is instance), "")

    def walk(self) -> Iterator[tuple[str, Component]]:
        """Yield the name of each component and the component."""
        for name, node in self._nodes.items():
            yield name, node.instance

    def inputs(self, include_components_with_connected_inputs: bool = False) -> dict[str, dict[str, dict[str, Any]]]:
        """Return what can be passed to `run`: component, input, then ``type``, ``is_mandatory`` and ``default_value``.

        :param include_components_with_connected_inputs: whether to list the inputs that other components feed, too.
        """
        return describe_inputs(self._nodes, connected=include_components_with_connected_inputs)

    def outputs(self, include_components_with_connected_outputs: bool = False) -> dict[str, dict[str, dict[str, Any]]]:
        """Return what `run` gives: component, output, then ``type``.

        :param include_components_with_connected_outputs: whether to list the outputs that other components take, too.
        """
        return describe_outputs(self._nodes, connected=include_components_with_connected_outputs)

    @property
    def graph(self) -> "nx.MultiDiGraph[str]":
        """A copy of the pipeline as a graph: nodes with their ``instance``, an edge for each connection."""
        return to_networkx(self._nodes)

    def __repr__(self) -> str:
        lines = [object.__repr__(self), "Components"]
        lines += [f"  - {name}: {type(instance).__name__}" for name, instance in self.walk()]
        lines += ["Connections", *(f"  - {' -> '.join(edge.ends)}" for edge in iter_edges(self._nodes.values()))]
        return "\n".join(lines)

    def _has(self, name: str, instance: Component) -> bool:
        return name in self._nodes and self._nodes[name].instance is instance

    def _check_new(self, name: str, instance: Component) -> None:
        if name in self._nodes:
            raise ValueError(f"A component named '{name}' already exists in this pipeline: choose another name.")
        if "." in name or name == "_debug":
            raise ValueError(f"'{name}' is an invalid component name: dots and '_debug' have another meaning.")
        if not is_component(instance):
            raise PipelineValidationError(f"'{type(instance).__name__}' is no component. {_remedy(instance)}")
        owner = get_pipeline(instance)
        if owner is self:
            raise PipelineError(
                f"The component has already been added to this pipeline, as '{self.get_component_name(instance)}'."
            )
        if owner is not None:
            raise PipelineError(
                "The component has already been added to another pipeline. Create a new one for this one."
            )

    def _disconnect(self, receiver: str, input_name: str, sender: str) -> None:
        inlet = self._nodes[receiver].inputs[input_name]
        inlet.senders.pop(sender, None)
        inlet.joins_lists = inlet.joins_lists and len(inlet.senders) > 1


def _remedy(instance: object) -> str:
    if hasattr(instance, "__haystack_input__"):
        return "It is one of Haystack: give spaniel.interop.haystack.HaystackComponent(it)."
    return "Is its class decorated with @component?"
