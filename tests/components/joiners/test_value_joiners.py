"""ListJoiner, BranchJoiner and StringJoiner, alone and against Haystack."""

import subprocess
import sys
from itertools import chain
from typing import Any

import pytest
from haystack.components import joiners as reference
from hypothesis import given
from hypothesis import strategies as st

from spaniel import Document
from spaniel.components.joiners import BranchJoiner, ListJoiner, StringJoiner
from spaniel.core.component import get_input_sockets, get_output_sockets
from spaniel.core.component.sockets import GREEDY, LAZY
from spaniel.errors import DeserializationError

VALUES = st.integers() | st.text(max_size=2) | st.none() | st.lists(st.integers(), max_size=2)


@given(st.lists(st.lists(VALUES, max_size=3), max_size=4))
def test_lists_are_joined_as_by_haystack(lists):
    assert ListJoiner().run(lists) == reference.ListJoiner().run(lists) == {"values": [*chain.from_iterable(lists)]}


@given(st.lists(st.text(max_size=3), max_size=4))
def test_strings_are_joined_as_by_haystack(strings):
    assert StringJoiner().run(strings) == reference.StringJoiner().run(strings) == {"strings": strings}


@given(st.lists(VALUES, max_size=3))
def test_one_value_passes_and_any_other_number_is_refused_as_by_haystack(values):
    def outcome(joiner):
        try:
            return joiner.run(value=values)
        except ValueError as error:
            return str(error)

    assert outcome(BranchJoiner(Any)) == outcome(reference.BranchJoiner(Any))


def test_a_branch_joiner_that_is_given_nothing_says_so():
    with pytest.raises(ValueError, match="expects only one input, but 0 were received"):
        BranchJoiner(int).run()


def test_a_branch_joiner_takes_and_gives_its_type_and_runs_as_soon_as_it_can():
    joiner = BranchJoiner(list[Document])
    socket = get_input_sockets(joiner)["value"]
    assert (socket.type, socket.variadic, get_output_sockets(joiner)["value"].type) == (
        list[Document],
        GREEDY,
        list[Document],
    )


def test_a_list_joiner_waits_for_all_lists_and_gives_its_type():
    joiner = ListJoiner(list[int])
    assert (get_input_sockets(joiner)["values"].variadic, get_output_sockets(joiner)["values"].type) == (
        LAZY,
        list[int],
    )
    assert get_output_sockets(ListJoiner())["values"].type == list[Any]


@pytest.mark.parametrize("type_", [str, list[Document], dict[str, Any], str | None, list[int | str]])
def test_a_type_survives_saving(type_):
    assert BranchJoiner.from_dict(BranchJoiner(type_).to_dict()).type_ == type_
    assert ListJoiner.from_dict(ListJoiner(type_).to_dict()).list_type_ == type_


def test_loading_leaves_the_data_as_it_is():
    data = ListJoiner(list[str]).to_dict()
    ListJoiner.from_dict(data)
    assert data["init_parameters"] == {"list_type_": "list[str]"}


@pytest.mark.parametrize("type_", ["subprocess.Popen", "eval", "list[os.system]", "__import__('os')"])
def test_a_type_that_is_not_known_is_refused(type_):
    data = {"type": "spaniel.components.joiners.branch.BranchJoiner", "init_parameters": {"type_": type_}}
    with pytest.raises(DeserializationError, match="can't be built"):
        BranchJoiner.from_dict(data)


def test_a_branch_joiner_without_its_type_is_refused():
    with pytest.raises(DeserializationError, match="is missing 1 required positional argument: 'type_'"):
        BranchJoiner.from_dict({"type": "spaniel.components.joiners.branch.BranchJoiner", "init_parameters": {}})


def test_a_pipeline_with_a_string_joiner_loads_where_nothing_has_imported_it():
    described = (
        "components: {joiner: {type: spaniel.components.joiners.string_joiner.StringJoiner, init_parameters: {}}}"
    )
    code = f"from spaniel import Pipeline; print(Pipeline.loads('{described}').run({{'joiner': {{'strings': 'a'}}}}))"
    output = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert output.strip() == "{'joiner': {'strings': ['a']}}"
