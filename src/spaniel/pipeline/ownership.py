"""Who holds a value: what a component gets is its own, and no copy is made where nobody else holds it.

A component may change what it is given. So a value that is handed to a second holder is copied first. Holders are the
components that take an output, the result of the run, and the caller with what was passed to ``run``.
"""

import copy
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

from spaniel.core.component import is_component
from spaniel.dataclasses import ByteStream, Document, SparseEmbedding

_ATOMS = frozenset((str, int, float, complex, bool, type(None), bytes))
_RECORDS = (Document, ByteStream, SparseEmbedding)


def deep_copy(value: Any) -> Any:
    """Return a copy that shares nothing that can be changed with the value.

    Components, and objects that can't be copied, such as clients and locks, are returned as they are.

    >>> documents = [Document(content="a", meta={"page": 1})]
    >>> deep_copy(documents)[0].meta is documents[0].meta
    False
    """
    kind = type(value)
    if kind in _ATOMS:
        return value
    if kind in _CONTAINERS:
        return _CONTAINERS[kind](value)
    return _copied_record(value) if isinstance(value, _RECORDS) else _copied_object(value)


def _copied_list(value: list[Any]) -> list[Any]:
    return value[:] if _ATOMS.issuperset(map(type, value)) else [deep_copy(item) for item in value]


_CONTAINERS: dict[type, Callable[[Any], Any]] = {
    list: _copied_list,
    dict: lambda value: {key: deep_copy(item) for key, item in value.items()},
    tuple: lambda value: tuple(deep_copy(item) for item in value),
}


def _copied_record(record: Any) -> Any:
    copied = object.__new__(type(record))
    copied.__dict__.update((name, deep_copy(value)) for name, value in record.__getstate__().items())
    return copied


def _copied_object(value: Any) -> Any:
    if is_component(value):
        return value
    try:
        return copy.deepcopy(value)
    except Exception:  # noqa: BLE001 (any class may refuse to be copied, in any way)
        return value


class CopyOnShare:
    """Hands out the outputs of one run of a component: each object itself once, then copies of it.

    >>> handover, documents = CopyOnShare(), [Document(content="a")]
    >>> first, second = handover.give(documents), handover.give(documents)
    >>> first is documents, second is documents, second == documents
    (True, False, True)
    """

    def __init__(self) -> None:
        self._given: set[int] = set()

    def give(self, value: Any) -> Any:
        """Return the value, or a copy if it or a part of it was given before."""
        parts = set(_parts(value))
        if not self._given.isdisjoint(parts):
            return deep_copy(value)
        self._given |= parts
        return value


class OwnedArguments:
    """The arguments of a component's run, which the component may change.

    >>> document = Document(content="a")
    >>> possession = OwnedArguments({"documents": [document]})
    >>> possession.holds(document), possession.holds(Document(content="a"))
    (True, False)
    """

    def __init__(self, arguments: dict[str, Any]) -> None:
        self._arguments = arguments

    def holds(self, value: object) -> bool:
        """Return whether a record is one of the arguments, or a part of one."""
        return id(value) in self._identities

    @cached_property
    def _identities(self) -> frozenset[int]:
        """Collected when a field is assigned, so that other runs cost nothing."""
        return frozenset(_parts(self._arguments, inside_records=True))


def _parts(value: Any, *, inside_records: bool = False) -> Iterator[int]:
    """Yield the identities of a value and of what its containers hold.

    :param inside_records: also of the blobs and the sparse embeddings of documents.
    """
    kind = type(value)
    if kind in _ATOMS:
        return
    yield id(value)
    if kind in (list, tuple, set):
        if not _ATOMS.issuperset(map(type, value)):
            for item in value:
                yield from _parts(item, inside_records=inside_records)
    elif kind is dict:
        for item in value.values():
            yield from _parts(item, inside_records=inside_records)
    elif inside_records and isinstance(value, Document):
        yield from (id(value.blob), id(value.sparse_embedding))
