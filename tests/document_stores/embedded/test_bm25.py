import haystack
import numpy as np
import pytest
from haystack.document_stores.in_memory import InMemoryDocumentStore as HaystackStore
from haystack.utils import expit

from spaniel import Document
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.errors import FilterError
from tests.document_stores.faces import equal, ids_of, named

VARIANTS = ["BM25Okapi", "BM25L", "BM25Plus"]
FRUIT = ["red apple", "blue sky", "green grass", "yellow sun"]


def texts(*contents: str) -> list[Document]:
    return [Document(content=content) for content in contents]


def contents(documents: list[Document]) -> list[str]:
    return [document.content for document in documents]


# --- which documents ------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("scaled", [False, True])
async def test_only_documents_that_share_a_term_are_found(opened, variant, scaled):
    store = opened(bm25_algorithm=variant)
    await store.write_documents(texts(*FRUIT))
    assert contents(await store.bm25_retrieval("apple", scale_score=scaled)) == ["red apple"]
    assert await store.bm25_retrieval("nothing", scale_score=scaled) == []


def test_haystack_s_okapi_returns_every_document():
    theirs = HaystackStore(shared=False, bm25_algorithm="BM25Okapi")
    theirs.write_documents([haystack.Document(content=content) for content in FRUIT])
    assert len(theirs.bm25_retrieval("apple", scale_score=True)) == len(FRUIT)


async def test_a_document_is_found_whatever_the_sign_of_its_score(opened):
    store = opened(bm25_algorithm="BM25Okapi")
    await store.write_documents(texts("apple", "apple pie", "apple tart"))
    found = await store.bm25_retrieval("apple")
    assert len(found) == 3
    assert all(document.score < 0 for document in found)


async def test_documents_without_text_are_neither_found_nor_counted(store):
    await store.write_documents([*texts("red apple", ""), Document(id="empty", meta={"a": 1})])
    assert contents(await store.bm25_retrieval("apple")) == ["red apple"]
    assert store.store.search_statistics()["documents"] == 2


@pytest.mark.parametrize("variant", VARIANTS)
async def test_a_store_without_a_single_word_finds_nothing(opened, variant):
    store = opened(bm25_algorithm=variant)
    assert await store.bm25_retrieval("apple") == []
    await store.write_documents([Document(id="a", content=""), Document(id="b", content="... !")])
    assert await store.bm25_retrieval("apple") == []


async def test_ties_stand_in_the_order_of_writing(store):
    await store.write_documents([Document(id=id, content="same words") for id in "cab"])
    assert ids_of(await store.bm25_retrieval("words")) == ["c", "a", "b"]
    assert ids_of(await store.bm25_retrieval("words", top_k=2)) == ["c", "a"]


# --- arguments ------------------------------------------------------------------------------------


@pytest.mark.parametrize("query", ["", None, 5, ["apple"]])
async def test_a_query_must_be_text(store, query):
    with pytest.raises(ValueError, match="Query should be a non-empty string"):
        await store.bm25_retrieval(query)


@pytest.mark.parametrize("top_k", [-1, "5", None, 1.5])
async def test_a_negative_top_k_or_no_number_is_refused(store, top_k):
    await store.write_documents(texts(*FRUIT))
    with pytest.raises(ValueError, match="top_k must"):
        await store.bm25_retrieval("apple", top_k=top_k)
    with pytest.raises(ValueError, match="top_k must"):
        await store.embedding_retrieval([1.0], top_k=top_k)


def test_haystack_s_store_cuts_off_the_end_for_a_negative_top_k():
    theirs = HaystackStore(shared=False)
    theirs.write_documents([haystack.Document(content=f"apple {n}") for n in range(3)])
    assert len(theirs.bm25_retrieval("apple", top_k=-1)) == 2


async def test_top_k_of_nothing_gives_nothing(store):
    await store.write_documents(texts("apple"))
    assert await store.bm25_retrieval("apple", top_k=0) == []
    assert len(await store.bm25_retrieval("apple", top_k=np.int64(5))) == 1


async def test_a_malformed_filter_is_an_error_even_where_nothing_is_stored(store):
    for filters in ({"field": "meta.x"}, {"operator": "XOR", "conditions": []}, ["a"]):
        with pytest.raises(FilterError):
            await store.bm25_retrieval("apple", filters=filters)
        with pytest.raises(FilterError):
            await store.embedding_retrieval([1.0], filters=filters)


async def test_a_filter_leaves_the_statistics_alone(store):
    await store.write_documents([*named("a b", meta={"k": 1}), *named("b c", meta={"k": 2}), *named("c d")])
    everywhere = {document.id: document.score for document in await store.bm25_retrieval("b c")}
    (found,) = await store.bm25_retrieval("b c", filters=equal("meta.k", 2))
    assert found.score == everywhere["b c"]


# --- scores ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("parameters", [None, {"k1": 0.5}, {"b": 0.0}, {"delta": 3.0, "epsilon": 0.9, "unknown": 1}])
async def test_scores_are_haystack_s(opened, variant, parameters):
    contents = ["a b b c", "b", "c d e f g h", "a a a", "", "x"]
    store = opened(bm25_algorithm=variant, bm25_parameters=parameters)
    theirs = HaystackStore(shared=False, bm25_algorithm=variant, bm25_parameters=parameters)
    await store.write_documents(texts(*contents))
    theirs.write_documents([haystack.Document(content=content) for content in contents])
    expected = {document.id: document.score for document in theirs.bm25_retrieval("b a d unknown b", top_k=10)}
    for document in await store.bm25_retrieval("b a d unknown b"):
        assert document.score == pytest.approx(expected[document.id], abs=1e-9)


def test_haystack_notices_a_parameter_that_is_no_number_in_a_search_or_never():
    def scores(k1):
        store = HaystackStore(shared=False, bm25_parameters={"k1": k1})
        store.write_documents([haystack.Document(content=content) for content in FRUIT])
        return [document.score for document in store.bm25_retrieval("apple", top_k=1)]

    with pytest.raises(TypeError):
        scores("1")
    assert np.isnan(scores(np.nan)).all()


@pytest.mark.parametrize("variant", VARIANTS)
async def test_scaled_scores_are_plain_floats_of_the_raw_ones(opened, variant):
    store = opened(bm25_algorithm=variant)
    await store.write_documents(texts("apple pie", "apple", "sky"))
    raw = await store.bm25_retrieval("apple pie")
    scaled = await store.bm25_retrieval("apple pie", scale_score=True)
    assert [type(document.score) for document in raw + scaled] == [float] * 4
    assert [document.score for document in scaled] == pytest.approx(
        [float(expit(document.score / 8)) for document in raw]
    )


def test_haystack_s_scaled_scores_are_numpy_scalars():
    theirs = HaystackStore(shared=False)
    theirs.write_documents([haystack.Document(content="apple")])
    assert type(theirs.bm25_retrieval("apple", scale_score=True)[0].score) is np.float64


async def test_the_explanation_of_a_hit_adds_up_to_its_score(store):
    await store.write_documents(texts("apple pie", "apple tart", "pie"))
    found = await store.bm25_retrieval("apple pie pie")
    explained = await store.explain_bm25("apple pie pie", [*ids_of(found), "unknown"])
    assert list(explained) == ids_of(found)
    for document in found:
        assert sum(term.score for term in explained[document.id]) == pytest.approx(document.score)
    assert [(term.term, term.frequency, term.documents) for term in explained[found[0].id]] == [
        ("apple", 1, 2),
        ("pie", 1, 2),
    ]


# --- words ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "query"),
    [
        ("Straße", "STRASSE"),
        ("STRASSE", "straße"),
        ("cafe\u0301", "café"),
        ("café", "CAFE\u0301"),
        ("ΣΊΣΥΦΟΣ", "σίσυφος"),
    ],
)
async def test_spellings_of_one_word_find_each_other(store, content, query):
    await store.write_documents(texts(content, "other"))
    assert contents(await store.bm25_retrieval(query)) == [content]


def test_haystack_does_not_fold_case():
    theirs = HaystackStore(shared=False)
    theirs.write_documents([haystack.Document(content="Straße")])
    assert theirs.bm25_retrieval("STRASSE") == []


async def test_a_custom_expression_folds_its_words_too(opened):
    store = opened(bm25_tokenization_regex=r"[\w-]+")
    await store.write_documents(texts("Haupt-Straße"))
    assert contents(await store.bm25_retrieval("HAUPT-STRASSE")) == ["Haupt-Straße"]
    assert await store.bm25_retrieval("Straße") == []


@pytest.mark.parametrize("pattern", [r"(\w)(\w*)", r"(\w+)", r"\b\w\w+\b"])
async def test_an_expression_with_groups_has_the_tokens_that_haystack_has(opened, pattern):
    contents = ["apple pie", "apple a", "pie"]
    store, theirs = (
        opened(bm25_tokenization_regex=pattern),
        HaystackStore(bm25_tokenization_regex=pattern, shared=False),
    )
    await store.write_documents(texts(*contents))
    theirs.write_documents([haystack.Document(content=content) for content in contents])
    scores = [document.score for document in await store.bm25_retrieval("apple pie")]
    assert scores == pytest.approx([document.score for document in theirs.bm25_retrieval("apple pie")])


@pytest.mark.parametrize("analyzer", ["standard", "cjk"])
async def test_words_of_scripts_without_spaces_are_found(opened, analyzer):
    store = opened(analyzer=analyzer)
    await store.write_documents(texts("京の庭", "東京都の天気は晴れです", "東の空"))
    assert contents(await store.bm25_retrieval("東京"))[0] == "東京都の天気は晴れです"


async def test_bigrams_count_more_than_their_characters(opened):
    store = opened(analyzer="cjk")
    await store.write_documents(texts("東の東 京の京", "東京都の天気がいい"))
    assert contents(await store.bm25_retrieval("東京"))[0] == "東京都の天気がいい"


@pytest.mark.parametrize("content", ["ｶﾀｶﾅ", "㐂", "豈", "한국어", "ひらがな"])
async def test_every_block_of_those_scripts_is_cut_into_characters(store, content):
    await store.write_documents(texts(content * 3, "other"))
    assert contents(await store.bm25_retrieval(content[0])) == [content * 3]


async def test_words_of_one_letter_are_words(store):
    await store.write_documents(texts("C guide", "D guide"))
    assert contents(await store.bm25_retrieval("c")) == ["C guide"]


async def test_a_tokenizer_of_one_s_own_can_stem_and_drop_words(opened):
    def stemmed(text: str) -> list[str]:
        return [word.rstrip("s") for word in text.lower().split() if word != "the"]

    store = opened(analyzer=stemmed)
    await store.write_documents(texts("the apples", "the sky"))
    assert contents(await store.bm25_retrieval("apple the")) == ["the apples"]
    assert store.store.query_terms("The apples apple") == ["apple"]


async def test_a_tokenizer_that_fails_leaves_the_store_as_it_was(opened):
    def picky(text: str) -> list[str]:
        if text == "bad":
            raise RuntimeError("can't be cut")
        return text.split()

    store = opened(analyzer=picky)
    with pytest.raises(RuntimeError, match="can't be cut"):
        await store.write_documents(texts("good", "bad"))
    assert await store.count_documents() == 0


# --- search scope ---------------------------------------------------------------------------------


def tree() -> list[Document]:
    return [
        Document(id="root", content="red apple red pear", meta={"__children_ids": ["l1", "l2"]}, embedding=[9.0, 9.0]),
        Document(id="l1", content="red apple", meta={"__children_ids": []}, embedding=[1.0, 0.0]),
        Document(id="l2", content="red pear", embedding=[0.0, 1.0]),
    ]


async def test_a_store_of_leaves_keeps_parents_out_of_searches_and_statistics(opened):
    store, leaves_only = opened(search="leaves"), opened()
    await store.write_documents(tree())
    await leaves_only.write_documents(tree()[1:])

    for query in ("red", "apple", "pear red"):
        assert await store.bm25_retrieval(query) == await leaves_only.bm25_retrieval(query)
    assert ids_of(await store.embedding_retrieval([1.0, 1.0])) == ["l1", "l2"]
    assert store.store.search_statistics() == leaves_only.store.search_statistics()
    assert await store.explain_bm25("red", ["root"]) == {}


async def test_the_children_of_a_parent_may_be_an_array(opened):
    store = opened(search="leaves")
    await store.write_documents(named("a parent", meta={"__children_ids": np.array(["x", "y"])}))
    await store.write_documents(named("a leaf", meta={"__children_ids": np.array([])}))
    assert ids_of(await store.bm25_retrieval("a")) == ["a leaf"]


async def test_a_top_k_beyond_any_store_gives_all(store):
    await store.write_documents([Document(id=id, content="a", embedding=[1.0]) for id in "xy"])
    assert ids_of(await store.bm25_retrieval("a", top_k=2**70)) == ["x", "y"]
    assert ids_of(await store.embedding_retrieval([1.0], top_k=2**70)) == ["x", "y"]


async def test_a_store_of_leaves_filters_and_fetches_parents(opened):
    store = opened(search="leaves")
    await store.write_documents(tree())
    assert await store.count_documents() == 3
    assert ids_of(await store.filter_documents(equal("id", "root"))) == ["root"]
    assert ids_of(await store.get_documents_by_id(["root"])) == ["root"]
    assert ids_of(await store.get_documents_by_key("__children_ids", ["l1"])) == ["root"]
    assert await store.bm25_retrieval("red", filters=equal("id", "root")) == []


async def test_a_store_of_all_searches_parents(opened):
    store = opened(search="all")
    await store.write_documents(tree())
    assert set(ids_of(await store.bm25_retrieval("red"))) == {"root", "l1", "l2"}


async def test_a_leaf_that_becomes_a_parent_is_no_longer_searched_and_back(opened):
    store = opened(search="leaves")
    await store.write_documents(tree())

    await store.update_by_filter(equal("id", "l1"), {"__children_ids": ["x"]})
    assert ids_of(await store.bm25_retrieval("red")) == ["l2"]
    assert ids_of(await store.embedding_retrieval([1.0, 1.0])) == ["l2"]

    await store.update_by_filter(equal("id", "l1"), {"__children_ids": []})
    assert ids_of(await store.bm25_retrieval("apple")) == ["l1"]
    assert ids_of(await store.filter_documents()) == ["root", "l2", "l1"]


@pytest.mark.parametrize(("parameters", "text"), [({"k1": 0}, "blue sky"), ({"b": 1}, "")])
def test_haystack_s_okapi_divides_by_0_where_the_formula_does_not(parameters, text):
    settings = {"shared": False, "bm25_algorithm": "BM25Okapi", "bm25_parameters": parameters}
    rows = [{"content": "red apple"}, {"content": "green grass"}, {"content": text}]
    theirs = HaystackStore(**settings)
    theirs.write_documents([haystack.Document(**row) for row in rows])
    with pytest.raises(ZeroDivisionError):
        theirs.bm25_retrieval("apple")
    ours = InMemoryDocumentStore(**settings)
    ours.write_documents([Document(**row) for row in rows])
    assert contents(ours.bm25_retrieval("apple")) == ["red apple"]
