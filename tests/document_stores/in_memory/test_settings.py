import gc
import json
import logging
import math
import re
import weakref

import pytest
from haystack.document_stores.in_memory import InMemoryDocumentStore as HaystackStore

from spaniel.core import known_types
from spaniel.core.serialization import allow_deserialization_module
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.document_stores.in_memory.memory_state import MemoryState
from spaniel.document_stores.types import DocumentStore, FindsById, FindsByKey, SyncDocumentStore
from spaniel.errors import DeserializationError, SerializationError
from tests.document_stores.faces import ids_of, named


def words(text: str) -> list[str]:
    return text.lower().split()


OURS = {"search": "leaves", "analyzer": "english", "fields": {"title": 2.0}, "vector_search": "approximate"}


def test_to_dict_equals_haystack_s_but_for_the_default_regex():
    settings = {
        "bm25_algorithm": "BM25Okapi",
        "bm25_parameters": {"k1": 1.0},
        "index": "plain data",
        "return_embedding": False,
    }
    ours, theirs = InMemoryDocumentStore(**settings).to_dict(), HaystackStore(**settings).to_dict()
    regex = theirs["init_parameters"].pop("bm25_tokenization_regex")
    assert ours["init_parameters"] == theirs["init_parameters"]
    assert list(ours["init_parameters"]) == list(theirs["init_parameters"])
    assert InMemoryDocumentStore.from_dict(ours).bm25_tokenization_regex == regex
    assert ours["type"] == theirs["type"].replace("haystack", "spaniel")
    assert InMemoryDocumentStore().to_dict()["init_parameters"].keys() == theirs["init_parameters"].keys()


def test_a_regex_other_than_the_default_is_serialised():
    store = InMemoryDocumentStore(bm25_tokenization_regex=r"\w+")
    assert store.to_dict()["init_parameters"]["bm25_tokenization_regex"] == r"\w+"


def test_our_own_options_are_written_where_they_are_used_and_come_back():
    store = InMemoryDocumentStore(**OURS, shared=False)
    assert store.to_dict()["init_parameters"].items() >= OURS.items()
    loaded = InMemoryDocumentStore.from_dict(store.to_dict())
    assert loaded.to_dict() == store.to_dict()
    assert (loaded.search_scope, loaded.analyzer, loaded.fields) == ("leaves", "english", {"title": 2.0})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"bm25_algorithm": "BM26"}, "BM25 algorithm 'BM26' is not supported.*BM25Okapi"),
        (
            {"embedding_similarity_function": "euclid"},
            "embedding_similarity_function must be one of .*dot_product.*got 'euclid'",
        ),
        ({"search": "roots"}, "search must be one of .*leaves.*got 'roots'"),
        ({"analyzer": "englsh"}, "analyzer must be one of standard, auto, .*english.*got 'englsh'"),
        ({"analyzer": 3}, "analyzer must be a name, a compiled regular expression or a function, got 3"),
        ({"fields": {"title": 0}}, r"fields\['title'\] must be above 0 and at most 1,000,000, got 0"),
        ({"fields": ["title"]}, r"fields must be metadata keys with their weights.*Pass {'title': 2.0}"),
        ({"fields": {f"f{n}": n for n in range(1, 9)}}, "at most 7 different weights"),
        ({"vector_search": "fast"}, "vector_search must be one of .*'exact', 'approximate'.*got 'fast'"),
        ({"bm25_tokenization_regex": "("}, "bm25_tokenization_regex"),
        ({"bm25_parameters": {"k1": "1"}}, r"bm25_parameters\['k1'\] must be a number, not '1'"),
        ({"bm25_parameters": {"b": math.nan}}, r"bm25_parameters\['b'\] must be a number, not nan"),
        ({"bm25_parameters": {"delta": math.inf}}, r"bm25_parameters\['delta'\] must be finite, but is inf"),
        ({"bm25_parameters": {"epsilon": 10**400}}, r"bm25_parameters\['epsilon'\] must be a number"),
    ],
)
def test_an_unknown_choice_names_the_known_ones(settings, message):
    with pytest.raises(ValueError, match=message):
        InMemoryDocumentStore(**settings)


def test_warns_about_an_unknown_bm25_parameter_and_keeps_it(caplog):
    with caplog.at_level(logging.WARNING):
        store = InMemoryDocumentStore(bm25_parameters={"K1": 1, "b": 0.5})
    assert "['K1'] have no effect; the names are ['k1', 'b', 'delta', 'epsilon', " in caplog.text
    assert store.to_dict()["init_parameters"]["bm25_parameters"] == {"K1": 1, "b": 0.5}
    assert HaystackStore(bm25_parameters={"K1": 1}).bm25_parameters == {"K1": 1}


def test_a_store_implements_the_protocols():
    store = InMemoryDocumentStore()
    for protocol in (SyncDocumentStore, DocumentStore, FindsById, FindsByKey):
        assert isinstance(store, protocol)


def test_every_method_that_reads_or_writes_has_an_async_counterpart():
    import inspect

    names = [
        name
        for name in dir(InMemoryDocumentStore)
        if re.match(r"(?!_).*(documents|filter|metadata|retrieval|explain)", name)
    ]
    plain = [name for name in names if not name.endswith("_async")]
    assert len(plain) >= 16
    for name in plain:
        counterpart = getattr(InMemoryDocumentStore, f"{name}_async")
        assert inspect.iscoroutinefunction(counterpart)
        assert list(inspect.signature(counterpart).parameters) == list(
            inspect.signature(getattr(InMemoryDocumentStore, name)).parameters
        )
        assert name in counterpart.__doc__


def test_every_public_method_of_haystack_s_store_is_there():
    theirs = {name for name in dir(HaystackStore) if not name.startswith("_")}
    assert theirs - set(dir(InMemoryDocumentStore)) == set()


# --- a tokenizer of one's own ---------------------------------------------------------------------


@pytest.fixture
def this_module_allowed():
    allow_deserialization_module(__name__)
    yield
    known_types._allowed_modules.discard(__name__)


def test_a_tokenizer_is_written_by_its_name_and_comes_back(this_module_allowed):
    store = InMemoryDocumentStore(analyzer=words, shared=False)
    data = store.to_dict()
    assert data["init_parameters"]["analyzer"] == f"{__name__}.words"
    loaded = InMemoryDocumentStore.from_dict(data)
    assert loaded.analyzer is words
    assert data == store.to_dict()


def test_a_tokenizer_of_a_module_that_is_not_allowed_is_not_loaded():
    data = InMemoryDocumentStore(analyzer=words).to_dict()
    with pytest.raises(DeserializationError, match="allow_deserialization_module"):
        InMemoryDocumentStore.from_dict(data)


def test_a_pattern_is_written_and_comes_back():
    store = InMemoryDocumentStore(analyzer=re.compile("[A-Z]+", re.IGNORECASE), shared=False)
    loaded = InMemoryDocumentStore.from_dict(json.loads(json.dumps(store.to_dict())))
    assert loaded.analyzer == store.analyzer
    assert loaded.tokenizer("Two words") == ["two", "words"]


def test_a_tokenizer_without_a_name_can_t_be_written():
    with pytest.raises(SerializationError, match="lambdas"):
        InMemoryDocumentStore(analyzer=lambda text: [text]).to_dict()


# --- sharing --------------------------------------------------------------------------------------


def test_stores_of_one_name_share_their_documents_from_the_first_on():
    first = InMemoryDocumentStore(index="shared by two")
    second = InMemoryDocumentStore(index="shared by two", bm25_algorithm="BM25Okapi")
    second.write_documents(named("a"))
    assert ids_of(first.bm25_retrieval("a")) == ["a"]
    first.delete_all_documents()
    assert second.count_documents() == 0


def test_an_empty_store_that_is_written_down_and_read_again_shares_its_documents():
    store = InMemoryDocumentStore()
    again = InMemoryDocumentStore.from_dict(store.to_dict())
    store.write_documents(named("a"))
    assert again.count_documents() == 1


def test_stores_that_do_not_share_have_documents_of_their_own():
    stores = [InMemoryDocumentStore(index="apart", shared=False), InMemoryDocumentStore(index="apart", shared=False)]
    stores += [InMemoryDocumentStore(index="apart"), InMemoryDocumentStore(), InMemoryDocumentStore()]
    stores[0].write_documents(named("a"))
    assert [store.count_documents() for store in stores] == [1, 0, 0, 0, 0]


@pytest.mark.parametrize(
    "other",
    [
        {"search": "leaves"},
        {"analyzer": "english"},
        {"bm25_tokenization_regex": r"\w+"},
        {"analyzer": words},
        {"fields": {"title": 2.0}},
    ],
)
def test_documents_can_t_be_shared_by_stores_that_index_them_otherwise(other):
    store = InMemoryDocumentStore(index="indexed once")
    with pytest.raises(ValueError, match=r"'indexed once'.*shared=False"):
        InMemoryDocumentStore(index="indexed once", **other)
    assert InMemoryDocumentStore(index="indexed once", shared=False, **other).count_documents() == 0
    assert store.count_documents() == 0


def test_documents_without_a_name_go_with_their_last_store():
    store = InMemoryDocumentStore()
    store.write_documents(named("a"))
    second = InMemoryDocumentStore.from_dict(store.to_dict())
    contents = weakref.ref(store._state)
    del store
    gc.collect()
    assert isinstance(contents(), MemoryState)
    del second
    gc.collect()
    assert contents() is None


def test_haystack_keeps_them():
    from haystack.document_stores.in_memory import document_store as module

    store = HaystackStore()
    index = store.index
    del store
    gc.collect()
    assert index in module._STORAGES


def test_a_store_has_its_tokenizer_as_haystack_s_has():
    assert InMemoryDocumentStore().tokenizer("Two WORDS, 東京") == ["two", "words", "東", "京"]
    assert InMemoryDocumentStore(analyzer="cjk").tokenizer("東京") == ["東", "東京", "京"]
    assert InMemoryDocumentStore(bm25_tokenization_regex="[a-z]+").tokenizer("Two words") == ["two", "words"]
