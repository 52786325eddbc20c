"""Stores copied to other places: folders here, and a real cluster."""

import numpy as np
import pytest

import spaniel
from spaniel import Document, LocalDocumentStore
from spaniel.document_stores.types import DuplicatePolicy
from spaniel.document_stores.urls import open_store
from spaniel.errors import CopyDiffersError, DocumentStoreError, KnowledgeBaseError
from spaniel.knowledge_base import copy, endpoint, transfer
from spaniel.knowledge_base.endpoint import COPY, FolderEndpoint
from tests.knowledge_base.clusters import everything, place
from tests.knowledge_base.folders import GUIDE, write

__all__ = ["place"]


def documents(count: int = 25, size: int = 3) -> list[Document]:
    numbers = np.random.default_rng(1).normal(size=(count, size))
    return [
        Document(
            id=f"d{n:03}",
            content=f"Apple number {n}.",
            meta={
                "n": n,
                "half": n / 3,
                "tags": ["a", str(n)],
                "none": None,
                "deep": {"x": ["y", "z"]},
                "empty": [],
            },
            embedding=vector.tolist() if n % 5 else None,
        )
        for n, vector in enumerate(numbers)
    ]


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "source"
    with LocalDocumentStore(path, search="all") as store:
        store.write_documents(documents())
    return path


def held(path) -> dict[str, Document]:
    with LocalDocumentStore(path) as store:
        return dict(store.storage)


@pytest.fixture(params=["folder", pytest.param("cluster", marks=pytest.mark.server)])
def target(request, tmp_path):
    """A place that holds nothing yet."""
    return tmp_path / "target" if request.param == "folder" else request.getfixturevalue("place")


def all_of(target) -> dict[str, Document]:
    return everything(target) if isinstance(target, str) else held(target)


def put(target, *more: Document) -> None:
    store = open_store(f"{target}&embedding_dim=3") if isinstance(target, str) else LocalDocumentStore(target)
    with store:
        store.write_documents(list(more), policy=DuplicatePolicy.OVERWRITE)


def in_steps_of(monkeypatch, size: int) -> None:
    monkeypatch.setattr(transfer, "_STEP_DOCUMENTS", size)


def test_a_copy_holds_the_same_documents(source, target) -> None:
    report = copy(source, target)
    assert (report.documents, report.written, report.interrupted) == (25, 25, False)
    assert set(all_of(target)) == set(held(source))
    meta = {id: document.meta for id, document in all_of(target).items()}
    assert meta == {document.id: document.meta for document in documents()}


def test_a_copy_to_a_folder_keeps_embeddings_to_the_last_digit(source, tmp_path) -> None:
    copy(source, tmp_path / "target")
    assert held(tmp_path / "target") == held(source)


def test_there_and_back_again_embeddings_are_as_an_index_keeps_them(source, place, tmp_path) -> None:
    there = copy(source, place)
    back = copy(place, tmp_path / "back")
    assert there.checksum == back.checksum
    for id, document in held(tmp_path / "back").items():
        before = held(source)[id]
        rounded = None if before.embedding is None else np.array(before.embedding, np.float32).tolist()
        assert document == before.independent_copy(embedding=rounded)


def test_a_target_is_made_like_the_source(source, place) -> None:
    copy(source, place)
    with open_store(place) as store:
        assert store.vector_size() == 3
        vector = documents()[7].embedding
        assert store.embedding_retrieval(vector, top_k=1)[0].id == "d007"


def test_kept_parents_are_copied_and_still_not_searched(tmp_path, target) -> None:
    with LocalDocumentStore(tmp_path / "tree", search="leaves") as store:
        parent = Document(id="p", content="Whole apple", meta={"__children_ids": ["c"]}, embedding=[1.0, 2.0, 3.0])
        store.write_documents([parent, Document(id="c", content="Apple part")])
    copy(tmp_path / "tree", target)
    assert all_of(target)["p"].embedding == [1.0, 2.0, 3.0]
    with open_store(target) if isinstance(target, str) else LocalDocumentStore(target) as store:
        assert [document.id for document in store.bm25_retrieval("apple")] == ["c"]


def test_a_target_that_holds_documents_is_refused(source, target) -> None:
    put(target, Document(id="other", content="Pear"))
    with pytest.raises(
        KnowledgeBaseError, match=r"holds 1 documents already. Nothing was changed. --overwrite deletes"
    ):
        copy(source, target)
    assert set(all_of(target)) == {"other"}


def test_a_restart_of_nothing_does_not_mix(source, target) -> None:
    put(target, Document(id="other", content="Pear"))
    with pytest.raises(KnowledgeBaseError, match=r"holds 1 documents already"):
        copy(source, target, restart=True)


def test_documents_of_the_target_are_deleted_or_added_to(source, target) -> None:
    put(target, Document(id="other", content="Pear"), Document(id="d001", content="Old"))
    copy(source, target, into_existing=True)
    assert set(all_of(target)) == {"other", *held(source)}
    assert all_of(target)["d001"].content == "Apple number 1."
    assert copy(source, target, overwrite=True).documents == 25
    assert set(all_of(target)) == set(held(source))


def test_a_copy_that_fails_goes_on_where_it_was(source, target, monkeypatch) -> None:
    in_steps_of(monkeypatch, 5)
    fail_after(monkeypatch, 3)
    with pytest.raises(KnowledgeBaseError, match=r"the cable is out Run the same copy again to resume it\."):
        copy(source, target)
    assert 0 < len(all_of(target)) < 25
    monkeypatch.undo()
    report = copy(source, target)
    assert (report.documents, report.before, report.written) == (25, 15, 10)
    assert COPY not in records_of(target)


def test_a_copy_of_a_changed_source_starts_again(source, target, monkeypatch) -> None:
    in_steps_of(monkeypatch, 5)
    fail_after(monkeypatch, 3)
    with pytest.raises(KnowledgeBaseError):
        copy(source, target)
    monkeypatch.undo()
    put(source, Document(id="d001", content="Changed"))
    report = copy(source, target)
    assert (report.before, report.written) == (0, 25)
    assert all_of(target)["d001"].content == "Changed"


def test_a_document_deleted_meanwhile_is_listed_and_a_restart_helps(source, target, monkeypatch) -> None:
    in_steps_of(monkeypatch, 5)
    fail_after(monkeypatch, 3)
    with pytest.raises(KnowledgeBaseError):
        copy(source, target)
    monkeypatch.undo()
    with LocalDocumentStore(source) as store:
        store.delete_documents(["d001"])
    with pytest.raises(
        CopyDiffersError, match=r"1 of 24 documents .* 'd001' is in the target only. .* --restart"
    ) as caught:
        copy(source, target)
    assert caught.value.ids == ["d001"]
    assert copy(source, target, restart=True).documents == 24
    assert set(all_of(target)) == set(held(source))


def test_an_unfinished_copy_of_another_source_is_refused(source, target, monkeypatch, tmp_path) -> None:
    in_steps_of(monkeypatch, 5)
    fail_after(monkeypatch, 3)
    with pytest.raises(KnowledgeBaseError):
        copy(source, target)
    monkeypatch.undo()
    put(tmp_path / "elsewhere", Document(id="x"))
    with pytest.raises(KnowledgeBaseError, match=r"holds 15 documents already"):
        copy(tmp_path / "elsewhere", target)


@pytest.mark.parametrize("to_cluster", [False, pytest.param(True, marks=pytest.mark.server)])
def test_altered_documents_are_listed(to_cluster, source, tmp_path, request, monkeypatch) -> None:
    target = request.getfixturevalue("place") if to_cluster else tmp_path / "target"
    end = endpoint.OpenSearchEndpoint if to_cluster else FolderEndpoint
    add = end.add
    spoil = {"d003": {"content": "Pear"}, "d007": {"meta": {}}}
    monkeypatch.setattr(
        end,
        "add",
        lambda self, some, state: add(self, (each.independent_copy(**spoil.get(each.id, {})) for each in some), state),
    )
    with pytest.raises(
        CopyDiffersError, match=r"2 of 25 documents .*: 'd003' its content differs; 'd007' its metadata differs"
    ):
        copy(source, target)


def test_a_rejected_document_is_listed_with_the_reason_and_the_others_are_copied(tmp_path, place) -> None:
    put(
        tmp_path / "source",
        Document(id="a", meta={"size": {"cm": 5}}),
        *documents(3),
        Document(id="z", meta={"size": 5}),
    )
    with pytest.raises(CopyDiffersError, match=r"1 of 5 documents .*: 'z' was refused: .*size") as caught:
        copy(tmp_path / "source", place)
    assert caught.value.ids == ["z"]
    assert set(everything(place)) == {"a", "d000", "d001", "d002"}


def test_reports_progress(source, target) -> None:
    seen = []
    copy(source, target, progress=seen.append)
    assert [(each.step, each.documents, each.total) for each in (seen[0], seen[-1])] == [
        ("copy", 1, 25),
        ("verify", 25, 25),
    ]


def test_rejects_a_missing_source(tmp_path, target) -> None:
    with pytest.raises(KnowledgeBaseError, match=r"There is no store at '.*nothing' to be copied"):
        copy(tmp_path / "nothing", tmp_path / "target")
    with pytest.raises(KnowledgeBaseError, match=r"to be copied"):
        copy(target, tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_a_place_is_not_copied_to_itself(source, target) -> None:
    copy(source, target)
    with pytest.raises(KnowledgeBaseError, match=r"can't be copied to itself"):
        copy(target, target, overwrite=True)
    assert len(all_of(target)) == 25


def test_a_knowledge_base_is_one_at_the_other_place(tmp_path, target) -> None:
    folder = write(tmp_path / "guide", GUIDE)
    first = spaniel.open(tmp_path / "kb")
    first.index(folder)
    copy(tmp_path / "kb", target)
    second = spaniel.open(target)
    assert second.index(folder).unchanged == 3
    other = {"bytes_on_disk": 0, "words": 0, "terms": 0, "analyzer": None, "languages": {}, "fields": {}}
    assert second.statistics().to_dict() | other == first.statistics().to_dict() | other
    assert second.check() == []
    second.close()


def test_records_come_last(source, target, monkeypatch) -> None:
    """So a copy that is ended claims no file whose documents are not there."""
    with LocalDocumentStore(source) as store:
        store.records["file a.md"] = {"x": 1}
    in_steps_of(monkeypatch, 5)
    fail_after(monkeypatch, 3)
    with pytest.raises(KnowledgeBaseError):
        copy(source, target)
    assert set(records_of(target)) == {COPY}
    monkeypatch.undo()
    copy(source, target)
    assert records_of(target) == {"file a.md": {"x": 1}}


def records_of(target) -> dict:
    end = endpoint.open_endpoint(target)
    try:
        return end.read_records()
    finally:
        end.close()


def fail_after(monkeypatch, steps: int) -> None:
    """Let a copy fail after a number of steps."""
    for end in (endpoint.FolderEndpoint, endpoint.OpenSearchEndpoint):
        add, done = end.add, []

        def failing(self, some, state, add=add, done=done) -> dict[str, str]:
            if len(done) == steps:
                raise DocumentStoreError("the cable is out")
            done.append(add(self, some, state))
            return {}

        monkeypatch.setattr(end, "add", failing)
