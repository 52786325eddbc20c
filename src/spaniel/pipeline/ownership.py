"""Ownership of values: components may change their arguments, so a second owner gets a copy."""

import copy
from collections.abc import Callable, Iterator
from functools import cached_property

from spaniel.core.component import is_component
from spaniel.core.component.annotations import Value
from spaniel.dataclasses import ByteStream, Document, SparseEmbedding

_ATOMS = frozenset((str, int, float, complex, bool, type(None), bytes))
_RECORDS = (Document, ByteStream, SparseEmbedding)


def deep_copy(value: Value) -> Value:
    """Return a copy that shares no mutable part with the value.

    Components, and objects that can't be copied, such as clients and locks, are returned
    themselves.

    >>> documents = [Document(content="a", meta={"page": 1})]
    >>> deep_copy(documents)[0].meta is documents[0].meta
    False
    """
    kind = type(value)
    if kind in _ATOMS:
        return value
    if kind in _CONTAINERS:
        return _CONTAINERS[kind](value)
    if isinstance(value, _RECORDS):
        copied = object.__new__(kind)
        state: Value = value.__getstate__()
        copied.__dict__.update((name, deep_copy(item)) for name, item in state.items())
        return copied
    if is_component(value):
        return value
    try:
        return copy.deepcopy(value)
    except Exception:  # noqa: BLE001 (a class may refuse to be copied with any error)
        return value


def _copy_list(value: list[Value]) -> list[Value]:
    return value[:] if _ATOMS.issuperset(map(type, value)) else [deep_copy(item) for item in value]


_CONTAINERS: dict[type, Callable[[Value], Value]] = {
    list: _copy_list,
    dict: lambda value: {key: deep_copy(item) for key, item in value.items()},
    tuple: lambda value: tuple(deep_copy(item) for item in value),
}


class CopyOnShare:
    """Passes the outputs of a component on: the first owner gets the object, every other a copy.

    >>> sharing, documents = CopyOnShare(), [Document(content="a")]
    >>> first, second = sharing.share(documents), sharing.share(documents)
    >>> first is documents, second is documents, second == documents
    (True, False, True)
    """

    def __init__(self) -> None:
        self._shared: set[int] = set()

    def share(self, value: Value) -> Value:
        """Return the value, or a copy if a part of it has an owner already."""
        parts = set(_iter_identities(value))
        if not self._shared.isdisjoint(parts):
            return deep_copy(value)
        self._shared |= parts
        return value


class OwnedArguments:
    """The arguments of a component's run, which the component may change.

    >>> document = Document(content="a")
    >>> owned = OwnedArguments({"documents": [document]})
    >>> owned.contains(document), owned.contains(Document(content="a"))
    (True, False)
    """

    def __init__(self, arguments: dict[str, Value]) -> None:
        self._arguments = arguments

    def contains(self, value: object) -> bool:
        """Return True if a record is an argument, or a part of an argument."""
        return id(value) in self._identities

    @cached_property
    def _identities(self) -> frozenset[int]:
        """Computed on first use, when a field is assigned."""
        return frozenset(_iter_identities(self._arguments, inside_records=True))


def _iter_identities(value: Value, *, inside_records: bool = False) -> Iterator[int]:
    """Yield the identities of a value and its elements, on request of the parts of documents."""
    kind = type(value)
    if kind in _ATOMS:
        return
    yield id(value)
    if kind in (list, tuple, set):
        if not _ATOMS.issuperset(map(type, value)):
            for item in value:
                yield from _iter_identities(item, inside_records=inside_records)
    elif kind is dict:
        for item in value.values():
            yield from _iter_identities(item, inside_records=inside_records)
    elif inside_records and isinstance(value, Document):
        yield from (id(value.blob), id(value.sparse_embedding))
