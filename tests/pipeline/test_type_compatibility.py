# ruff: noqa: UP006, UP007, UP035, UP045 (both spellings of a type are tested)
import typing
from collections import defaultdict, deque
from collections.abc import (
    Callable,
    Collection,
    Container,
    Generator,
    ItemsView,
    Iterable,
    Iterator,
    Mapping,
    MutableSequence,
    Reversible,
    Sequence,
    Sized,
)
from collections.abc import Set as AbstractSet
from itertools import product
from types import MappingProxyType
from typing import Annotated, Any, List, Literal, Optional, Union, get_args, get_origin

import pytest
from haystack.core.type_utils import _strict_types_are_compatible as reference
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from spaniel import Document
from spaniel.core.component.annotations import format_type, get_union_members
from spaniel.pipeline.type_compatibility import intersect_types, is_assignable, is_list


class Special(Document):
    pass


class Names(list[str]):
    pass


PLAIN = st.sampled_from(
    [int, bool, str, float, Document, Special, Any, list, dict, type(None), Literal["a"], Literal["a", "b"]]
)
TYPES = st.recursive(
    PLAIN,
    lambda inner: st.one_of(
        inner.map(lambda item: list[item]),
        inner.map(lambda item: Iterable[item]),
        inner.map(lambda item: Optional[item]),
        st.tuples(inner, inner).map(lambda items: Union[items]),
        st.tuples(inner, inner).map(lambda items: dict[items]),
        st.tuples(inner, inner).map(lambda items: tuple[items]),
        st.tuples(inner, inner).map(lambda items: Callable[[items[0]], items[1]]),
    ),
    max_leaves=4,
)


@settings(max_examples=500, deadline=None)
@given(sent=TYPES, wanted=TYPES)
def test_agrees_with_haystack_except_for_positional_comparison(sent, wanted):
    assume(not (len(get_union_members(sent)) > 1))  # it compares two unions arm by arm in their order
    assume("Union" not in str(sent) and "|" not in str(sent) and "Optional" not in str(sent))
    assume("Literal" not in str(sent))
    assume("Iterable" not in str(wanted))  # it knows a list as an Iterable only
    assert is_assignable(sent, wanted) == reference(sent, wanted)


@settings(max_examples=500, deadline=None)
@given(sent=TYPES, wanted=TYPES)
def test_accepts_pairs_that_haystack_accepts(sent, wanted):
    assert is_assignable(sent, wanted) or not reference(sent, wanted)


VALUES = {int: [7], bool: [True], str: ["a"], type(None): [None], Special: [Special()]}
HOMOGENEOUS = [list, set, frozenset, deque, Sequence, AbstractSet, Collection, Iterable, Container, Reversible]
KNOWN = st.recursive(
    st.sampled_from(list(VALUES)),
    lambda inner: st.one_of(
        st.builds(lambda origin, item: origin[item], st.sampled_from(HOMOGENEOUS), inner),
        inner.map(lambda item: tuple[item, ...]),
        st.lists(st.sampled_from(list(VALUES)), max_size=3).map(lambda items: tuple[tuple(items)]),
        st.builds(lambda origin, items: origin[items], st.sampled_from([dict, Mapping]), st.tuples(inner, inner)),
        st.lists(inner, min_size=1, max_size=3).map(lambda items: Union[tuple(items)]),
    ),
    max_leaves=3,
)


def values_of(type_):
    """Return values of a type, of each class and with items of each type alone and of all."""
    origin, parts = get_origin(type_), get_args(type_)
    if origin is None:
        return VALUES[type_]
    if origin is Union:
        return [value for part in parts for value in values_of(part)]
    if origin is tuple and Ellipsis not in parts:
        return list(product(*map(values_of, parts)))
    if origin in (dict, Mapping):
        entries = [(Key(key), item) for key in values_of(parts[0]) for item in values_of(parts[1])]
        groups = [[entry] for entry in entries] + [entries]
        return [
            build(dict(group)) for group in groups for build in ([dict, MappingProxyType][: 1 + (origin is Mapping)])
        ]
    items = list(map(Key, values_of(parts[0])))
    groups = [[item] * 4 for item in items] + [items * 4]
    return [build(group) for group in groups for build in CLASSES.get(origin, [origin])]


class Key:
    """A hashable wrapper of any value."""

    def __init__(self, value):
        self.value = value


class Holder:
    def __init__(self, items):
        self.items = items

    def __contains__(self, value):
        return value in self.items


class Stream:
    def __init__(self, items):
        self.items = items

    def __iter__(self):
        return iter(self.items)


class ReversibleStream(Stream):
    def __reversed__(self):
        return reversed(self.items)


CLASSES = {
    Sequence: [list, tuple],
    Reversible: [list, tuple, ReversibleStream],
    AbstractSet: [set, frozenset],
    Collection: [list, tuple, set],
    Iterable: [list, tuple, set, Stream],
    Container: [list, tuple, set, Holder],
}


def belongs(value, type_):
    """Return True if a value and all of its items are of a type."""
    value = value.value if isinstance(value, Key) else value
    origin, parts = get_origin(type_), get_args(type_)
    if origin is None:
        return isinstance(value, type_)
    if origin is Union:
        return any(belongs(value, part) for part in parts)
    if isinstance(value, str) or not isinstance(value, origin):
        return False
    if origin is tuple and Ellipsis not in parts:
        return len(value) == len(parts) and all(map(belongs, value, parts))
    if origin in (dict, Mapping):
        return all(belongs(key, parts[0]) and belongs(item, parts[1]) for key, item in value.items())
    items = value.items if type(value) is Holder else value
    return all(belongs(item, parts[0]) for item in list(items))


@settings(max_examples=1000, deadline=None)
@given(sent=KNOWN, wanted=KNOWN)
def test_assignable_if_and_only_if_all_values_are(sent, wanted):
    assert is_assignable(sent, wanted) == all(belongs(value, wanted) for value in values_of(sent))


FITTING = [
    (list[float], Sequence[float]),
    (tuple[float, ...], Sequence[float]),
    (tuple[int, str], Sequence[int | str]),
    (tuple[bool, ...], Iterable[int]),
    (tuple[()], Sequence[int]),
    (tuple[bool, int], tuple[int, ...]),
    (tuple, tuple[Any, ...]),
    (set[int], Collection[int]),
    (frozenset[int], Iterable[int]),
    (set[int], AbstractSet[int]),
    (list[int], Reversible[int]),
    (list[int], Container[int]),
    (list[int], MutableSequence[int]),
    (list[int], Sized),
    (list[int], object),
    (list, Sequence),
    (list, Sequence[Any]),
    (dict[str, int], Iterable[str]),
    (dict[str, int], Mapping[str, int]),
    (dict[str, list[float]], Mapping[str, Sequence[float]]),
    (defaultdict[str, int], dict[str, int]),
    (ItemsView[str, int], Iterable[tuple[str, int]]),
    (List[int], typing.Sequence[int]),
    (typing.Dict[str, int], typing.Mapping[str, int]),
    (list[list[float]], Sequence[Sequence[float]]),
    (list[float] | None, Sequence[float] | None),
    (list[float], Sequence[float] | None),
    (list[int] | tuple[int, ...], Sequence[int]),
    (Annotated[list[int], "note"], Sequence[int]),
    (Sequence[int], Iterable[int]),
    (Generator[int, None, None], Iterator[int]),
    (deque[int], Sequence[int]),
    (Names, Sequence[str]),
]
UNFIT = [
    (list[float], Sequence[str]),
    (list[float] | None, Sequence[float]),
    (list, Sequence[int]),
    (list[Any], Sequence[int]),
    (Any, Sequence[int]),
    (int, Sequence[int]),
    (set[int], Sequence[int]),
    (Iterable[int], Sequence[int]),
    (Sequence[int], list[int]),
    (Mapping[str, int], dict[str, int]),
    (tuple[int, str], Sequence[int]),
    (tuple[int, ...], tuple[int, int]),
    (tuple[int], tuple[()]),
    (dict[str, int], Iterable[int]),
    (dict[str, int], Sequence[str]),
    (str, Sequence[str]),  # a text in place of a list of texts is a mistake, and Haystack refuses it
    (str, Iterable[Any]),
    (bytes, Sequence[int]),
    (Names, Sequence[int]),
    (Union, int),
    (int, Union),
]


@pytest.mark.parametrize(("sent", "wanted"), FITTING)
def test_container_is_assignable_to_its_abstract_types(sent, wanted):
    assert is_assignable(sent, wanted)


@pytest.mark.parametrize(("sent", "wanted"), UNFIT)
def test_rejects_containers_of_other_elements_or_kinds(sent, wanted):
    assert not is_assignable(sent, wanted)
    assert (sent, wanted) == (tuple[int], tuple[()]) or not reference(sent, wanted)


@pytest.mark.parametrize(
    ("sent", "wanted", "expected"),
    [
        (int | None, str | int | None, True),  # Haystack compares the first arms, the second arms, ...
        (Union[str, int], Union[int, str], True),
        (bool | int, int, True),
        (str | None, str, False),
        (Literal["b"], Literal["a", "b"], True),
        (Literal["c"], Literal["a", "b"], False),
        (tuple[int, int], tuple[int, int, int], False),  # Haystack lets it pass
        (list[Special], list[Document], True),
        (list[Document], list[Special], False),
        (List[int], list[int], True),
        (list[int], Iterable[int], True),
        (Any, int, False),
        (int, Any, True),
        (Annotated[int, "note"], int, True),
        (Callable[[int], str], Callable[..., Any], True),
        (Callable[[int], str], Callable[[int, int], str], False),
    ],
)
def test_assignable_if_each_value_is(sent, wanted, expected):
    assert is_assignable(sent, wanted) is expected


@pytest.mark.parametrize(
    ("type_", "expected"),
    [(list, True), (list[int] | None, True), (list[int] | list[str], True), (list[int] | str, False), (None, False)],
)
def test_optional_list_is_a_list(type_, expected):
    assert is_list(type_) is expected


@pytest.mark.parametrize(
    ("type_", "label"),
    [
        (dict[str, list[int]], "dict[str, list[int]]"),
        (Optional[Document], "Document | None"),
        (Literal["a", "b"], "Literal['a', 'b']"),
        (Callable[[int], str], "Callable[[int], str]"),
        (tuple[int, ...], "tuple[int, ...]"),
        (Any, "Any"),
    ],
)
def test_formats_types_as_source(type_, label):
    assert format_type(type_) == label


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (list[Any], list[int], list[int]),
        (int | str | None, str | None, str | None),
        (dict[str, Any], dict[str, int], dict[str, int]),
        (Sequence[float], list[float], list[float]),
        (list[float] | None, Sequence[float], list[float]),
    ],
)
def test_intersection_has_the_common_values(one, other, expected):
    assert intersect_types(one, other) == expected


def test_rejects_types_without_common_values():
    with pytest.raises(TypeError, match="list\\[int\\] and str have no common values"):
        intersect_types(list[int], str)
