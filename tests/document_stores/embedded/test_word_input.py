"""Odd input of stores that score words: settings, metadata, tokens and queries."""

import re
from typing import Any

import numpy as np
import pytest

from spaniel import Document
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.document_stores.local import LocalDocumentStore


def make_store(*documents: Document, **options: Any) -> InMemoryDocumentStore:
    store = InMemoryDocumentStore(**{"analyzer": "auto", "fields": {"title": 2.0}, **options})
    store.write_documents(documents)
    return store


def find(store: InMemoryDocumentStore, query: str) -> list[str]:
    return [document.id for document in store.bm25_retrieval(query)]


@pytest.mark.parametrize("number", [*range(9), *range(14, 17)])
def test_a_token_that_begins_with_a_control_character_is_a_word_of_its_field(number: int) -> None:
    mark = chr(number)
    store = make_store(
        Document(id="content", content=f"{mark}dog"),
        Document(id="title", content="", meta={"title": f"{mark}dog"}),
        Document(id="plain", content="dog", meta={"__root_id": "dog", "title": "cat"}),
        analyzer=str.split,
    )
    assert sorted(find(store, f"{mark}dog")) == ["content", "title"]
    assert find(store, "dog") == ["plain"]
    assert store.search_statistics() == {"documents": 3, "tokens": 2, "vocabulary": 2}


def test_a_token_is_no_label_of_a_language_or_a_root() -> None:
    store = make_store(Document(id="1", content="\x0fgerman \x0eroot"), analyzer=str.split)
    alone = make_store(Document(id="1", content="german root"), analyzer=str.split)
    assert store.bm25_retrieval("\x0fgerman")[0].score == alone.bm25_retrieval("german")[0].score


@pytest.mark.parametrize("value", [None, 3, 2.5, True, {"a": "dog"}, [["dog"], {"a": "dog"}], "", [], np.array([1, 2])])
def test_values_that_are_not_text_are_not_searched(value: object) -> None:
    meta = {"title": value, "__language": value, "__root_id": value}
    assert find(make_store(Document(id="1", content="cat", meta=meta)), "dog 3 2.5 a True") == []


def test_the_texts_in_a_list_are_searched() -> None:
    assert find(make_store(Document(id="1", content="", meta={"title": ["cat", None, "dog"]})), "dog") == ["1"]


def test_a_name_of_a_field_may_have_dots() -> None:
    documents = [
        Document(id="nested", content="", meta={"a": {"b": "dog"}}),
        Document(id="plain", content="", meta={"a.b": "dog"}),
        Document(id="neither", content="", meta={"a": "dog", "b": "dog"}),
    ]
    assert sorted(find(make_store(*documents, fields={"a.b": 2.0}), "dog")) == ["nested", "plain"]


def test_roots_that_differ_in_lone_surrogates_are_different_documents() -> None:
    def scores(*roots: str) -> list[float | None]:
        parts = [Document(id=str(at), content="dog " * at, meta={"__root_id": root}) for at, root in enumerate(roots)]
        return [each.score for each in make_store(*parts).bm25_retrieval("dog")]

    assert scores("\ud800", "\ud801", "\ufffd") == scores("a", "b", "c") != scores("a", "a", "a")


@pytest.mark.parametrize("query", [" ", "?!", "\ud800", "\x00", "\x01", "the of and", "y" * 100_000])
def test_a_query_without_a_known_word_finds_nothing(query: str) -> None:
    store = make_store(Document(content="cats", meta={"title": "y" * 1000}))
    assert find(store, query) == []
    assert store.explain_bm25(query, store.storage) == dict.fromkeys(store.storage, ())


def test_a_query_of_stop_words_finds_them() -> None:
    assert find(make_store(Document(id="1", content="to be or not to be")), "to be or not to be") == ["1"]


def test_a_query_of_thousands_of_words_equals_a_short_one() -> None:
    store = make_store(*(Document(id=str(number), content=f"w{number}") for number in range(50)))
    expected = [(each.id, each.score) for each in store.bm25_retrieval("w7 w8")]
    padding = " ".join(f"x{number}" for number in range(3000))
    assert [(each.id, each.score) for each in store.bm25_retrieval(f"w7 w8 {padding}")] == expected


@pytest.mark.parametrize("parameters", [{"k1": 0}, {"b": 1.5}, {"whole": -1}, {"forms": 2}, {"near": -0.1}, {"k3": -1}])
def test_parameters_out_of_range_are_refused(parameters: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(parameters))} must be from"):
        make_store(bm25_parameters=parameters)


@pytest.mark.parametrize("weight", [0, -1, 1e7, float("nan"), float("inf"), True, "2"])
def test_weights_out_of_range_are_refused(weight: Any) -> None:
    with pytest.raises(ValueError, match=r"fields\['title'\] must be"):
        make_store(fields={"title": weight})


def test_a_pattern_of_bytes_is_refused(tmp_path: Any) -> None:
    for make in (InMemoryDocumentStore, lambda **options: LocalDocumentStore(tmp_path / "store", **options)):
        with pytest.raises(ValueError, match="not of bytes"):
            make(analyzer=re.compile(rb"\w+"))
    assert not (tmp_path / "store").exists()
