"""A filter as a test of fetched documents, for filters that the server can't answer exactly."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeAlias

from spaniel.dataclasses import Document
from spaniel.document_stores.opensearch.schema.fields import Fields
from spaniel.filters import Comparison, Filter, matches
from spaniel.filters.field import field_path
from spaniel.filters.operators import LOGIC
from spaniel.filters.parse import Logic
from spaniel.json_types import Json, JsonObject, Meta

DocumentTest: TypeAlias = Callable[[Document], bool]

WITHOUT_METADATA = Document(id="without metadata")
"""Stands for the empty list of objects: no field has a value."""


def document_test(node: Filter | None, fields: Fields) -> DocumentTest:
    """Return the test of `filters.evaluate`, applied to each object of a nested list.

    >>> from spaniel.filters import parse_filter
    >>> fields = Fields({"authors": {"type": "nested", "properties": {"name": {"type": "text"}}}})
    >>> by_ada = document_test(parse_filter({"field": "authors.name", "operator": "==", "value": "Ada"}), fields)
    >>> [by_ada(Document(meta={"authors": [{"name": name}, {}]})) for name in ("Ada", "Bob")]
    [True, False]
    """
    if node is None:
        return lambda _: True
    resolved = resolve_aliases(node, fields)
    if not any(fields.find(each.path).nested_path for each in comparisons(resolved)):
        return lambda document: matches(resolved, document)
    return lambda document: _passes(resolved, document, fields)


def resolve_aliases(node: Filter, fields: Fields) -> Filter:
    """Return a filter on the fields that documents have, instead of aliases in the mapping."""
    if isinstance(node, Logic):
        return replace(node, conditions=tuple(resolve_aliases(each, fields) for each in node.conditions))
    target = fields.alias_target(node.path)
    return node if target is None else replace(node, path=field_path(target))


def comparisons(node: Filter) -> Iterator[Comparison]:
    """Yield the comparisons of a filter."""
    if isinstance(node, Comparison):
        yield node
        return
    for each in node.conditions:
        yield from comparisons(each)


def group_by_nested(node: Logic, fields: Fields) -> tuple[list[Filter], dict[str, list[Filter]]]:
    """Return the conditions that are not about a single nested list, and the others by their list."""
    others, objects = list[Filter](), dict[str, list[Filter]]()
    for each in node.conditions:
        paths = {fields.find(comparison.path).nested_path for comparison in comparisons(each)}
        path = paths.pop() if len(paths) == 1 else None
        if path is None:
            others.append(each)
        else:
            objects.setdefault(path, []).append(each)
    return others, objects


def _passes(node: Filter, document: Document, fields: Fields) -> bool:
    if isinstance(node, Comparison):
        path = fields.find(node.path).nested_path
        return matches(node, document) if path is None else _passes_in_object(path, "AND", [node], document)
    others, objects = group_by_nested(node, fields)
    parts = [_passes(each, document, fields) for each in others]
    parts += [_passes_in_object(path, node.operator, nodes, document) for path, nodes in objects.items()]
    return LOGIC[node.operator](iter(parts))


def _passes_in_object(path: str, operator: str, nodes: list[Filter], document: Document) -> bool:
    """Return True if one object meets all conditions; without objects, if an empty one does."""
    join = any if operator == "OR" else all
    objects = list(_objects(document.meta, path.split("."))) or [WITHOUT_METADATA]
    return any(join(matches(node, each) for node in nodes) for each in objects)


def _objects(value: Meta, steps: list[str]) -> Iterator[Document]:
    for each in _descend(value, steps):
        meta = each
        for step in reversed(steps):
            meta = {step: meta}
        yield Document(id="object", meta=meta)


def _descend(value: Json, steps: list[str]) -> Iterator[JsonObject]:
    for each in value if isinstance(value, list | tuple) else [value]:
        if isinstance(each, dict):
            if not steps:
                yield each
            elif steps[0] in each:
                yield from _descend(each[steps[0]], steps[1:])
