"""Conditions of keyword queries against a plain reference, in random collections."""

import random
from itertools import pairwise

import pytest

from spaniel import Document
from spaniel._engine import stem
from spaniel.document_stores.embedded.synonyms import Synonyms
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.document_stores.local import LocalDocumentStore
from spaniel.document_stores.types import DuplicatePolicy
from spaniel.document_stores.types.keyword_query import Condition, KeywordQuery

WORDS = ["dog", "dogs", "bark", "barking", "cat", "cats", "war", "peace", "dove", "catalogue"]
SETTINGS = {"analyzer": "english", "fields": {"title": 2.0, "tags": 2.0}}


@pytest.fixture(params=["in_memory", "local"])
def store(request, tmp_path):
    if request.param == "in_memory":
        yield InMemoryDocumentStore(**SETTINGS)
        return
    with LocalDocumentStore(tmp_path / "store", **SETTINGS) as opened:
        yield opened


def make_document(choose, number):
    def text(most):
        return " ".join(choose.choices(WORDS, k=choose.randint(0, most)))

    tags = [text(2) for _ in range(choose.randint(0, 3))]
    meta = {"title": text(3), "tags": tags, "path": f"{choose.choice(WORDS)}/{choose.choice(WORDS)}.md", "year": number}
    return Document(id=f"d{number}", content=text(12) or "dove", meta=meta)


def texts_of(document, field):
    meta = document.meta
    by_field = {"title": [meta["title"]], "tags": meta["tags"], "content": [document.content], "path": [meta["path"]]}
    if field is not None:
        return by_field[field]
    return [text for name in ("content", "title", "tags") for text in by_field[name]]


def meets(document, condition):
    """Return if a document meets a condition, by reading its texts."""
    texts = [text.replace("/", " ").replace(".", " ").split() for text in texts_of(document, condition.field)]
    words = [word for text in texts for word in text]
    if condition.kind == "word":
        found = stem(condition.text, "english") in {stem(word, "english") for word in words}
    elif condition.kind == "prefix":
        found = any(word.startswith(condition.text) for word in words)
    else:
        found = any(" ".join(pair) == condition.text for text in texts for pair in pairwise(text))
    return found != condition.is_excluded


def make_condition(choose):
    field = choose.choice([None, None, "title", "tags", "path", "content"])
    kind = choose.choice(["word", "prefix", "phrase"])
    texts = {
        "word": choose.choice(WORDS),
        "prefix": choose.choice(["do", "ca", "cat", "bar", "zz"]),
        "phrase": " ".join(choose.choices(WORDS, k=2)),
    }
    return Condition(kind, texts[kind], field, choose.random() < 0.3)


def change(store, documents, choose, number):
    """Write some documents, new or again, and delete some."""
    new = [make_document(choose, choose.randrange(number)) for _ in range(20)]
    store.write_documents(list({each.id: each for each in new}.values()), policy=DuplicatePolicy.OVERWRITE)
    documents.update({each.id: each for each in new})
    gone = choose.sample(sorted(documents), len(documents) // 5)
    store.delete_documents(gone)
    for id in gone:
        del documents[id]


def test_the_documents_that_meet_conditions_are_those_of_a_plain_scan(store):
    choose = random.Random(3)
    documents = {}
    for _ in range(6):
        change(store, documents, choose, 80)
        for _ in range(25):
            conditions = tuple(make_condition(choose) for _ in range(choose.randint(1, 3)))
            text = choose.choice(["", "dove bark"])
            limit = choose.randrange(80)
            filters = {"field": "meta.year", "operator": "<", "value": limit}
            found = store.bm25_retrieval(KeywordQuery(text, conditions=conditions), filters, top_k=1000)
            expected = {
                id
                for id, document in documents.items()
                if document.meta["year"] < limit
                and all(meets(document, each) for each in conditions)
                and (not text or any(meets(document, Condition("word", word)) for word in text.split()))
            }
            assert {document.id for document in found} == expected, conditions


def test_scores_are_those_of_the_query_without_conditions(store):
    choose = random.Random(4)
    store.write_documents([make_document(choose, number) for number in range(60)])
    plain = {document.id: document.score for document in store.bm25_retrieval("dove bark", top_k=100)}
    condition = Condition("word", "cat")
    found = store.bm25_retrieval(KeywordQuery("dove bark", conditions=(condition,)), top_k=100)
    assert 0 < len(found) < len(plain)
    assert [document.score for document in found] == [plain[document.id] for document in found]
    assert sorted((document.score for document in found), reverse=True) == [document.score for document in found]


@pytest.mark.parametrize(("least", "count"), [(1, 1), (2, 2), (3, 3), (9, 3), (1.0, 3), (0.7, 2), (0.1, 1)])
def test_a_minimum_of_words_is_a_number_or_a_share_rounded_down(store, least, count):
    choose = random.Random(5)
    documents = [make_document(choose, number) for number in range(60)]
    store.write_documents(documents)
    words = [Condition("word", word) for word in ("war", "dog", "peace")]
    found = store.bm25_retrieval(KeywordQuery("war dog peace", min_words=least), top_k=100)
    expected = {each.id for each in documents if sum(meets(each, word) for word in words) >= count}
    assert {document.id for document in found} == expected


def test_phrases_are_looked_for_beyond_the_first_hits(store):
    documents = [Document(id=f"no{n}", content="brown quick fox") for n in range(50)]
    store.write_documents([*documents, Document(id="yes", content="a quick brown fox in a long text of many words")])
    phrase = Condition("phrase", "quick brown")
    assert [each.id for each in store.bm25_retrieval(KeywordQuery("fox", conditions=(phrase,)), top_k=1)] == ["yes"]
    excluded = Condition("phrase", "brown quick", None, is_excluded=True)
    found = store.bm25_retrieval(KeywordQuery("quick brown", conditions=(excluded,)), top_k=2)
    assert [each.id for each in found] == ["yes"]


def test_a_phrase_does_not_span_fields_and_matches_no_other_form(store):
    store.write_documents(
        [
            Document(id="across", content="quick", meta={"title": "brown", "tags": ["red", "fox"]}),
            Document(id="form", content="the browns fox"),
            Document(id="tag", content="x", meta={"tags": ["brown fox"]}),
        ]
    )

    def find(text):
        found = store.bm25_retrieval(KeywordQuery("", conditions=(Condition("phrase", text),)))
        return [document.id for document in found]

    assert (find("quick brown"), find("red fox"), find("brown fox")) == ([], [], ["tag"])


def test_a_prefix_counts_as_one_word_and_explains_its_forms(store):
    store.write_documents([Document(id="a", content="domes dogged"), Document(id="b", content="cat")])
    query = KeywordQuery("cat", ("do",))
    assert store.query_terms(query) == ["cat", "do*"]
    assert [document.id for document in store.bm25_retrieval(query)] == ["a", "b"]
    [match] = store.explain_bm25(query, ["a"])["a"]
    assert (match.term, match.documents, sorted(match.forms)) == ("do*", 1, ["dogged", "domes"])


def test_conditions_hold_with_the_analyzer_of_haystack_too():
    store = InMemoryDocumentStore()
    store.write_documents(
        [Document(id="a", content="the quick brown fox"), Document(id="b", content="a brown quick one")]
    )

    def find(query):
        return [document.id for document in store.bm25_retrieval(query)]

    assert find(KeywordQuery("brown", conditions=(Condition("phrase", "quick brown"),))) == ["a"]
    assert find(KeywordQuery("brown", conditions=(Condition("word", "one", None, is_excluded=True),))) == ["a"]
    assert find(KeywordQuery("", ("fo",))) == ["a"]
    assert find(KeywordQuery("quick", min_words=1.0, expansion=Synonyms.parse(["quick, rapid"]))) == ["a", "b"]


def test_unknown_words_are_those_of_no_document(store):
    store.write_documents([Document(id="a", content="ownership of dogs"), Document(id="b", content="catalogue")])
    assert store.look_up_words("ownershp of dgos") == (
        ["ownershp", "of", "dgos"],
        {(0, 8): ["ownership"], (12, 16): ["dogs"]},
    )
    store.delete_documents(["a"])
    assert store.look_up_words("ownershp") == (["ownershp"], {})
