"""Differences of stores in docs/parity.md that no other test checks on both sides."""

import json

import haystack
import numpy as np
import pytest
from haystack.document_stores.errors import DuplicateDocumentError as HaystackDuplicate
from haystack.document_stores.in_memory import InMemoryDocumentStore as HaystackStore
from haystack.errors import FilterError as HaystackFilterError

from spaniel import Document
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.errors import DuplicateDocumentError, FilterError


def both(*rows) -> tuple[InMemoryDocumentStore, HaystackStore]:
    ours, theirs = InMemoryDocumentStore(shared=False), HaystackStore(shared=False)
    ours.write_documents([Document(**row) for row in rows])
    theirs.write_documents([haystack.Document(**row) for row in rows])
    return ours, theirs


def ids(store) -> list[str]:
    return [document.id for document in store.filter_documents()]


def test_a_duplicate_within_a_batch_leaves_its_first_in_haystack_and_nothing_here():
    ours, theirs = both()
    with pytest.raises(HaystackDuplicate):
        theirs.write_documents([haystack.Document(id="a"), haystack.Document(id="a")])
    with pytest.raises(DuplicateDocumentError):
        ours.write_documents([Document(id="a"), Document(id="a")])
    assert (ids(theirs), ids(ours)) == (["a"], [])


def test_the_name_of_a_policy_acts_as_overwrite_in_haystack_and_as_itself_here():
    ours, theirs = both({"id": "a", "content": "old"})
    theirs.write_documents([haystack.Document(id="a", content="new")], policy="skip")
    ours.write_documents([Document(id="a", content="new")], policy="skip")
    assert (theirs.filter_documents()[0].content, ours.filter_documents()[0].content) == ("new", "old")


def test_one_id_as_text_deletes_each_of_its_characters_in_haystack_and_is_refused_here():
    ours, theirs = both({"id": "a"}, {"id": "b"}, {"id": "ab"})
    theirs.delete_documents("ab")
    with pytest.raises(ValueError, match="list of ids"):
        ours.delete_documents("ab")
    assert (ids(theirs), ids(ours)) == (["ab"], ["a", "b", "ab"])


def test_an_empty_filter_is_noticed_in_haystack_only_where_a_document_is():
    ours, theirs = both()
    assert theirs.delete_by_filter({}) == theirs.update_by_filter({}, {}) == 0
    theirs.write_documents([haystack.Document(id="a")])
    with pytest.raises(HaystackFilterError):
        theirs.delete_by_filter({})
    with pytest.raises(FilterError):
        ours.delete_by_filter({})


def test_the_storage_is_haystack_s_own_dict_and_copies_here():
    ours, theirs = both({"id": "a"})
    theirs.storage["a"].meta["edited"] = True
    ours.storage["a"].meta["edited"] = True
    assert theirs.filter_documents()[0].meta == {"edited": True}
    assert ours.filter_documents()[0].meta == {}


def test_haystack_lets_stores_of_one_name_cut_tokens_differently_and_we_do_not():
    HaystackStore(index="cut twice")
    HaystackStore(index="cut twice", bm25_tokenization_regex=r"\S+")
    kept = InMemoryDocumentStore(index="cut twice")
    with pytest.raises(ValueError, match="another index"):
        InMemoryDocumentStore(index="cut twice", bm25_tokenization_regex=r"\S+")
    assert kept.count_documents() == 0


def test_an_unknown_similarity_is_the_dot_product_in_haystack_and_an_error_here():
    theirs = HaystackStore(shared=False, embedding_similarity_function="euclid")
    theirs.write_documents([haystack.Document(id="a", embedding=[2.0])])
    assert theirs.embedding_retrieval([3.0])[0].score == 6.0
    with pytest.raises(ValueError, match="euclid"):
        InMemoryDocumentStore(embedding_similarity_function="euclid")


def test_fields_of_metadata_are_top_level_keys_in_haystack_and_may_be_nested_here():
    ours, theirs = both({"id": "a", "meta": {"author": {"name": "Ada"}}})
    assert theirs.get_metadata_field_unique_values("author.name") == ([], 0)
    assert ours.get_metadata_field_unique_values("author.name") == (["Ada"], 1)


def test_arrays_have_no_distinct_values_in_haystack():
    ours, theirs = both({"id": "a", "meta": {"sizes": np.array([1, 2])}})
    with pytest.raises(TypeError):
        theirs.get_metadata_field_unique_values("sizes")
    assert ours.get_metadata_field_unique_values("sizes") == ([[1, 2]], 1)


def test_a_negative_page_is_a_slice_in_haystack_and_an_error_here():
    ours, theirs = both(*({"id": id, "meta": {"k": id}} for id in "abc"))
    assert theirs.get_metadata_field_unique_values("k", from_=-1) == (["c"], 3)
    with pytest.raises(ValueError, match="from_ must be greater than or equal to 0"):
        ours.get_metadata_field_unique_values("k", from_=-1)


def test_tuples_and_keys_that_are_no_text_come_back_changed_in_haystack(tmp_path):
    meta = {"pair": (1, 2), "counts": {1: "x"}}
    ours, theirs = both({"id": "a", "meta": meta})
    theirs.save_to_disk(str(tmp_path / "theirs"))
    ours.save_to_disk(tmp_path / "ours")
    loaded = HaystackStore.load_from_disk(str(tmp_path / "theirs"))
    assert loaded.filter_documents()[0].meta == {"pair": [1, 2], "counts": {"1": "x"}}
    assert InMemoryDocumentStore.load_from_disk(tmp_path / "ours").filter_documents()[0].meta == meta


def test_arrays_in_metadata_can_t_be_saved_in_haystack(tmp_path):
    ours, theirs = both({"id": "a", "meta": {"sizes": np.array([1, 2])}})
    with pytest.raises(TypeError):
        theirs.save_to_disk(str(tmp_path / "theirs"))
    with pytest.raises(json.JSONDecodeError):
        json.loads((tmp_path / "theirs").read_text())
    ours.save_to_disk(tmp_path / "ours")
    loaded = InMemoryDocumentStore.load_from_disk(tmp_path / "ours").filter_documents()[0]
    assert loaded == ours.filter_documents()[0]


def test_haystack_s_async_calls_share_one_thread():
    assert HaystackStore(shared=False).executor._max_workers == 1


def test_extreme_scores_are_scaled_with_a_warning_in_haystack_and_without_here():
    ours, theirs = both({"id": "a", "embedding": [-1e6]})
    with pytest.warns(RuntimeWarning, match="overflow"):
        assert theirs.embedding_retrieval([1.0], scale_score=True)[0].score == 0
    assert ours.embedding_retrieval([1.0], scale_score=True)[0].score == 0
