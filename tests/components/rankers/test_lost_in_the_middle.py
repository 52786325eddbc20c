import pytest
from haystack.components.rankers import LostInTheMiddleRanker as ReferenceRanker
from hypothesis import given
from hypothesis import strategies as st

from spaniel import Document
from spaniel.components.rankers import LostInTheMiddleRanker
from tests.components.pairs import Spec, documents, ours, shown, theirs

LIMITS = st.none() | st.integers(-1, 8)
NONE_FOR_TEXT = st.lists(st.sampled_from([Spec("a", "text"), Spec("b")]), max_size=3)


def outcome(ranker_class, given, init, run):
    try:
        return shown(ranker_class(**init).run(given, **run)["documents"])
    except ValueError:
        return ValueError


@given(
    documents(max_size=9) | NONE_FOR_TEXT,
    st.fixed_dictionaries({"top_k": LIMITS, "word_count_threshold": LIMITS}),
    st.fixed_dictionaries({"top_k": LIMITS, "word_count_threshold": LIMITS}),
)
def test_it_orders_and_refuses_as_haystack_does(specs, init, run):
    assert outcome(LostInTheMiddleRanker, ours(specs), init, run) == outcome(ReferenceRanker, theirs(specs), init, run)


@given(st.integers(0, 30))
def test_the_best_stand_outside_and_no_document_is_lost(count):
    ranked = [Document(id=str(place), content="word") for place in range(count)]
    order = [int(document.id) for document in LostInTheMiddleRanker().run(ranked)["documents"]]
    assert sorted(order) == list(range(count))
    assert order[: (count + 1) // 2] == sorted(order[: (count + 1) // 2])
    assert order[(count + 1) // 2 :] == sorted(order[(count + 1) // 2 :], reverse=True)


def test_the_document_that_reaches_the_number_of_words_is_the_last():
    ranked = [Document(content=text) for text in ("one two", "three", "four five")]
    kept = LostInTheMiddleRanker(word_count_threshold=3).run(ranked)["documents"]
    assert [document.content for document in kept] == ["one two", "three"]


def test_a_document_without_text_is_named():
    with pytest.raises(ValueError, match="Some provided documents are not textual: \\['b'\\]"):
        LostInTheMiddleRanker().run([Document(id="a", content="x"), Document(id="b")])


def test_limits_must_be_positive():
    with pytest.raises(ValueError, match="top_k must be > 0, but got 0"):
        LostInTheMiddleRanker(top_k=0)
    with pytest.raises(ValueError, match="Invalid value for word_count_threshold: -1"):
        LostInTheMiddleRanker().run([], word_count_threshold=-1)
