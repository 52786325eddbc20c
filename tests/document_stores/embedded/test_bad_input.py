"""Hostile and odd input to public methods: a correct result, or an error with a remedy."""

import math
import subprocess
import sys
import unicodedata

import haystack
import numpy as np
import pytest
from haystack.document_stores.in_memory import InMemoryDocumentStore as HaystackStore

from spaniel import Document
from spaniel.components.retrievers import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.errors import DocumentStoreError, FilterError
from tests.engine import reference

SURROGATES = "\ud800 apple\udfff"
TEXTS = ["apple pie", "apple apple tart", "banana split", "the apple of the eye", ""]
IS = {"field": "id", "operator": "==", "value": "0"}


def filled(texts=TEXTS, **settings):
    store = InMemoryDocumentStore(**settings)
    store.write_documents([Document(id=str(number), content=text) for number, text in enumerate(texts)])
    return store


def scores(store, query, **options):
    return {document.id: document.score for document in store.bm25_retrieval(query, **options)}


def of_formulas(texts, query, variant, parameters=None):
    tokens = [reference.tokenize(text) for text in texts]
    found = reference.scores(tokens, reference.tokenize(query), variant, parameters)
    return {str(number): score for number, score in found.items()}


# --- keyword search -------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", reference.VARIANTS)
@pytest.mark.parametrize(
    "parameters",
    [{"b": -0.5}, {"b": 1.8}, {"k1": -0.4}, {"k1": 0}, {"k1": 1e6}, {"delta": -2}, {"delta": 50}, {"epsilon": -3}],
)
def test_parameters_out_of_their_range_follow_the_formulas(variant, parameters):
    expected = of_formulas(TEXTS, "apple the tart", variant, parameters)

    found = scores(filled(bm25_algorithm=variant, bm25_parameters=parameters), "apple the tart")

    assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("name", ["k1", "b", "delta", "epsilon"])
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 10**400, "1.5", None, True, [1]])
def test_a_parameter_that_is_no_finite_number_is_named(name, value):
    with pytest.raises(ValueError, match=rf"bm25_parameters\['{name}'\] must be (a number|finite)"):
        InMemoryDocumentStore(bm25_parameters={name: value})


@pytest.mark.parametrize("variant", reference.VARIANTS)
def test_a_term_in_every_document_counts_as_the_formulas_say(variant):
    texts = ["the apple", "the the pear", "the", "the fig and the date"]
    found = scores(filled(texts, bm25_algorithm=variant), "the apple")

    assert found == pytest.approx(of_formulas(texts, "the apple", variant), rel=1e-9)
    assert set(found) == set("0123")


def test_a_negative_idf_of_okapi_is_replaced_by_a_share_of_the_mean():
    texts = ["a b", "a c", "a d", "e"]
    for epsilon in (0.25, 0, -1):
        found = scores(filled(texts, bm25_algorithm="BM25Okapi", bm25_parameters={"epsilon": epsilon}), "a")
        assert found == pytest.approx(of_formulas(texts, "a", "BM25Okapi", {"epsilon": epsilon}), rel=1e-9)


@pytest.mark.parametrize("variant", reference.VARIANTS)
def test_an_empty_store_and_one_that_was_emptied_find_nothing(variant):
    emptied = filled(bm25_algorithm=variant)
    emptied.delete_all_documents()
    for store in (InMemoryDocumentStore(bm25_algorithm=variant), emptied):
        assert InMemoryBM25Retriever(store).run(query="apple")["documents"] == []
        assert store.embedding_retrieval([1.0]) == []


def test_a_query_of_ten_thousand_words_scores_as_the_formulas_say():
    texts = [f"w{number} w{number % 7} x" for number in range(300)]
    query = " ".join(f"w{number}" for number in range(10_000))

    assert scores(filled(texts), query, top_k=300) == pytest.approx(of_formulas(texts, query, "BM25L"), rel=1e-9)


def test_a_document_of_fifty_megabytes_takes_seconds_and_some_times_its_size():
    program = """
import resource
from spaniel import Document
from spaniel.document_stores.in_memory import InMemoryDocumentStore
text = ("".join(f"word{number} " for number in range(20_000)) + "\\u00e9t\\u00e9 ") * 270
assert len(text) > 50_000_000
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
store = InMemoryDocumentStore()
store.write_documents([Document(id="long", content=text), Document(id="short", content="word1 \\u00e9t\\u00e9")])
print([document.id for document in store.bm25_retrieval("word1 word7")], store.search_statistics())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=100, check=False)

    statistics = {"documents": 2, "tokens": 20_001 * 270 + 2, "vocabulary": 20_001}
    assert (done.stdout.strip(), done.stderr) == (f"['long', 'short'] {statistics}", "")


def test_more_lengths_and_frequencies_than_codes_are_scored_as_the_formulas_say():
    splits = [(few, length - few) for length in range(1, 371) for few in range(length // 2 + 1)]
    store = InMemoryDocumentStore(
        analyzer=lambda text: [word[0] for word in text.split() for _ in range(int(word[1:]))]
    )
    store.write_documents([Document(id=f"{few} {many}", content=f"a{few} b{many}") for few, many in splits])

    found = store.bm25_retrieval("a1", top_k=2000)

    few, many = np.array(splits, float).T
    c = few / (1 - 0.75 + 0.75 * (few + many) / (few + many).mean())
    expected = np.log((len(few) + 1) / ((few > 0).sum() + 0.5)) * 2.5 * (c + 0.5) / (1.5 + c + 0.5)
    assert len({(frequency, few + many) for few, many in splits for frequency in (few, many) if frequency}) > 2**16
    assert len(found) == 2000
    assert [document.score for document in found] == pytest.approx(sorted(expected[few > 0])[:-2001:-1], rel=1e-9)


# --- text -----------------------------------------------------------------------------------------


def test_every_plane_of_unicode_is_text():
    """A word of each plane, if it has one; the rest of it separates words."""
    for plane in range(17):
        characters = [chr(plane << 16 | low) for low in range(0, 1 << 16, 7)]
        words = [c for c in characters if c.isalnum() and unicodedata.is_normalized("NFC", c.lower())][:50]
        store = filled([f"x{word}y" for word in words] + ["".join(characters)])
        for number, word in enumerate(words):
            assert str(number) in {document.id for document in store.bm25_retrieval(f"X{word}Y", top_k=100)}


def test_halves_of_surrogate_pairs_are_kept_searched_filtered_and_saved(tmp_path):
    store = InMemoryDocumentStore()
    store.write_documents([Document(id=SURROGATES, content=SURROGATES, meta={SURROGATES: [SURROGATES]})])
    store.save_to_disk(tmp_path / "store.json")
    for each in (store, InMemoryDocumentStore.load_from_disk(tmp_path / "store.json")):
        assert [document.id for document in each.bm25_retrieval(f"apple {SURROGATES}")] == [SURROGATES]
        for field, operator, value in [
            ("id", "==", SURROGATES),
            ("id", "in", [SURROGATES, "\udfff"]),
            (f"meta.{SURROGATES}", "contains", SURROGATES),
            ("content", "==", SURROGATES),
        ]:
            (found,) = each.filter_documents({"field": field, "operator": operator, "value": value})
            assert (found.id, found.content, found.meta) == (SURROGATES, SURROGATES, {SURROGATES: [SURROGATES]})


def test_a_document_of_half_a_surrogate_pair_has_an_id():
    first, second = (Document(content=half, meta={"a": half}) for half in ("\ud800", "\ud801"))

    assert len(first.id) == 64
    assert first.id != second.id


def test_half_a_surrogate_pair_has_no_id_in_haystack():
    with pytest.raises(UnicodeEncodeError):
        haystack.Document(content="\ud800")


# --- numbers --------------------------------------------------------------------------------------


@pytest.mark.parametrize("top_k", [5, 6, 2**31, 2**63, 2**64, 10**400, np.int64(9), np.uint64(2**64 - 1), np.int8(5)])
def test_a_top_k_beyond_the_store_gives_all_of_it(top_k):
    store = filled()
    store.write_documents([Document(id=f"v{number}", embedding=[float(number), 1.0]) for number in range(5)])

    assert len(store.bm25_retrieval("apple", top_k=top_k)) == 3
    assert len(store.embedding_retrieval([1, 0], top_k=top_k)) == 5
    assert len(InMemoryBM25Retriever(store).run(query="apple", top_k=top_k)["documents"]) == 3
    assert len(InMemoryEmbeddingRetriever(store).run(query_embedding=[1.0, 0.0], top_k=top_k)["documents"]) == 5


@pytest.mark.parametrize(
    "top_k", [-1, -(2**63), True, 2.0, math.nan, math.inf, "3", [3], np.float64(2), np.bool_(True)]
)
def test_a_top_k_that_is_no_count_is_refused(top_k):
    store = filled()
    for search in (
        lambda: store.bm25_retrieval("apple", top_k=top_k),
        lambda: store.embedding_retrieval([1.0], top_k=top_k),
        lambda: InMemoryBM25Retriever(store, top_k=top_k),
        lambda: InMemoryBM25Retriever(store).run(query="apple", top_k=top_k),
        lambda: InMemoryEmbeddingRetriever(store, top_k=top_k),
        lambda: InMemoryEmbeddingRetriever(store).run(query_embedding=[1.0], top_k=top_k),
    ):
        with pytest.raises(ValueError, match="top_k must be"):
            search()


@pytest.mark.parametrize(
    "numbers",
    [[], [math.nan], [1.0, math.inf], ["a"], [[1.0]], [10**400], [None], "1", b"1", {1: 1.0}, [1j], [1e200, 1.0]],
)
def test_rejects_embeddings_that_are_not_vectors_by_document(numbers):
    store = InMemoryDocumentStore()
    with pytest.raises(ValueError, match="The embedding of document 'odd'"):
        store.write_documents([Document(id="good", embedding=[1.0]), Document(id="odd", embedding=numbers)])
    with pytest.raises(
        ValueError, match=r"query_embedding should be a non-empty list of floats\. The embedding of the query"
    ):
        store.embedding_retrieval(numbers)
    assert store.count_documents() == 0


def test_large_vectors_have_no_cosine_in_haystack():
    store = HaystackStore(embedding_similarity_function="cosine")
    store.write_documents([haystack.Document(content="a", embedding=[1e200, 1.0])])
    with pytest.warns(RuntimeWarning):
        (found,) = store.embedding_retrieval([1e200, 1.0])

    assert not math.isclose(found.score, 1)


@pytest.mark.parametrize("similarity", ["dot_product", "cosine"])
def test_the_scores_of_large_and_small_vectors_are_numbers(similarity):
    store = InMemoryDocumentStore(embedding_similarity_function=similarity)
    store.write_documents([Document(id=str(scale), embedding=[scale, -scale]) for scale in (1e153, 1.0, 1e-300, 0.0)])

    found = store.embedding_retrieval([1e153, 1e153])

    assert len(found) == 4
    assert all(math.isfinite(document.score) for document in found)


# --- filters --------------------------------------------------------------------------------------


def nested(levels, operator):
    filters = IS
    for _ in range(levels):
        filters = {"operator": operator, "conditions": [filters]}
    return filters


@pytest.mark.parametrize("operator", ["AND", "OR", "NOT"])
def test_a_filter_of_many_levels_is_right_or_refused(operator):
    store = filled()
    kept = store.filter_documents(nested(98, operator))
    assert [document.id for document in kept] == ["0"]
    for levels in (1_000, 20_000):
        for search in (
            store.filter_documents,
            lambda filters: store.bm25_retrieval("apple", filters=filters),
            store.delete_by_filter,
        ):
            with pytest.raises(FilterError, match=r"nested more than 100 levels deep\. Put conditions that share"):
                search(nested(levels, operator))
    assert store.count_documents() == 5


def test_a_value_of_many_levels_is_refused():
    value = []
    for _ in range(5_000):
        value = [value]
    for operator in ("==", "in"):
        with pytest.raises(FilterError, match=r"filters.value: nested too deeply"):
            filled().filter_documents({"field": "meta.a", "operator": operator, "value": [value]})


def test_a_filter_may_name_a_hundred_thousand_ids_and_conditions():
    store, many = filled(), [str(number) for number in range(100_000)]
    conditions = [{"field": "id", "operator": "==", "value": id} for id in many]

    assert store.filter_documents({"field": "id", "operator": "in", "value": many}) == store.filter_documents()
    assert store.filter_documents({"operator": "OR", "conditions": conditions}) == store.filter_documents()
    assert len(store.bm25_retrieval("apple", filters={"field": "id", "operator": "in", "value": many})) == 3


# --- values that fight back -----------------------------------------------------------------------


class Fighting:
    """Raises in every method, but can be copied."""

    def _raise(self, *_):
        raise ArithmeticError("odd")

    __eq__ = __hash__ = __bool__ = __len__ = __iter__ = __lt__ = __getattr__ = _raise

    def __deepcopy__(self, memo):
        return self


@pytest.mark.parametrize(
    "value", [Fighting(), [Fighting()], {"a": Fighting()}, (1, [Fighting()])], ids=["it", "list", "dict", "tuple"]
)
def test_a_value_that_raises_in_every_comparison_is_in_the_store_and_equal_to_nothing(value):
    store = filled()
    questions = [("==", 1), ("!=", 1), ("in", [1, "x"]), (">", 1), ("contains", 1)]
    before = [
        len(store.filter_documents({"field": "meta.x", "operator": each, "value": wanted}))
        for each, wanted in questions
    ]

    store.write_documents([Document(id="odd", content="apple", meta={"x": value})])

    after = [
        len(store.filter_documents({"field": "meta.x", "operator": each, "value": wanted}))
        for each, wanted in questions
    ]
    assert [new - old for new, old in zip(after, before, strict=True)] == [0, 1, 0, 0, 0]
    assert len(store.bm25_retrieval("apple")) == 4
    store.delete_documents(["odd"])
    assert len(store.bm25_retrieval("apple")) == 3


@pytest.mark.parametrize("depth", [401, 5_000])
def test_metadata_of_many_levels_is_refused_and_nothing_is_written(depth):
    value = 1
    for _ in range(depth):
        value = {"a": value}
    store = filled()
    with pytest.raises(ValueError, match=r"Document 'deep' is nested too deeply to be read .*\. Flatten its metadata"):
        store.write_documents([Document(id="fine"), Document(id="deep", meta={"a": value})])
    assert store.count_documents() == 5


def test_metadata_too_deep_for_an_id_is_refused():
    value = 1
    for _ in range(50_000):
        value = [value]
    with pytest.raises(ValueError, match="The metadata of a document without an id is nested too deeply"):
        Document(content="a", meta={"a": value})


@pytest.mark.parametrize("inner", ["write", "delete", "clear"])
def test_a_tokenizer_that_writes_to_its_store_is_refused_and_the_store_stays_whole(inner):
    def tokenizer(text):
        if text == "outer":
            {
                "write": lambda: store.write_documents([Document(id="inner", content="apple")]),
                "delete": lambda: store.delete_documents(["0"]),
                "clear": store.delete_all_documents,
            }[inner]()
        return text.split()

    store = filled(analyzer=tokenizer)
    with pytest.raises(DocumentStoreError, match="Write to the store outside of them"):
        store.write_documents([Document(id="0", content="outer")], policy="overwrite")

    assert len(store.filter_documents()) == store.count_documents() == {"write": 6, "delete": 4, "clear": 0}[inner]
    assert len(store.bm25_retrieval("apple", top_k=9)) == {"write": 4, "delete": 2, "clear": 0}[inner]
    assert store.write_documents([Document(id="new", content="apple")]) == 1
