import numpy as np
import pytest
from haystack.components.rankers import MetaFieldGroupingRanker as ReferenceRanker
from hypothesis import given
from hypothesis import strategies as st

from spaniel.components.rankers import MetaFieldGroupingRanker
from tests.components.pairs import Spec, documents, ours, shown, theirs

GROUPS = st.none() | st.sampled_from(["", "x", "1", 1, 1.5, True])
ORDERS = (
    st.none() | st.integers(0, 3) | st.sampled_from(["a", "b"]) | st.lists(st.integers(0, 1), max_size=1) | st.just({})
)
METAS = st.fixed_dictionaries({}, optional={"group": GROUPS, "subgroup": GROUPS, "order": ORDERS})
KEYS = st.fixed_dictionaries(
    {"group_by": st.just("group")},
    optional={
        "subgroup_by": st.sampled_from([None, "", "subgroup"]),
        "sort_docs_by": st.sampled_from([None, "", "order"]),
    },
)


@given(documents(METAS, max_size=10), KEYS)
def test_it_groups_as_haystack_does(specs, keys):
    expected = shown(ReferenceRanker(**keys).run(theirs(specs))["documents"])
    assert shown(MetaFieldGroupingRanker(**keys).run(ours(specs))["documents"]) == expected


def grouped(ranker, specs):
    return "".join(document.id for document in ranker.run(specs)["documents"])


class TestCorrected:
    """Both results, side by side."""

    def test_a_subgroup_that_is_called_no_subgroup_is_one_of_its_own(self):
        subgroups = {"a": {}, "b": {"subgroup": "x"}, "c": {"subgroup": "no_subgroup"}}
        specs = [Spec(id, meta={"group": "g", **subgroup}) for id, subgroup in subgroups.items()]
        keys = {"group_by": "group", "subgroup_by": "subgroup"}
        assert grouped(ReferenceRanker(**keys), theirs(specs)) == "acb"
        assert grouped(MetaFieldGroupingRanker(**keys), ours(specs)) == "abc"

    def test_arrays_keep_their_order_and_do_not_raise(self):
        specs = [Spec(id, meta={"group": "g", "order": np.array([1, 2])}) for id in "ba"]
        keys = {"group_by": "group", "sort_docs_by": "order"}
        with pytest.raises(ValueError, match="truth value"):
            grouped(ReferenceRanker(**keys), theirs(specs))
        assert grouped(MetaFieldGroupingRanker(**keys), ours(specs)) == "ba"


def test_values_that_can_not_be_compared_are_logged(caplog):
    specs = [Spec("a", meta={"group": "g", "order": 1}), Spec("b", meta={"group": "g", "order": "1"})]
    assert grouped(MetaFieldGroupingRanker("group", sort_docs_by="order"), ours(specs)) == "ab"
    assert "can't be compared" in caplog.text
