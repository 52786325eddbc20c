# ruff: noqa: UP006, UP007, UP035, UP045 (both spellings of a type are tested)
from collections.abc import Callable, Iterable
from typing import Annotated, Any, List, Literal, Optional, Union

import pytest
from haystack.core.type_utils import _strict_types_are_compatible as reference
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from spaniel import Document
from spaniel.core.component.type_labels import arms_of, type_label
from spaniel.pipeline.type_check import common_type, fits, is_list


class Special(Document):
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
def test_types_fit_as_in_haystack_where_it_does_not_compare_by_position(sent, wanted):
    assume(not (len(arms_of(sent)) > 1))  # it compares two unions arm by arm in their order
    assume("Union" not in str(sent) and "|" not in str(sent) and "Optional" not in str(sent))
    assume("Literal" not in str(sent))
    assert fits(sent, wanted) == reference(sent, wanted)


@settings(max_examples=500, deadline=None)
@given(sent=TYPES, wanted=TYPES)
def test_what_fits_in_haystack_fits(sent, wanted):
    assert fits(sent, wanted) or not reference(sent, wanted)


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
def test_a_type_fits_where_each_of_its_values_does(sent, wanted, expected):
    assert fits(sent, wanted) is expected


@pytest.mark.parametrize(
    ("type_", "expected"),
    [(list, True), (list[int] | None, True), (list[int] | list[str], True), (list[int] | str, False), (None, False)],
)
def test_a_list_is_a_list_also_if_it_is_optional(type_, expected):
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
def test_a_type_is_shown_as_it_is_written(type_, label):
    assert type_label(type_) == label


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (list[Any], list[int], list[int]),
        (int | str | None, str | None, str | None),
        (dict[str, Any], dict[str, int], dict[str, int]),
    ],
)
def test_the_common_type_holds_what_is_of_both(one, other, expected):
    assert common_type(one, other) == expected


def test_types_without_common_values_are_told():
    with pytest.raises(TypeError, match="both list\\[int\\] and str"):
        common_type(list[int], str)
