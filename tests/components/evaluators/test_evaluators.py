"""All evaluators, against Haystack and by hand."""

import pytest
from haystack.components import evaluators as reference
from hypothesis import given
from hypothesis import strategies as st

from spaniel import Document
from spaniel.components import evaluators
from spaniel.components.evaluators import (
    DocumentMAPEvaluator,
    DocumentMRREvaluator,
    DocumentNDCGEvaluator,
    DocumentRecallEvaluator,
    RecallMode,
)
from tests.components.pairs import Spec, documents, ours, theirs

NAMES = ["DocumentMAPEvaluator", "DocumentMRREvaluator", "DocumentNDCGEvaluator", "DocumentRecallEvaluator"]
FIELDS = ["content", "id", "meta.file", "meta.source.url", "meta.", "embedding", "meta", ""]
VALUES = st.none() | st.sampled_from(["", "x", 1, 1.0, True, 2])
METAS = st.fixed_dictionaries(
    {}, optional={"file": VALUES, "source": st.dictionaries(st.just("url"), VALUES) | VALUES, "source.url": VALUES}
)
GAINS = st.one_of(st.none(), st.sampled_from([0.0, 0.5, 1.0, 3.0]))
QUERIES = st.lists(st.tuples(documents(METAS, GAINS), documents(METAS)), max_size=4)


def outcome(evaluator_class, build, queries, **parameters):
    relevant = [build(judged) for judged, _ in queries]
    retrieved = [build(found) for _, found in queries]
    try:
        return evaluator_class(**parameters).run(relevant, retrieved)
    except ValueError:
        return ValueError


def both(name, queries, **parameters):
    return (
        outcome(getattr(reference, name), theirs, queries, **parameters),
        outcome(getattr(evaluators, name), ours, queries, **parameters),
    )


@pytest.mark.parametrize("name", NAMES)
@given(queries=QUERIES, field=st.sampled_from(FIELDS[:5]))
def test_scores_are_those_of_haystack(name, queries, field):
    expected, found = both(name, queries, document_comparison_field=field)
    assert found == expected


@given(QUERIES, st.sampled_from(FIELDS[:5]), st.sampled_from(["single_hit", "multi_hit"]))
def test_recall_is_that_of_haystack_in_both_modes(queries, field, mode):
    expected, found = both("DocumentRecallEvaluator", queries, document_comparison_field=field, mode=mode)
    assert found == expected


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("field", FIELDS[5:])
def test_rejects_unknown_fields(name, field):
    assert both(name, [([Spec("a")], [Spec("a")])], document_comparison_field=field) == (ValueError, ValueError)
    with pytest.raises(ValueError, match="Unsupported document_comparison_field"):
        getattr(evaluators, name)(document_comparison_field=field).run([[Document(id="a")]], [[Document(id="a")]])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("relevant", "retrieved"), [([], []), ([[]], []), ([], [[]]), ([[]], [[], []])])
def test_rejects_lists_of_different_lengths(name, relevant, retrieved):
    for package in (reference, evaluators):
        with pytest.raises(ValueError, match="ground_truth_documents and retrieved_documents"):
            getattr(package, name)().run(relevant, retrieved)


def test_rejects_scores_for_only_some_relevant_documents():
    queries = [([], []), ([Spec("a", score=1.0), Spec("b")], [])]
    assert both("DocumentNDCGEvaluator", queries) == (ValueError, ValueError)
    with pytest.raises(ValueError, match="list number 1"):
        DocumentNDCGEvaluator.validate_inputs([ours(judged) for judged, _ in queries], [[], []])


@given(documents(METAS, st.just(None) | GAINS), documents(METAS))
def test_gains_of_a_query_equal_haystacks(relevant, retrieved):
    expected = reference.DocumentNDCGEvaluator("meta.file")
    found = DocumentNDCGEvaluator("meta.file")
    assert found.calculate_dcg(ours(relevant), ours(retrieved)) == expected.calculate_dcg(
        theirs(relevant), theirs(retrieved)
    )
    assert found.calculate_idcg(ours(relevant)) == expected.calculate_idcg(theirs(relevant))


@pytest.mark.parametrize("name", ["DocumentNDCGEvaluator", "DocumentRecallEvaluator"])
@pytest.mark.parametrize("value", [["x", {"y": [1]}], {"a": ["b"]}, {1, 2}])
def test_values_without_a_hash_are_compared_where_haystack_raises(name, value):
    specs = [Spec("a", meta={"file": value})]
    with pytest.raises(TypeError, match="unhashable"):
        outcome(getattr(reference, name), theirs, [(specs, specs)], document_comparison_field="meta.file")
    assert (
        outcome(getattr(evaluators, name), ours, [(specs, specs)], document_comparison_field="meta.file")["score"]
        == 1.0
    )


@pytest.mark.parametrize("name", NAMES[:2])
@pytest.mark.parametrize(
    ("value", "other"), [([1, 2], [1.0, True + 1]), ({"a": [1]}, {"a": [1]}), ([1], (1,)), ([], {})]
)
def test_values_without_a_hash_are_equal_as_in_haystack(name, value, other):
    queries = [([Spec("a", meta={"file": value})], [Spec("b", meta={"file": other})])]
    expected, found = both(name, queries, document_comparison_field="meta.file")
    assert found == expected


@given(documents(scores=st.none()), documents(scores=st.none()))
def test_scores_stay_between_0_and_1(relevant, retrieved):
    for name in NAMES:
        assert 0 <= outcome(getattr(evaluators, name), ours, [(relevant, retrieved)])["score"] <= 1 + 1e-12


def test_reciprocal_rank_by_hand():
    queries = [([Spec("a")], [Spec("b"), Spec("c"), Spec("a")]), ([Spec("a")], [])]
    relevant, found = zip(*queries, strict=True)
    result = DocumentMRREvaluator("id").run([ours(each) for each in relevant], [ours(each) for each in found])
    assert result == {"score": pytest.approx(1 / 6), "individual_scores": [pytest.approx(1 / 3), 0.0]}


def test_average_precision_by_hand():
    relevant, found = [Spec("a"), Spec("b")], [Spec("x"), Spec("a"), Spec("a"), Spec("b")]
    assert DocumentMAPEvaluator("id").run([ours(relevant)], [ours(found)])["score"] == pytest.approx(
        (1 / 2 + 2 / 4) / 2
    )


def test_recall_without_relevant_documents_is_zero_and_logged(caplog):
    assert DocumentRecallEvaluator(mode="multi_hit").run([[]], [[Document(content="a")]])["score"] == 0.0
    assert "no ground truth documents" in caplog.text


def test_an_unknown_mode_is_named_beside_the_known_ones():
    with pytest.raises(ValueError, match=r"RecallMode must be one of .*'multi_hit'.*got 'some'"):
        DocumentRecallEvaluator(mode="some")


def test_a_mode_is_given_itself_or_by_name():
    assert DocumentRecallEvaluator(RecallMode.MULTI_HIT).mode is DocumentRecallEvaluator("multi_hit").mode


@pytest.mark.parametrize("name", NAMES)
def test_an_unknown_field_is_noticed_without_documents_where_haystack_needs_one(name):
    expected, found = both(name, [([], [])], document_comparison_field="other")
    assert expected["score"] == 0.0
    assert found is ValueError
