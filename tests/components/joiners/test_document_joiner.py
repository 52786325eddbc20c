import logging
from itertools import chain

import haystack
import pytest
from haystack.components.joiners import DocumentJoiner as ReferenceJoiner
from hypothesis import given
from hypothesis import strategies as st

from spaniel import Document, Pipeline
from spaniel.components.joiners import DocumentJoiner, JoinMode
from tests.components.pairs import Spec, documents, ours, shown, theirs

MODES = [mode.value for mode in JoinMode]
LISTS = st.lists(documents(), max_size=4)
SHARES = st.sampled_from([0, 1, 2, 0.5]) | st.floats(0.01, 5)


def weights_for(lists):
    """No weights, as many as lists, or another number."""
    matching = st.lists(SHARES, min_size=len(lists), max_size=len(lists))
    return st.tuples(st.just(lists), st.none() | matching | matching | st.lists(SHARES, max_size=4))


WEIGHTED = LISTS.flatmap(weights_for)


def best(copies):
    """The copy with the highest score, the first of equals."""
    return max(copies, key=lambda spec: -float("inf") if spec.score is None else spec.score)


def each_once(specs, choose):
    """Lists without duplicates, as input for Haystack."""
    return [choose([copy for copy in specs if copy.id == id]) for id in dict.fromkeys(spec.id for spec in specs)]


def first(copies):
    return copies[0]


def best_ranked(lists):
    """Every document's copy with the best rank, that of the first list where ranks are equal."""
    ranked = sorted(
        chain.from_iterable(enumerate(each_once(specs, first)) for specs in lists), key=lambda pair: pair[0]
    )
    return {spec.id: spec for _, spec in reversed(ranked)}


def outcome(joiner_class, lists, **parameters):
    top_k = parameters.pop("run_top_k", None)
    try:
        return shown(joiner_class(**parameters).run(lists, top_k=top_k)["documents"])
    except ValueError:
        return ValueError


class TestAgainstHaystack:
    @given(LISTS, st.none() | st.integers(0, 5), st.none() | st.integers(1, 5), st.booleans())
    def test_concatenate_gives_the_same(self, lists, run_top_k, top_k, sort):
        parameters = {"top_k": top_k, "sort_by_score": sort, "run_top_k": run_top_k}
        expected = outcome(ReferenceJoiner, [theirs(specs) for specs in lists], **parameters)
        assert outcome(DocumentJoiner, [ours(specs) for specs in lists], **parameters) == expected

    # Corrected: a document counts once a list, and which of its copies stays does not depend on the
    # lists' order.
    @pytest.mark.parametrize("mode", MODES)
    @given(weighted=WEIGHTED, top_k=st.none() | st.integers(1, 5), sort=st.booleans())
    def test_order_and_scores_are_those_of_lists_without_doubles(self, mode, weighted, top_k, sort):
        lists, weights = weighted
        choose = first if mode == "reciprocal_rank_fusion" else best
        parameters = {"join_mode": mode, "weights": weights, "top_k": top_k, "sort_by_score": sort}
        expected = outcome(ReferenceJoiner, [theirs(each_once(specs, choose)) for specs in lists], **parameters)
        found = outcome(DocumentJoiner, [ours(specs) for specs in lists], **parameters)
        if expected is ValueError:
            assert found is ValueError
        else:
            assert [(spec.id, spec.score) for spec in found] == [(spec.id, spec.score) for spec in expected]

    @pytest.mark.parametrize("mode", MODES)
    @given(weighted=WEIGHTED)
    def test_which_copy_stays(self, mode, weighted):
        lists, weights = weighted
        by_rank = best_ranked(lists)
        found = outcome(DocumentJoiner, [ours(specs) for specs in lists], join_mode=mode, weights=weights)
        for spec in [] if found is ValueError or mode == "distribution_based_rank_fusion" else found:
            copies = [copy for copy in chain.from_iterable(lists) if copy.id == spec.id]
            expected = by_rank[spec.id] if mode == "reciprocal_rank_fusion" else best(copies)
            assert (spec.content, spec.meta) == (expected.content, expected.meta)

    @pytest.mark.parametrize("mode", MODES)
    @given(ids=st.lists(st.lists(st.sampled_from("abcd"), unique=True), max_size=4), scores=st.data())
    def test_lists_without_doubles_and_differing_copies_give_the_same(self, mode, ids, scores):
        scored = st.none() | st.floats(-5, 5)
        lists = [[Spec(id, content=id, score=scores.draw(scored)) for id in row] for row in ids]
        expected = outcome(ReferenceJoiner, [theirs(specs) for specs in lists], join_mode=mode)
        assert outcome(DocumentJoiner, [ours(specs) for specs in lists], join_mode=mode) == expected

    @pytest.mark.parametrize("mode", MODES)
    @pytest.mark.parametrize(
        "parameters", [{"top_k": 0}, {"top_k": -1}, {"weights": [1, -1]}, {"weights": [0, 0]}, {"run_top_k": -1}]
    )
    def test_rejects_the_same_input_as_haystack(self, mode, parameters):
        for joiner, built in [(ReferenceJoiner, theirs), (DocumentJoiner, ours)]:
            assert outcome(joiner, [built([Spec("a")])] * 2, join_mode=mode, **parameters) is ValueError


TWICE = [[Spec("a"), Spec("b"), Spec("b")], [Spec("a")]]


class TestCorrected:
    """Both results, side by side."""

    def test_rrf_counts_a_double_within_a_list_once(self):
        parameters = {"join_mode": "reciprocal_rank_fusion", "sort_by_score": False}
        b_theirs = outcome(ReferenceJoiner, [theirs(specs) for specs in TWICE], **parameters)[1].score
        b_ours = outcome(DocumentJoiner, [ours(specs) for specs in TWICE], **parameters)[1].score
        assert b_theirs == pytest.approx(61 / 2 * (1 / 62 + 1 / 63))
        assert b_ours == pytest.approx(61 / 2 * (1 / 62))

    def test_merge_counts_a_double_within_a_list_once(self):
        lists = [[Spec("a", score=0.4), Spec("a", score=0.6)]]
        assert outcome(ReferenceJoiner, [theirs(lists[0])], join_mode="merge")[0].score == 1.0
        assert outcome(DocumentJoiner, [ours(lists[0])], join_mode="merge")[0].score == 0.6

    def test_dbsf_counts_a_double_within_a_list_once_in_the_distribution(self):
        specs = [Spec("a", score=1.0), Spec("b", score=0.0), Spec("b", score=0.0)]
        parameters = {"join_mode": "distribution_based_rank_fusion"}
        assert outcome(ReferenceJoiner, [theirs(specs)], **parameters)[0].score == pytest.approx(0.7357, abs=1e-4)
        assert outcome(DocumentJoiner, [ours(specs)], **parameters)[0].score == pytest.approx(0.6667, abs=1e-4)

    @pytest.mark.parametrize("mode", ["merge", "reciprocal_rank_fusion"])
    def test_the_last_copy_does_not_win(self, mode):
        lists = [[Spec("a", "full text", score=0.9)], [Spec("b"), Spec("a", "stub", score=0.1)]]
        contents = [
            {spec.id: spec.content for spec in outcome(joiner, [built(specs) for specs in lists], join_mode=mode)}["a"]
            for joiner, built in [(ReferenceJoiner, theirs), (DocumentJoiner, ours)]
        ]
        assert contents == ["stub", "full text"]

    def test_an_unordered_weight_is_refused(self):
        assert ReferenceJoiner(join_mode="merge", weights=[float("nan"), 1]).weights is not None
        with pytest.raises(ValueError, match="must not be negative, infinite or NaN"):
            DocumentJoiner(join_mode="merge", weights=[float("nan"), 1])


def test_weights_are_kept_as_shares():
    assert DocumentJoiner(weights=[3, 1]).weights == [0.75, 0.25]


def test_a_mode_is_given_itself_or_by_name():
    assert DocumentJoiner(join_mode=JoinMode.MERGE).join_mode is DocumentJoiner(join_mode="merge").join_mode


def test_an_unknown_mode_is_named_beside_the_known_ones():
    with pytest.raises(ValueError, match=r"JoinMode must be one of \['concatenate'.*got 'sum'"):
        DocumentJoiner(join_mode="sum")


def test_a_run_without_a_score_is_logged(caplog):
    with caplog.at_level(logging.INFO):
        DocumentJoiner().run([[Document(content="a")]])
    assert "-infinity" in caplog.text


def test_joins_the_output_of_two_senders_in_a_pipeline():
    def joined(library, pipeline_class, joiner, document_class):
        @library.component
        class Gives:
            def __init__(self, ids):
                self.ids = ids

            @library.component.output_types(documents=list[document_class])
            def run(self):
                return {"documents": [document_class(id=id) for id in self.ids]}

        pipeline = pipeline_class()
        pipeline.add_component("one", Gives("ab"))
        pipeline.add_component("two", Gives("bc"))
        pipeline.add_component("joiner", joiner)
        pipeline.connect("one", "joiner")
        pipeline.connect("two", "joiner")
        return [(document.id, document.score) for document in pipeline.run({})["joiner"]["documents"]]

    import spaniel

    mode = {"join_mode": "reciprocal_rank_fusion"}
    expected = joined(haystack, haystack.Pipeline, ReferenceJoiner(**mode), haystack.Document)
    assert joined(spaniel, Pipeline, DocumentJoiner(**mode), Document) == expected
