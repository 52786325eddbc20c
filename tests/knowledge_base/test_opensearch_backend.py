"""Knowledge bases on a real cluster: results, interrupted runs, and the number of requests."""

import contextlib
import json

import pytest

import spaniel
from spaniel import Document, KnowledgeBase, LocalDocumentStore
from spaniel.components.preprocessors import HierarchicalDocumentSplitter
from spaniel.components.retrievers import BM25Retriever
from spaniel.document_stores.opensearch import OpenSearchDocumentStore
from spaniel.errors import CopyDiffersError, KnowledgeBaseError, MissingDocumentError, StoreUnavailableError
from spaniel.knowledge_base import SearchOptions, opensearch_backend, retriever_for
from spaniel.tracing.events import Matched
from tests.knowledge_base.clusters import everything, kb, place, requests_of, url_of
from tests.knowledge_base.folders import GUIDE, write
from tests.knowledge_base.test_file_catalog import ROWS
from tools.opensearch.ask import ask

__all__ = ["kb", "place"]
pytestmark = pytest.mark.server


@pytest.fixture
def guide(tmp_path):
    return write(tmp_path / "guide", GUIDE | {"pets.jsonl": ROWS, "empty.md": ""})


def records(kb: KnowledgeBase) -> dict:
    return kb._catalog.backend.read_records()


def same_documents(kb: KnowledgeBase, folder, tmp_path) -> bool:
    """Return True if a knowledge base holds the same documents as a local one of the same files."""
    local = spaniel.open(tmp_path / "local")
    local.index(folder)
    there = {document.id: (document.content, document.meta) for document in kb.document_store.iterate()}
    return there == {id: (document.content, document.meta) for id, document in local.document_store.storage.items()}


def test_indexing_gives_the_same_documents_as_in_a_folder(kb, guide, tmp_path) -> None:
    report = kb.index(guide)
    assert (sorted(report.added), report.failed) == (
        ["empty.md", "more/deep.md", "pets.jsonl", "start.md", "tour.md"],
        {},
    )
    assert same_documents(kb, guide, tmp_path)
    assert kb.check() == []


def test_a_second_run_reads_changed_files(kb, guide, tmp_path, place) -> None:
    kb.index(guide)
    write(
        guide,
        {"tour.md": GUIDE["tour.md"] + "\n## Last steps\n\nClose it.\n", "pets.jsonl": ROWS.replace("tom", "kit")},
    )
    (guide / "more/deep.md").unlink()
    again = spaniel.open(place)
    report = again.index(guide)
    assert (sorted(report.changed), report.removed, report.unchanged) == (
        ["pets.jsonl", "tour.md"],
        ["more/deep.md"],
        2,
    )
    assert same_documents(kb, guide, tmp_path)
    again.close()


def test_searching_gives_passages_with_reasons(kb, guide) -> None:
    kb.index(guide)
    (first, *_) = kb.search("install with pip", follow=["links"])
    assert (first.path, first.kind) == ("start.md", "hit")
    assert first.why[0].startswith("matches ")
    assert "install ×1" in first.why[0]
    assert "pip ×1" in first.why[0]
    assert {result.kind for result in kb.search("install with pip", follow=["links"])} == {"hit", "linked"}


def test_filters_and_windows_work(kb, guide) -> None:
    kb.index(guide)
    only = {"field": "path", "operator": "starts with", "value": "more/"}
    assert [result.path for result in kb.search("postings", filters=only, window=1)] == ["more/deep.md"]
    assert [
        result.id for result in kb.search("purrs barks", filters={"field": "year", "operator": "==", "value": 2020})
    ] == ["rex"]


def test_rejects_unknown_fields(kb, guide) -> None:
    kb.index(guide)
    with pytest.raises(KnowledgeBaseError, match=r"No document has the field 'pth'\. Fields: anchor, .*colour, "):
        kb.search("x", filters={"field": "pth", "operator": "==", "value": 1})


def test_a_search_makes_one_request_a_stage(kb, guide, place, monkeypatch) -> None:
    kb.index(guide)
    with spaniel.open(place).document_store as store:
        opened = spaniel.open(place)
        sent = requests_of(opened.document_store, monkeypatch)
        beside = requests_of(opened._catalog.backend._records, monkeypatch)
        opened.search("install pip")
        assert sent == [
            "GET _count",
            "GET _mapping",
            "POST _search",  # whether there are vectors, once
            "POST _search",  # words with reasons
        ]
        sent.clear()
        opened.search("install pip", merge=True)
        assert sent == ["POST _search"] * 2  # and the parents
        sent.clear()
        opened.search("install pip", merge=True, fold=False)
        assert sent == ["POST _search"] * 3  # the place of parents, and the text of those that merged
        assert beside == ["GET _mapping", "POST _search"]  # the places of the files in the first results, once
        opened.close()
        assert store


def test_links_budgets_and_paths_make_the_requests_that_the_page_says(kb, guide, monkeypatch) -> None:
    kb.index(guide)
    kb.search("install pip", follow=["links"])
    sent = requests_of(kb.document_store, monkeypatch)

    def count_searches(**options: object) -> int:
        sent.clear()
        retriever_for(kb.document_store, SearchOptions(**options)).run("install pip")
        assert set(sent) <= {"POST _search"}
        return len(sent)

    assert count_searches() == 1
    assert count_searches(follow=["links"]) == 3
    assert count_searches(budget=400) == 1
    assert count_searches(budget=800, neighbours=1) == 2
    sent.clear()
    kb.search("install pip", budget=400, path="**/*.md")
    assert sent == ["POST _search"] * 2  # the second one for the section and the file around


def test_selections_are_those_of_all_hits(kb, guide) -> None:
    kb.index(guide)
    every = [(result.id, result.path) for result in kb.search("install first steps postings", top_k=50)]
    steps = kb.search("install first steps postings", path="tour.md", per_file=1)
    assert [result.id for result in steps] == [id for id, path in every if path == "tour.md"][:1]
    rest = kb.search("install first steps postings", not_path=["tour.md"], offset=1, top_k=1)
    assert [result.id for result in rest] == [id for id, path in every if path != "tour.md"][1:2]
    linked = kb.search("install pip", follow=["links"])
    assert [result.kind for result in linked] == ["hit", "linked"]
    assert linked[1].score == pytest.approx(0.3 * linked[0].score)
    around = kb.search("first steps", budget=400)[0].around
    assert [(whole.anchor, whole.tokens > 0) for whole in around][-1] == ("tour.md", True)


def test_the_reasons_are_those_that_the_server_gives(kb, guide, place) -> None:
    kb.index(guide)
    for query in ("install pip", "pip pip install", "the first step", "zzz pip"):
        with spaniel.open(place).document_store as store:
            plain = store.bm25_retrieval(query, top_k=40)
            explained = store.explain_bm25(query, [document.id for document in plain])
            store.query_terms(query)  # as a knowledge base asks first
            with spaniel.trace() as trace:
                traced = BM25Retriever(store).run(query, top_k=40)["documents"]
            assert [(each.id, each.score) for each in traced] == [(each.id, each.score) for each in plain]
            matched = {event.about: event.terms for event in trace.events if isinstance(event, Matched)}
        for id, terms in explained.items():
            own = {term.term: (term.frequency, pytest.approx(term.score)) for term in terms}
            assert {term.term: (term.frequency, term.score) for term in matched[id]} == own


def test_a_search_brings_no_text_that_is_not_shown(kb, tmp_path, monkeypatch) -> None:
    """Parents are looked at for many hits, and only those that merge are shown."""
    text = "".join(f"## Part {n}\n\n{'filler ' * 400} apple{n} pear\n\n{'other ' * 400}\n\n" for n in range(20))
    kb.index(write(tmp_path / "files", {f"{n}.md": f"# File {n}\n\n{text}" for n in range(5)}))
    received: list[int] = []
    send = kb.document_store._connection.send

    def measured(request):
        answer = send(request)
        if request.path.endswith("_search"):
            received.append(len(json.dumps(answer)))
        return answer

    kb.search("pear", merge=True, fold=False)
    monkeypatch.setattr(kb.document_store._connection, "send", measured)
    found = kb.search("pear apple3", merge=True, fold=False)
    assert len(found) == 10
    assert len(received) <= 3
    assert sum(received[1:]) < 70_000 + sum(len(result.text) for result in found if result.kind == "merged")


def test_finds_documents_by_reference(kb, guide) -> None:
    kb.index(guide)
    start = kb.find("start.md")
    assert kb.find(start.id) == kb.find(start.id[:20]) == start
    assert kb.find("tour.md#first-steps").meta["section"] == ["Tour", "First steps"]
    assert kb.find("pets.jsonl#rex").id == "rex"
    with pytest.raises(MissingDocumentError, match=r"Did you mean start\.md"):
        kb.find("starts.md")
    write(guide, {"more.jsonl": '{"id": "xx1", "text": "a"}\n{"id": "xx2", "text": "b"}\n'})
    kb.index(guide)
    with pytest.raises(KnowledgeBaseError, match=r"is the start of 2 ids"):
        kb.find("xx")


def test_a_row_whose_id_another_file_has_is_left_out(kb, guide, tmp_path) -> None:
    kb.index(guide)
    write(guide, {"zoo.jsonl": ROWS.replace("tom", "kit")})
    report = kb.index(guide)
    assert [row.reason for row in report.bad_rows["zoo.jsonl"].first] == ["id 'rex' already used by pets.jsonl"]
    assert same_documents(kb, guide, tmp_path)
    (guide / "pets.jsonl").unlink()
    kb.index(guide)
    assert kb.get("rex").meta["path"] == "zoo.jsonl"


def test_statistics_are_those_of_a_folder_but_for_words(kb, guide, tmp_path) -> None:
    kb.index(guide)
    local = spaniel.open(tmp_path / "local")
    local.index(guide)
    other = {"words": None, "terms": None, "bytes_on_disk": 0, "analyzer": None, "languages": {}, "fields": {}}
    assert kb.statistics().to_dict() | other == local.statistics().to_dict() | other
    assert kb.statistics().words is None


def test_deleting_takes_out_documents_and_record(kb, guide) -> None:
    kb.index(guide)
    assert kb.delete(path="more") == 2 or kb.find("more/deep.md")
    with pytest.raises(MissingDocumentError):
        kb.find("more/deep.md")
    assert "file more/deep.md" not in records(kb)
    assert kb.check() == []


def test_nothing_is_made_by_asking(kb) -> None:
    assert not kb.exists
    with pytest.raises(KnowledgeBaseError, match=r"Nothing is indexed at 'opensearch://.*' yet"):
        kb.search("x")
    assert not kb.document_store.exists()


def test_one_that_writes_keeps_others_from_it(kb, guide, place) -> None:
    other = spaniel.open(place)
    with (
        kb._catalog.changing(),
        pytest.raises(KnowledgeBaseError, match=r"is being changed by process \d+ of .* Wait until"),
    ):
        other.index(guide)
    assert other.index(guide).added
    assert sorted(kb.index(guide).added) == []
    other.close()


def test_sees_files_indexed_by_another_process(kb, guide, place) -> None:
    other = spaniel.open(place)
    assert not other.exists
    kb.index(guide)
    assert other.statistics().files == 5
    other.close()


@pytest.mark.parametrize("step", range(12))
def test_a_run_that_ends_at_any_request_claims_no_file_whose_documents_are_not_there(
    kb, guide, tmp_path, place, monkeypatch, step: int
) -> None:
    """Every request that changes something is once the last one; then the next run does the rest."""
    kb.index(guide)
    write(guide, {"tour.md": GUIDE["tour.md"].replace("walk", "run"), "pets.jsonl": ROWS.replace("tom", "kit")})
    (guide / "more/deep.md").unlink()
    dying = spaniel.open(place)
    left = [step]
    for store in (dying.document_store, dying._catalog.backend._records):
        die_after(store, left, monkeypatch)
    try:
        dying.index(guide)
    except KnowledgeBaseError:
        assert left[0] < 0
    monkeypatch.undo()
    dying.close()
    dying._catalog.backend._lease.release()
    found, there = records(kb), everything(place)
    for key, record in found.items():
        if key.startswith("file ") and not record.get("unfinished"):
            path = key.removeprefix("file ")
            assert sum(document.meta["path"] == path for document in there.values()) == record["documents"]
    kb.index(guide)
    assert same_documents(kb, guide, tmp_path)
    assert kb.check() == []


def die_after(store, left: list[int], monkeypatch) -> None:
    send = store._connection.send

    def dying(request):
        changes = request.path.endswith(("_bulk", "_delete_by_query"))
        left[0] -= changes
        if left[0] < 0:
            raise StoreUnavailableError("the cable is out")
        return send(request)

    monkeypatch.setattr(store._connection, "send", dying)
    monkeypatch.setattr(store._index.retry_policy, "seconds", 0.0)


def test_check_lists_unfinished_files_and_statistics_skip_them(kb, guide) -> None:
    kb.index(guide)
    backend = kb._catalog.backend
    record = records(kb)["file tour.md"]
    with kb._catalog.changing():
        backend.write_records({"file tour.md": record | {"unfinished": True}})
    assert kb.check() == ["'tour.md' is unfinished: a run that indexed it was ended. Index it again."]
    assert kb.statistics().files == 4
    assert kb.index(guide).changed == ["tour.md"]


def test_check_lists_lost_documents(kb, guide) -> None:
    kb.index(guide)
    kb.document_store.delete_documents([kb.find("start.md").id], refresh=True)
    (problem,) = kb.check()
    assert problem.startswith("'start.md' has ")
    assert problem.endswith("Index it again.")


def test_a_rejected_file_is_listed_and_tried_again(kb, guide, tmp_path) -> None:
    write(
        guide,
        {"a.jsonl": '{"id": "1", "text": "a", "size": {"cm": 5}}', "b.jsonl": '{"id": "2", "text": "b", "size": 5}'},
    )
    report = kb.index(guide)
    assert list(report.failed) == ["b.jsonl"]
    assert "the cluster refused" in report.failed["b.jsonl"]
    assert "document '2'" in report.failed["b.jsonl"]
    assert "a.jsonl" in report.added
    assert "b.jsonl" not in report.added
    write(guide, {"b.jsonl": '{"id": "2", "text": "b", "size": {"cm": 6}}'})
    assert kb.index(guide).changed == ["b.jsonl"]
    assert same_documents(kb, guide, tmp_path)


def test_files_are_sent_several_at_a_time(kb, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(opensearch_backend, "_MAX_PENDING_DOCUMENTS", 20)
    folder = write(tmp_path / "many", {f"{n:02}.md": f"# File {n}\n\nWords.\n" for n in range(30)})
    sent = requests_of(kb.document_store, monkeypatch)
    kb.index(folder)
    assert 1 < sent.count("POST _bulk") <= 5
    assert same_documents(kb, folder, tmp_path)


def test_records_can_be_read_by_anyone(kb, guide) -> None:
    kb.index(guide)
    assert json.loads(json.dumps(records(kb)))["file start.md"]["file"]["file"].endswith("guide/start.md")


def test_an_unreachable_cluster_fails_fast() -> None:
    with pytest.raises((KnowledgeBaseError, StoreUnavailableError), match=r"can't be reached"):
        spaniel.open("opensearch://127.0.0.1:9/docs").search("x")


def test_a_wrong_url_is_an_error_of_the_knowledge_base() -> None:
    with pytest.raises(KnowledgeBaseError, match=r"names no index. Write opensearch://HOST:9200/INDEX"):
        spaniel.open("opensearch://me:hush@localhost")


def test_an_id_that_is_too_long_is_named_and_the_other_rows_are_there(kb, tmp_path) -> None:
    rows = [{"id": f"r{n}", "text": f"row {n}"} for n in range(600)]
    rows[300]["id"] = "x" * 600
    folder = write(
        tmp_path / "rows", {"rows.jsonl": "\n".join(map(json.dumps, rows)), "note.md": "# Note\n\nApples.\n"}
    )
    report = kb.index(folder)
    assert list(report.failed) == ["rows.jsonl"]
    assert "its id has 600 bytes" in report.failed["rows.jsonl"]
    assert report.added == ["note.md"]
    assert len(kb.document_store.filter_documents({"field": "path", "operator": "==", "value": "rows.jsonl"})) == 599


def test_a_copy_names_an_id_that_is_too_long_and_copies_the_others(tmp_path, place) -> None:
    with LocalDocumentStore(tmp_path / "kb") as store:
        store.write_documents([Document(id=f"{n:03}") for n in range(50)] + [Document(id="x" * 600)])
    with pytest.raises(CopyDiffersError, match="was refused: its id has 600 bytes"):
        spaniel.copy(tmp_path / "kb", place)
    assert len(everything(place)) == 50


@pytest.mark.parametrize("name", ["Upper", "..", "x" * 250])
def test_a_name_that_no_index_may_have_leaves_nothing_behind(opensearch_url, guide, client_indices, name) -> None:
    before = client_indices()
    with pytest.raises(KnowledgeBaseError, match=r"name|URL"):
        spaniel.open(f"{opensearch_url.replace('http', 'opensearch')}/{name}").index(guide)
    assert not client_indices() - before


@pytest.fixture
def client_indices(opensearch_url):
    """Return the names of all indexes but those of tests, which others make meanwhile."""

    def names() -> set[str]:
        found = {each["index"] for each in ask(opensearch_url, "/_cat/indices?format=json")}
        return {name for name in found if not name.startswith("spaniel-test-")}

    return names


def test_a_yellow_index_is_a_warning_and_no_damage(opensearch_url, opensearch_index, guide, caplog) -> None:
    kb = spaniel.open(url_of(opensearch_url, opensearch_index, "shards=1&replicas=1"))
    kb.index(guide)
    assert kb.check() == []
    assert "is yellow" in caplog.text
    kb.close()


def test_a_block_ends_indexing_once_and_is_named(kb, guide, opensearch_index, monkeypatch) -> None:
    kb.index(guide)
    monkeypatch.setattr(kb.document_store._index.retry_policy, "seconds", 0.5)
    write(guide, {"start.md": "# Start\n\nNew words.\n"})
    block = "read_only_allow_delete"
    client = kb.document_store._connection.client
    client.indices.put_settings(index=opensearch_index, body={f"index.blocks.{block}": True})
    try:
        with pytest.raises(KnowledgeBaseError, match=r"The disks of the cluster are too full") as caught:
            kb.index(guide)
        assert "not deleted" not in str(caught.value)
    finally:
        client.indices.put_settings(index=opensearch_index, body={f"index.blocks.{block}": None})
    assert kb.index(guide).changed == ["start.md"]


def test_leaves_of_a_hierarchy_that_haystack_wrote_are_found(opensearch_url, opensearch_index, place) -> None:
    tree = HierarchicalDocumentSplitter(block_sizes={20, 5}, split_overlap=0).run(
        [Document(content=" ".join(f"word{n}" for n in range(60)))]
    )["documents"]
    with OpenSearchDocumentStore(hosts=opensearch_url, index=opensearch_index, embedding_dim=None) as store:
        store.write_documents(tree, refresh=True)
    kb = spaniel.open(place)
    for found in kb.search("word7 word33", merge=False):
        assert not found.document.meta["__children_ids"]
    kb.close()


def test_records_that_were_deleted_are_kept_in_an_index_of_their_mapping_again(kb, guide, opensearch_index) -> None:
    kb.index(guide)
    client = kb.document_store._connection.client
    client.indices.delete(index=f"{opensearch_index}-spaniel")
    kb.index(guide)
    mapping = client.indices.get_mapping(index=f"{opensearch_index}-spaniel")[f"{opensearch_index}-spaniel"]["mappings"]
    assert mapping["dynamic"] == "false"
    assert kb.check() == []


def test_requests_of_a_search_of_an_index_with_another_content_field(opensearch_url, opensearch_index) -> None:
    with OpenSearchDocumentStore(hosts=opensearch_url, index=opensearch_index) as store:
        client = store._connection.client
        for id, body in {"a": "red apple", "b": "green pear"}.items():
            client.index(
                index=opensearch_index, id=id, body={"body": body, "path": f"{id}.md"}, params={"refresh": "true"}
            )
    kb = spaniel.open(url_of(opensearch_url, opensearch_index, "content_field=body&embedding_dim=none"))
    assert [(result.id, result.text, result.why) for result in kb.search("apple")] == [
        ("a", "red apple", (f"matches apple ×1 ({kb.search('apple')[0].score:.2f})",))
    ]
    assert "body" not in kb.document_store.get_metadata_fields_info()
    kb.close()


@pytest.mark.parametrize(
    ("query", "options", "expected"),
    [
        ('"a short walk"', {}, ["tour.md"]),
        ('"short a walk"', {}, []),
        ("install -pip", {}, []),
        ("read open -knowledge", {}, ["tour.md"]),
        ("+postings install", {}, ["more/deep.md"]),
        ("postin*", {}, ["more/deep.md"]),
        ("+postin* -segm*", {}, []),
        ("short walk install", {"match": "all"}, []),
        ("short walk install", {"min_words": 2}, ["tour.md"]),
        ("$filters $query postings", {}, ["more/deep.md"]),
        ("+filters", {}, []),
        ("std::postings 12:30 nowhere:tour", {}, ["more/deep.md", "start.md", "tour.md"]),
        ("std::postings 12:30 path:deep", {}, ["more/deep.md"]),
    ],
)
def test_operators_are_queries_of_the_server(kb, guide, query, options, expected) -> None:
    kb.index(guide)
    assert sorted({result.path for result in kb.search(query, **options)}) == expected


def test_results_files_links_and_lines_are_those_of_a_folder(kb, tmp_path) -> None:
    text = "# Start\n\nInstall it.\n\n## End\n\nSee [tour](tuor.txt) and [end](#end).\n"
    folder = write(tmp_path / "docs", {"start.txt": text, "tour.txt": "# Tour\n", "pets.jsonl": ROWS})
    local = spaniel.open(tmp_path / "local")
    for each in (kb, local):
        each.index(folder)
    for query in ("install", "tour", "cats"):
        places = [[(it.id, it.file, it.line, it.end_line) for it in each.search(query)] for each in (kb, local)]
        assert places[0] == places[1]
    assert kb.files() == local.files()
    assert kb.links() == local.links()
    assert kb.links(broken=True) == local.links(broken=True)
    assert kb.links("start.txt#end") == local.links("start.txt#end")
    assert kb.find("start.txt:7").id == local.find("start.txt:7").id
    assert kb.complete("start.txt:") == local.complete("start.txt:")


def test_a_search_reads_the_records_of_new_files_alone(kb, guide, place, monkeypatch) -> None:
    kb.index(guide)
    with contextlib.closing(spaniel.open(place)) as opened:
        beside = requests_of(opened._catalog.backend._records, monkeypatch)
        file = opened.search("install pip", top_k=1)[0].file
        asked = len(beside)
        assert (file, opened.search("install pip", top_k=1)[0].file) == (str(guide / "start.md"),) * 2
        assert (asked, len(beside)) == (2, 2)
