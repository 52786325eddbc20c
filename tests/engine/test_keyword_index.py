from array import array

import numpy as np
import pytest

from spaniel._engine import KeywordIndex, Selection
from tests.engine import reference

TEXTS = ["apple pie", "banana split", "apple apple tart", "", "pie of pies"]


@pytest.fixture
def index():
    index = KeywordIndex()
    index.apply([], index.prepare([2, 3, 5, 8, 13], TEXTS))
    return index


def slots(index, query, **options):
    return [slot for slot, _ in index.search(query, **({"variant": "BM25L", "top_k": None} | options))]


def test_only_documents_that_share_a_term_are_found(index):
    assert sorted(slots(index, "apple zebra")) == [2, 5]
    assert slots(index, "zebra") == slots(index, "...") == slots(index, "") == []


def test_a_document_is_found_whatever_the_sign_of_its_score():
    index = KeywordIndex()
    index.apply([], index.prepare([0, 1, 2], ["a", "a", "a b"]))
    found = index.search("a", variant="BM25Okapi", parameters={"epsilon": -1}, top_k=None)

    assert len(found) == 3
    assert {score < 0 for _, score in found} == {False}
    assert [score < 0 for _, score in index.search("a", variant="BM25Okapi", top_k=None)] == [True] * 3


def test_ties_come_in_the_order_of_slots():
    index = KeywordIndex()
    index.apply([], index.prepare([4, 7, 9], ["same", "same", "same"]))
    index.apply([4], index.prepare([11], ["same"]))

    assert slots(index, "same") == [7, 9, 11]
    assert slots(index, "same", top_k=2) == [7, 9]


@pytest.mark.parametrize("top_k", [0, 1, 7, 64, 200, 5000, None])
def test_top_k_cuts_the_whole_ranking(top_k):
    index = KeywordIndex()
    index.apply([], index.prepare(range(6000), [f"a w{i % 97} {'a ' * (i % 13)}" for i in range(6000)]))
    whole = index.search("a w3", variant="BM25L", top_k=None)

    assert len(whole) == 6000
    assert index.search("a w3", variant="BM25L", top_k=top_k) == whole[:top_k]


@pytest.mark.parametrize(
    "form", [list, tuple, lambda slots: array("Q", slots), lambda slots: np.array(slots, np.uint64)]
)
def test_allowed_slots_restrict_the_result_and_not_the_statistics(index, form):
    whole = index.search("apple pie", variant="BM25L", top_k=None)

    found = index.search("apple pie", variant="BM25L", top_k=None, allowed=form([99, 13, 2, 3]))

    assert found == [hit for hit in whole if hit[0] in {2, 13}]


def test_no_allowed_slot_gives_nothing(index):
    assert slots(index, "apple", allowed=[]) == []


def test_a_lowest_score_is_inclusive(index):
    hits = index.search("apple pie", variant="BM25L", top_k=None)

    assert index.search("apple pie", variant="BM25L", top_k=None, min_score=hits[1][1]) == hits[:2]


def test_a_term_repeated_in_the_query_counts_once(index):
    assert index.search("pie pie PIE", variant="BM25L", top_k=None) == index.search("pie", variant="BM25L", top_k=None)


def test_given_tokens_are_used_as_they_are():
    index = KeywordIndex()
    index.apply([], index.prepare([1, 2], [["Two Words", "x"], ["two", "words"]]))

    assert slots(index, ["Two Words"]) == [1]
    assert slots(index, "Two Words") == [2]


def test_the_tokens_hold_for_documents_and_queries():
    index = KeywordIndex("words")
    index.apply([], index.prepare([1, 2], ["HTTPServer", "a server"]))

    assert slots(index, "server http") == [1, 2]


def test_unknown_tokens_are_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="tokens are 'standard' or 'words', not 'letters'"):
        KeywordIndex("letters")


def test_a_removed_document_is_gone_from_results_and_statistics(index):
    index.apply([2, 8])

    assert slots(index, "apple") == [5]
    assert (len(index), 2 in index, 5 in index) == (3, False, True)
    assert index.statistics() == {"documents": 3, "tokens": 8, "vocabulary": 7}


def test_an_empty_index_answers():
    index = KeywordIndex()
    index.apply([])

    assert slots(index, "a") == []
    assert (len(index), 0 in index) == (0, False)
    assert index.statistics() == {"documents": 0, "tokens": 0, "vocabulary": 0}


@pytest.mark.parametrize("stranger", ["2", None, -2, 2**64, 2.0])
def test_other_values_than_slots_are_not_in_the_index(index, stranger):
    assert stranger not in index


def test_a_removed_slot_is_never_used_again(index):
    index.apply([13])

    with pytest.raises(ValueError, match="slot 13 comes after slot 13"):
        index.apply([], index.prepare([13], ["again"]))


@pytest.mark.parametrize(
    ("removed", "added", "error"), [([2, 4], [20], KeyError), ([2, 99], [20], KeyError), ([2], [13, 20], ValueError)]
)
def test_a_refused_write_changes_nothing(index, removed, added, error):
    before = index.statistics(), index.search("apple pie", variant="BM25L", top_k=None)

    with pytest.raises(error):
        index.apply(removed, index.prepare(added, ["apple"] * len(added)))

    assert (index.statistics(), index.search("apple pie", variant="BM25L", top_k=None)) == before


def test_one_batch_serves_several_indexes(index):
    batch = index.prepare([50], ["apple"])
    other = KeywordIndex()
    index.apply([], batch)
    other.apply([], batch)

    assert (len(batch), 50 in index, 50 in other) == (1, True, True)


def test_many_removals_leave_the_scores_of_a_fresh_index():
    texts = [f"w{i % 7} w{i % 11} w{i % 501}" for i in range(5000)]
    index, fresh = KeywordIndex(), KeywordIndex()
    index.apply([], index.prepare(range(5000), texts))
    for part in range(8):
        index.apply([slot for slot in range(5000) if slot % 10 == part])
    kept = [slot for slot in range(5000) if slot % 10 > 7]
    fresh.apply([], fresh.prepare(kept, [texts[slot] for slot in kept]))

    for variant in reference.VARIANTS:
        options = {"variant": variant, "top_k": None}
        assert index.search("w1 w9 w30", **options) == fresh.search("w1 w9 w30", **options)
    assert index.statistics() == fresh.statistics()


def test_a_lone_surrogate_in_a_document_or_query_is_no_error():
    index = KeywordIndex()
    index.apply([], index.prepare([0], ["x\ud800y"]))
    index.apply([], index.prepare([1], [["t\udc00"]]))

    assert slots(index, "y\udfff") == [0]
    assert slots(index, ["t\udc00"]) == [1]


def test_an_explanation_names_the_terms_a_document_holds(index):
    ((first, second), (only,)) = index.explain("tart apple zebra", [5, 2], variant="BM25Plus")

    assert (first.term, first.tf, first.df) == ("tart", 1, 1)
    assert (second.term, second.tf, second.df) == ("apple", 2, 2)
    assert (only.term, only.tf, only.df) == ("apple", 1, 2)
    assert only.length_norm == pytest.approx(1 - 0.75 + 0.75 * 2 / (10 / 5))
    assert only.idf == pytest.approx(reference.idf([t.split() for t in TEXTS], "apple", "BM25Plus", {}))
    assert repr(only).startswith('TermScore(term="apple", tf=1, df=2, idf=')


def test_an_unknown_slot_cannot_be_explained(index):
    with pytest.raises(KeyError, match="slot 4 is not in the index"):
        index.explain("apple", [2, 4], variant="BM25L")


def test_an_unknown_variant_is_refused_with_the_known_ones(index):
    with pytest.raises(ValueError, match="'BM25': choose one of BM25Okapi, BM25L, BM25Plus"):
        index.search("apple", variant="BM25", top_k=1)


def test_unknown_parameters_are_ignored(index):
    expected = index.search("apple", variant="BM25L", top_k=None)

    assert (
        index.search("apple", variant="BM25L", top_k=None, parameters={"k9": "x", "epsilon": 9, "k1": 1.5}) == expected
    )


def test_a_parameter_that_is_no_number_is_refused(index):
    with pytest.raises(TypeError, match="must be real number, not str"):
        index.search("apple", variant="BM25L", top_k=1, parameters={"k1": "high"})


def test_a_negative_top_k_is_refused(index):
    with pytest.raises(ValueError, match="top_k must be 0 or more, not -1"):
        index.search("apple", variant="BM25L", top_k=-1)


@pytest.mark.parametrize("query", [b"apple", 3, None, ["apple", 3]])
def test_a_query_that_is_no_text_is_refused(index, query):
    with pytest.raises(TypeError, match="a query is a str or a list of str"):
        index.search(query, variant="BM25L", top_k=1)


@pytest.mark.parametrize(("slots", "texts"), [([1, 1], ["a", "b"]), ([2, 1], ["a", "b"]), ([1], ["a", "b"])])
def test_slots_that_do_not_fit_their_texts_are_refused(slots, texts):
    index = KeywordIndex()
    with pytest.raises(ValueError, match=r"slots must increase|give one for each slot"):
        index.prepare(slots, texts)
    with pytest.raises(ValueError, match=r"slots must increase|give one for each slot"):
        index.prepare(slots, [[text] for text in texts])


@pytest.mark.parametrize("first", [0, 1, 2, 3, 7])
@pytest.mark.parametrize("removed", [[], [3, 8]])
def test_a_selection_allows_the_slots_of_its_bitmap(index, first, removed):
    index.apply(removed)
    chosen = [slot for slot in (2, 5, 13, 99) if slot >= first]
    bitmap = np.isin(np.arange(first, 120), chosen)

    selection = Selection(np.packbits(bitmap, bitorder="little").tobytes(), first)

    expected = index.search("apple pie", variant="BM25L", top_k=None, allowed=chosen)
    assert index.search("apple pie", variant="BM25L", top_k=None, allowed=selection) == expected
