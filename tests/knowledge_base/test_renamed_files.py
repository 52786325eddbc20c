"""Files whose paths change, as a folder around them is indexed: the old ones go when the new ones
are there.
"""

import pytest

import spaniel
from spaniel.knowledge_base import file_catalog
from tests.knowledge_base.clusters import kb as on_cluster
from tests.knowledge_base.clusters import place
from tests.knowledge_base.folders import write

__all__ = ["on_cluster", "place"]

ROWS = '{"id": "rex", "text": "Rex barks."}\n{"id": "tom", "text": "Tom purrs."}\n'


@pytest.fixture(params=["folder", pytest.param("cluster", marks=pytest.mark.server)])
def kb(request, tmp_path):
    return request.getfixturevalue("on_cluster") if request.param == "cluster" else spaniel.open(tmp_path / "kb")


@pytest.fixture
def files(tmp_path):
    return write(
        tmp_path / "all", {"in/note.md": "# Note\n\nApples.\n", "in/pets.jsonl": ROWS, "more.md": "# More\n\nPears.\n"}
    )


def paths(kb):
    kb.document_store.refresh() if hasattr(kb.document_store, "refresh") else None
    return {document.meta["path"] for document in kb.document_store.iterate()}


def test_files_have_their_new_paths_and_only_these(kb, files) -> None:
    kb.index(files / "in")
    assert paths(kb) == {"note.md", "pets.jsonl"}
    report = kb.index(files)
    assert (sorted(report.added), report.removed, report.bad_rows) == (
        ["in/note.md", "in/pets.jsonl", "more.md"],
        [],
        {},
    )
    assert paths(kb) == {"in/note.md", "in/pets.jsonl", "more.md"}
    assert kb.get("rex").meta["path"] == "in/pets.jsonl"
    assert kb.index(files).unchanged == 3


def test_the_index_is_never_empty(kb, files, monkeypatch) -> None:
    kb.index(files / "in")
    remove, there = file_catalog.FileCatalog.remove, []

    def noted(self, path):
        self.flush()
        there.append(paths(kb))
        return remove(self, path)

    monkeypatch.setattr(file_catalog.FileCatalog, "remove", noted)
    kb.index(files)
    assert len(there) == 2
    assert all({"in/note.md", "in/pets.jsonl", "more.md"} <= each for each in there)


def test_a_file_that_cannot_be_read_under_its_new_path_stays_under_its_old_one(kb, files, monkeypatch) -> None:
    kb.index(files / "in")
    (files / "in/note.md").write_bytes(b"\xff\xfe\x00\xd8 broken")
    report = kb.index(files)
    assert ("in/note.md" in report.failed) == ("note.md" in paths(kb))


def test_a_path_that_another_file_takes_is_that_files(kb, tmp_path) -> None:
    folder = write(tmp_path / "all", {"in/note.md": "# Inner\n\nApples.\n"})
    kb.index(folder / "in")
    write(folder, {"note.md": "# Outer\n\nPears.\n"})
    kb.index(folder)
    assert paths(kb) == {"in/note.md", "note.md"}
    assert [result.path for result in kb.search("apples")] == ["in/note.md"]
    assert [result.path for result in kb.search("pears")] == ["note.md"]
