import pytest
from hypothesis import given
from hypothesis import strategies as st

from spaniel import Document
from spaniel.strategies.fusion import FUSIONS, blend, concatenate, dbsf, merge, rrf
from spaniel.strategies.scores import sort_by_score
from tests.components.pairs import documents, ours, shown

RANKINGS = st.lists(documents(), max_size=4).map(lambda lists: [ours(specs) for specs in lists])


def ids_and_scores(fused):
    return [(document.id, document.score) for document in fused]


def doc(id, score=None, content=None):
    return Document(id=id, content=content, score=score)


@pytest.mark.parametrize("fuse", FUSIONS.values(), ids=FUSIONS)
class TestEveryFusion:
    @given(RANKINGS)
    def test_returns_every_document_once_at_its_first_place(self, fuse, rankings):
        first_places = list(dict.fromkeys(document.id for ranking in rankings for document in ranking))
        assert [document.id for document in fuse(rankings, None)] == first_places

    @given(RANKINGS)
    def test_leaves_the_documents_that_it_was_given_as_they_are(self, fuse, rankings):
        before = [shown(ranking) for ranking in rankings]
        fuse(rankings, None)
        assert [shown(ranking) for ranking in rankings] == before

    @given(RANKINGS)
    def test_gives_copies_that_it_was_given(self, fuse, rankings):
        given = {(document.id, document.content) for ranking in rankings for document in ranking}
        assert {(document.id, document.content) for document in fuse(rankings, None)} <= given

    def test_a_double_within_a_list_changes_nothing(self, fuse):
        a, b, c = doc("a", 0.9), doc("b", 0.5), doc("c", 0.2)
        assert fuse([[a, b, b, c], [a]], None) == fuse([[a, b, c], [a]], None)

    def test_of_nothing_is_nothing(self, fuse):
        assert fuse([], None) == fuse([], [0.5]) == fuse([[], []], None) == []


@pytest.mark.parametrize("name", ["concatenate", "merge", "distribution_based_rank_fusion"])
@pytest.mark.parametrize("order", [1, -1])
def test_the_copy_with_the_higher_score_stays_whatever_the_order_of_the_lists(name, order):
    lists = [[doc("a", 0.9, "full text")], [doc("a", 0.1, "stub")]]
    (fused,) = FUSIONS[name](lists[::order], None)
    assert fused.content == "full text"


@pytest.mark.parametrize("order", [1, -1])
def test_rrf_keeps_the_copy_with_the_better_rank_whatever_its_score(order):
    lists = [[doc("a", 0.1, "first")], [doc("b", 0.95), doc("a", 0.9, "second")]]
    fused = {document.id: document for document in rrf(lists[::order])}
    assert fused["a"].content == "first"


def test_rrf_keeps_the_copy_of_the_first_list_where_ranks_are_equal():
    (fused,) = rrf([[doc("a", 0.1, "stub")], [doc("a", 0.9, "full text")]])
    assert fused.content == "stub"


def test_a_list_with_a_double_scores_as_without_it_in_rrf():
    a, b = doc("a"), doc("b")
    assert ids_and_scores(rrf([[a, b, b], [a]])) == ids_and_scores(rrf([[a, b], [a]]))


def test_rrf_is_k_times_the_weighted_sum_of_reciprocal_ranks():
    a, b = doc("a"), doc("b")
    fused = dict(ids_and_scores(rrf([[a, b], [b]], [0.8, 0.2], k=10)))
    assert fused == pytest.approx({"a": 10 * 0.8 / 10, "b": 10 * (0.8 / 11 + 0.2 / 10)})


def test_merge_adds_the_weighted_scores_and_a_missing_score_adds_nothing():
    fused = merge([[doc("a", 1.0), doc("b")], [doc("b", 3.0)]], [0.25, 0.75])
    assert ids_and_scores(fused) == [("a", 0.25), ("b", 2.25)]


def test_dbsf_maps_the_mean_to_a_half():
    fused = dbsf([[doc("a", 3.0), doc("b", 2.0), doc("c", 1.0)]])
    assert dict(ids_and_scores(fused))["b"] == pytest.approx(0.5)


def test_dbsf_keeps_scores_that_are_all_the_same():
    assert ids_and_scores(dbsf([[doc("a", 0.2), doc("b", 0.2)]])) == [("a", 0.2), ("b", 0.2)]


def test_dbsf_keeps_scores_whose_deviation_is_too_small_to_count():
    close = [5e-324, 0.0]
    assert ids_and_scores(dbsf([[doc("a", close[0]), doc("b", close[1])]])) == [("a", close[0]), ("b", close[1])]


def test_concatenate_takes_a_score_of_zero_for_more_than_none_and_less():
    assert ids_and_scores(concatenate([[doc("a")], [doc("a", 0.0)], [doc("a", -1.0)]])) == [("a", 0.0)]


@pytest.mark.parametrize("fuse", [merge, rrf])
def test_a_weight_too_few_is_named(fuse):
    with pytest.raises(ValueError, match="3 lists of documents but 2 weights"):
        fuse([[], [], []], [0.5, 0.5])


def test_documents_without_a_score_come_last():
    assert ids_and_scores(sort_by_score([doc("a"), doc("b", -1.0), doc("c", 0.0)])) == [
        ("c", 0.0),
        ("b", -1.0),
        ("a", None),
    ]


@given(st.permutations("abcd"), st.sampled_from(["reciprocal_rank_fusion", "linear_score"]))
def test_blend_with_a_weight_of_one_is_the_second_order(order, mode):
    given = [doc(id, 0.5) for id in "abcd"]
    reordered = [next(document for document in given if document.id == id) for id in order]
    assert [document.id for document in blend(given, reordered, weight=1, mode=mode)] == list(order)
