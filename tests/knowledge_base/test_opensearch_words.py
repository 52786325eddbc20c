"""Words, fields and operators of a knowledge base on a real cluster, beside one in a folder."""

import asyncio

import pytest

import spaniel
from spaniel import KnowledgeBase
from spaniel.document_stores.opensearch import OpenSearchDocumentStore
from spaniel.document_stores.types.keyword_query import KeywordQuery
from spaniel.errors import KnowledgeBaseError
from spaniel.tracing.events import Matched
from tests.knowledge_base.clusters import kb, place, requests_of, url_of
from tests.knowledge_base.folders import write
from tools.opensearch.ask import ask

__all__ = ["kb", "place"]
pytestmark = pytest.mark.server

PAGES = {
    "guide/dogs.md": "# Dogs\n\nThe ownership of dogs. Dogs bark at getUserName in C++ and C#.\n\n## War\n\n"
    "An e-mail about ALLOWED_HOSTS, and the US economy of 3,000 cats.\n",
    "guide/cats.md": "# Cats\n\nA cat sleeps beside the café. The quick brown fox jumps over node.js.\n",
    "ref/fox.md": "# API\n\nCall `std::vector`. A quick fox, brown, in the .NET runtime.\n",
    "old/letter-installing.md": "# Letters\n\nMy email says that the U.S. army barks, and that hosts were allowed in.\n",
    "pets.jsonl": '{"id": "rex", "title": "Dogs of war", "text": "They growl.", "kind": "big pet"}\n'
    '{"id": "tom", "title": "A cat", "text": "It purrs.", "kind": "small"}\n',
}
GERMAN = {
    "garten.md": "# Gärten\n\nDie protestantischen Gärten der Stadt sind sehr schön, und der Hund bellt nicht. "
    "Das ist die Straße der Stadt, in der wir wohnen.\n"
}
CHINESE = {"book.md": "# 书\n\n这是一本关于中国历史的书。我们在北京的图书馆里读这本书，因为它很有意思。\n"}


@pytest.fixture(scope="module")
def both(opensearch_url, tmp_path_factory):
    """A knowledge base on a server, and one in a folder, of the same files."""
    base = tmp_path_factory.mktemp("both")
    folder = write(base / "files", PAGES | GERMAN | CHINESE)
    name = f"spaniel-test-{base.name}-{id(base):x}".lower()
    there, here = spaniel.open(url_of(opensearch_url, name)), spaniel.open(base / "kb")
    for each in (there, here):
        each.index(folder)
    yield there, here
    there.close()
    here.close()
    ask(opensearch_url, f"/{name},{name}-spaniel", "DELETE", seconds=60)


def places(kb: KnowledgeBase, query: str, **options: object) -> list[str]:
    return sorted({result.id for result in kb.search(query, **options)})


@pytest.mark.parametrize(
    "query",
    [
        "dog",
        "barking",
        "dogs of war",
        "letter installed",
        "getUserName",
        "user name",
        "C++",
        "C#",
        "email",
        "e-mail",
        "3000",
        "3,000",
        "allowed_hosts",
        "US economy",
        "U.S.",
        ".NET",
        "nodejs",
        "node.js",
        "cafe",
        "Garten",
        "STRASSE",
        "protestantisch",
        "中国",
        "历史",
        "图书馆",
        "what is ownership",
        "own*",
        "fox jum*",
        '"brown fox"',
        '"fox brown"',
        '"Dogs of war"',
        "+fox quick",
        "quick -sleeps",
        '-"brown fox" fox',
        "title:cats",
        "-title:dogs bark",
        "content:dogs",
        "path:guide",
        "path:guide fox",
        "-path:old barks",
        "kind:pet",
        'kind:"big pet"',
        "kind:sm*",
        "kind:sma",
        "file_name:installing",
        "std::vector 12:30",
        "nowhere:x fox",
    ],
)
def test_finds_the_passages_that_a_folder_finds(both, query: str) -> None:
    there, here = both
    assert places(there, query) == places(here, query)


def test_conditions_hold_for_the_words_that_a_folder_counts(both) -> None:
    there, here = both
    for options in ({"match": "all"}, {"min_words": 2}, {"min_words": 0.5}):
        assert places(there, "quick fox sleeps", **options) == places(here, "quick fox sleeps", **options)
    assert places(there, "hound", synonyms=["hound, dog"]) == places(here, "hound", synonyms=["hound, dog"]) != []
    assert places(there, "pooch", synonyms=["pooch => army dog"]) == places(
        here, "pooch", synonyms=["pooch => army dog"]
    )


def matched_words(kb: KnowledgeBase, query: str) -> dict[str, set[tuple[str, int, tuple[str, ...]]]]:
    """Return by document the words in it, with their frequency and their forms."""
    events = [event for event in kb.search(query).trace.events if isinstance(event, Matched)]
    return {
        event.about: {(term.term, term.frequency, tuple(sorted(term.forms))) for term in event.terms if term.frequency}
        for event in events
    }


@pytest.mark.parametrize("query", ["barking dog", "Garten", "installing letters", "getUserName", "中国", "own*"])
def test_words_and_forms_are_those_of_a_folder(both, query) -> None:
    there, here = (matched_words(each, query) for each in both)
    assert there == here


def test_highlights_are_by_form(both) -> None:
    found = both[0].search("barked")[0]
    assert {found.text[start:end].lower() for start, end in found.highlights} <= {"bark", "barks"}
    assert found.why[0].startswith("matches barked (bark")


def test_the_parts_of_a_score_add_up(both) -> None:
    results = both[0].search("dogs of war")
    matched = [event for event in results.trace.events if isinstance(event, Matched)]
    for event in matched:
        assert sum(term.score for term in event.terms) == pytest.approx(event.score)
    assert any(term.whole for event in matched for term in event.terms)


def test_titles_weigh_more_than_the_text(kb, tmp_path) -> None:
    rows = '{"id": "text", "title": "Cat", "text": "A dog"}\n{"id": "title", "title": "Dog", "text": "A cat"}\n'
    kb.index(write(tmp_path / "rows", {"rows.jsonl": rows}))
    assert [result.id for result in kb.search("dog")] == ["title", "text"]


def test_unknown_words_have_suggestions(both) -> None:
    results = both[0].search("ownershp of dgos")
    assert (results.suggestion, results.spellings) == (
        "ownership of dogs",
        {"ownershp": ["ownership"], "dgos": ["dogs"]},
    )
    assert {"guide/dogs.md", "pets.jsonl"} == {result.path for result in results if "dogs" in str(result.why)}
    assert both[0].search("barking ownership").suggestion is None
    assert both[0].search("xyzzyqq fox").suggestion is None


def test_matches_are_counted(both) -> None:
    there, here = both
    results = there.search("dogs cats fox", top_k=1)
    assert (results.total, results.total_is_exact) == (len(here.search("dogs cats fox", top_k=50, per_row=None)), True)
    assert there.search('"brown fox"', count=True).total == 1
    assert there.search("dogs", path="nothing/*").total == 0


def test_why_not_names_the_unmet_condition(both) -> None:
    (sleeping,) = places(both[0], "+sleeps fox")
    why_not = both[0].search("fox -sleeps").trace.why_not(sleeping)
    assert "-sleeps" in str(why_not)


def test_statistics_have_the_analyzer(both) -> None:
    there, here = (each.statistics().to_dict() for each in both)
    for name in ("analyzer", "languages", "fields"):
        assert there[name] == here[name]


def test_requests_of_a_search(kb, tmp_path, monkeypatch) -> None:
    kb.index(write(tmp_path / "files", PAGES))
    kb.search("dogs")
    sent = requests_of(kb.document_store, monkeypatch)
    kb.search("dogs bark")
    assert sent == ["POST _search"]
    sent.clear()
    kb.search("dgos bark")
    assert sent == ["POST _search", "POST _msearch", "POST _search"]


def test_stems_of_a_language_come_with_its_first_text(kb, tmp_path, place) -> None:
    folder = write(tmp_path / "files", PAGES)
    kb.index(folder)
    assert kb.document_store.word_fields().languages == ("english",)
    kb.index(write(folder, GERMAN))
    assert kb.document_store.word_fields().languages == ("english", "german")
    assert [result.path for result in kb.search("Garten")] == ["garten.md"]
    assert [result.path for result in spaniel.open(place).search("installed letter")] == ["old/letter-installing.md"]


@pytest.mark.parametrize(("analyzer", "finds"), [("german", True), ("code", False), ("standard", False)])
def test_a_named_analyzer_is_that_of_a_new_index(place, tmp_path, analyzer, finds) -> None:
    kb = spaniel.open(place, analyzer=analyzer, fields={})
    kb.index(write(tmp_path / "files", GERMAN))
    assert kb.exists
    assert bool(kb.search("protestantisch")) is finds
    assert kb.statistics().analyzer == (None if analyzer == "standard" else analyzer)
    kb.close()


def test_another_analyzer_is_an_error(kb, tmp_path, place) -> None:
    folder = write(tmp_path / "files", PAGES)
    kb.index(folder)
    for options in ({"analyzer": "german"}, {"fields": {"title": 3.0}}):
        other = spaniel.open(place, **options)
        with pytest.raises(
            KnowledgeBaseError, match=r"is indexed with .*, got .* Omit .*, or index into a new index\."
        ):
            other.search("dogs")
        with pytest.raises(KnowledgeBaseError, match=r"is indexed with"):
            other.index(folder)
        other.close()
    same = spaniel.open(place, analyzer="auto", fields={"title": 2, "section": 2, "file_name": 2})
    assert same.search("dogs")
    same.close()


def test_rejects_analyzers_that_a_server_lacks(place) -> None:
    with pytest.raises(KnowledgeBaseError, match=r"On a cluster the analyzer must be one of auto, .*, got 'klingon'\."):
        spaniel.open(place, analyzer="klingon")
    with pytest.raises(KnowledgeBaseError, match=r"the weights of fields must be at least 1, got \{'title': 0\.5\}\."):
        spaniel.open(place, fields={"title": 0.5})


def test_an_index_of_other_software_is_searched_as_before(opensearch_url, opensearch_index) -> None:
    with OpenSearchDocumentStore(hosts=opensearch_url, index=opensearch_index, embedding_dim=None) as store:
        store.write_documents(
            [spaniel.Document(id="a", content="dogs bark"), spaniel.Document(id="b", content="a dog")]
        )
    kb = spaniel.open(url_of(opensearch_url, opensearch_index))
    assert [result.id for result in kb.search("dog")] == ["b"]
    assert [result.id for result in kb.search('+"dogs bark"')] == ["a"]
    with pytest.raises(KnowledgeBaseError, match=r"takes no synonyms"):
        kb.search("dog", synonyms=["dog, hound"])
    kb.close()


def test_the_store_itself_searches_as_before(kb, tmp_path) -> None:
    kb.index(write(tmp_path / "files", PAGES))
    assert {document.meta["path"] for document in kb.document_store.bm25_retrieval("growl")} == {"pets.jsonl"}
    assert kb.document_store.bm25_retrieval("growling") == []
    assert (
        kb.document_store.filter_documents({"field": "meta.title", "operator": "==", "value": "A cat"})[0].id == "tom"
    )


def test_async_searches_find_the_same(both) -> None:
    store = both[0].document_store

    async def search() -> list[tuple[str, float | None]]:
        found = await store.word_retrieval_async(KeywordQuery("barking dogs"))
        await store.close_async()
        return [(document.id, document.score) for document in found.documents]

    found = store.word_retrieval(KeywordQuery("barking dogs")).documents
    assert asyncio.run(search()) == [(document.id, document.score) for document in found] != []


def test_a_server_without_combined_fields_searches_the_best_field(kb, tmp_path, monkeypatch) -> None:
    kb.index(write(tmp_path / "files", PAGES))
    kb.document_store._index.combines_fields = False
    assert {result.path for result in kb.search("barking dogs")} == {
        "guide/dogs.md",
        "old/letter-installing.md",
        "pets.jsonl",
    }


def test_a_query_of_many_words_keeps_the_rarest(kb, tmp_path, caplog) -> None:
    kb.index(write(tmp_path / "files", PAGES))
    query = " ".join(["sleeps", *(f"word{number}" for number in range(600))])
    assert [result.path for result in kb.search(query)] == ["guide/cats.md"]
    assert "more terms than the server takes" in caplog.text


def test_copies_keep_analyzer_and_fields(both, opensearch_url, opensearch_index, tmp_path) -> None:
    target = url_of(opensearch_url, opensearch_index)
    spaniel.copy(both[1].path, target)
    kb = spaniel.open(target)
    assert places(kb, "barking Garten") == places(both[1], "barking Garten")
    spaniel.copy(target, tmp_path / "back")
    back = spaniel.open(tmp_path / "back")
    assert back.statistics().fields == both[1].statistics().fields
    assert places(back, "barking Garten") == places(both[1], "barking Garten")
    kb.close()
