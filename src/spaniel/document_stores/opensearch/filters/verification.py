"""A filter as a test of fetched documents, where the server can't tell."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from spaniel.dataclasses import Document
from spaniel.document_stores.opensearch.schema.fields import Fields
from spaniel.filters import Comparison, Filter, matches
from spaniel.filters.field import field_path
from spaniel.filters.operators import LOGIC
from spaniel.filters.parse import Logic

Accepts = Callable[[Document], bool]

NOBODY = Document(id="nobody")
"""It has no metadata at all."""


def document_test(filter: Filter | None, fields: Fields) -> Accepts:
    """Return the test whether a document passes a filter: `filters.evaluate`, and for one object of a nested list at a time.

    :param filter: None: every document passes.
    :param fields: of the index.

    >>> from spaniel.filters import parse_filter
    >>> fields = Fields({"authors": {"type": "nested", "properties": {"name": {"type": "text"}}}})
    >>> by_ada = document_test(parse_filter({"field": "authors.name", "operator": "==", "value": "Ada"}), fields)
    >>> [by_ada(Document(meta={"authors": [{"name": name}, {}]})) for name in ("Ada", "Bob")]
    [True, False]
    """
    if filter is None:
        return lambda _: True
    node = without_aliases(filter, fields)
    if not any(fields.find(each.path).nested for each in _comparisons(node)):
        return lambda document: matches(node, document)
    return lambda document: _passes(node, document, fields)


def without_aliases(node: Filter, fields: Fields) -> Filter:
    """Return a filter that names the fields that documents have, where the mapping has another name for one."""
    if isinstance(node, Logic):
        return replace(node, conditions=tuple(without_aliases(each, fields) for each in node.conditions))
    target = fields.alias_target(node.path)
    return node if target is None else replace(node, path=field_path(target))


def nested_place(node: Filter, fields: Fields) -> str | None:
    """Return the list of objects that all fields of a filter lie in; None if there is no such list."""
    places = {fields.find(each.path).nested for each in _comparisons(node)}
    return places.pop() if len(places) == 1 else None


def _comparisons(node: Filter) -> Iterator[Comparison]:
    if isinstance(node, Comparison):
        yield node
        return
    for each in node.conditions:
        yield from _comparisons(each)


def _passes(node: Filter, document: Document, fields: Fields) -> bool:
    if isinstance(node, Comparison):
        place = fields.find(node.path).nested
        return matches(node, document) if place is None else _one_object(place, "AND", [node], document)
    parts, objects = [], dict[str, list[Filter]]()
    for each in node.conditions:
        if place := nested_place(each, fields):
            objects.setdefault(place, []).append(each)
        else:
            parts.append(_passes(each, document, fields))
    parts += [_one_object(place, node.operator, nodes, document) for place, nodes in objects.items()]
    return LOGIC[node.operator](iter(parts))


def _one_object(place: str, operator: str, nodes: list[Filter], document: Document) -> bool:
    """Return whether conditions hold for one and the same object of a list; without any object, whether they hold for none."""
    join = any if operator == "OR" else all
    steps = place.split(".")
    found = list(_objects(document.meta, steps)) or [NOBODY]
    return any(join(matches(node, each) for node in nodes) for each in found)


def _objects(value: Any, steps: list[str]) -> Iterator[Document]:
    """Yield for each object of a nested list a document that has this one only."""
    for each in _inside(value, steps):
        meta: dict[str, Any] = each
        for step in reversed(steps):
            meta = {step: meta}
        yield Document(id="object", meta=meta)


def _inside(value: Any, steps: list[str]) -> Iterator[dict[str, Any]]:
    for each in value if isinstance(value, list | tuple) else [value]:
        if isinstance(each, dict):
            if not steps:
                yield each
            elif steps[0] in each:
                yield from _inside(each[steps[0]], steps[1:])
