import copy
from datetime import datetime, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spaniel.dataclasses.copying import copy_value


class Words(list):
    pass


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters(), max_size=3)
    | st.binary(max_size=3)
    | st.just(datetime(2024, 5, 1, tzinfo=timezone.utc))  # noqa: UP017
    | st.just({1, 2}),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(Words)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=2) | st.integers(), inner, max_size=3)
    ),
    max_leaves=12,
)


def mutables(value):
    """The ids of everything in a value that can be changed."""
    if isinstance(value, dict):
        return {id(value)}.union(*map(mutables, value.values()))
    if isinstance(value, (list, tuple)):
        own = set() if isinstance(value, tuple) else {id(value)}
        return own.union(*map(mutables, value))
    return {id(value)} if isinstance(value, set) else set()


@given(VALUES)
def test_a_copy_equals_its_value_and_shares_nothing_mutable(value):
    copied = copy_value(value)
    expected = copy.deepcopy(value)
    assert copied == expected
    assert repr(copied) == repr(expected)
    assert type(copied) is type(expected)
    assert not mutables(copied) & mutables(value)


def test_a_value_in_itself_is_refused_and_not_walked_without_end():
    endless: list = []
    endless.append({"again": endless})
    with pytest.raises(RecursionError, match="nested more than 400 levels deep"):
        copy_value(endless)


def test_what_a_copy_of_an_object_raises_is_raised():
    class Stubborn:
        def __deepcopy__(self, memo):
            raise OSError("no")

    with pytest.raises(OSError, match="no"):
        copy_value({"a": [Stubborn()]})
