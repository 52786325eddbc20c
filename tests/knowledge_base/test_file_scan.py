"""The files that a scan finds, and their paths."""

import os
from pathlib import Path

import pytest

from spaniel.errors import KnowledgeBaseError
from spaniel.knowledge_base.file_scan import IndexedFolder, scan_files
from tests.knowledge_base.folders import write


def paths(*places: Path, known: list[IndexedFolder] | None = None, taken: dict[str, Path] | None = None) -> list[str]:
    return list(scan_files(places, known or [], taken or {}).files)


def test_paths_are_relative_to_the_folder(tmp_path: Path) -> None:
    write(tmp_path / "docs", {"b.md": "", "a/c.rst": "", "README": "text"})
    assert paths(tmp_path / "docs") == ["README", "b.md", "a/c.rst"]


def test_hidden_and_generated_files_and_links_to_folders_are_left_out(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "", ".git/b.md": "", ".hidden.md": "", "node_modules/c.md": ""})
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "gone.md").symlink_to(tmp_path / "nowhere")
    assert paths(tmp_path) == ["a.md"]


def test_other_kinds_are_counted(tmp_path: Path) -> None:
    write(tmp_path, {"a.png": "", "b.PNG": "", "c.css.gz": "", "tool": b"\x7fELF\0\0"})
    assert scan_files([tmp_path], [], {}).passed_over == {".png": 2, ".css": 1, "no suffix": 1}


def test_utf_16_without_a_suffix_is_no_program(tmp_path: Path) -> None:
    write(tmp_path, {"README": "words".encode("utf-16")})
    assert paths(tmp_path) == ["README"]


def test_the_folder_of_the_knowledge_base_is_left_out(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "", "kb/b.md": ""})
    assert list(scan_files([tmp_path], [], {}, exclude=tmp_path / "kb").files) == ["a.md"]


@pytest.mark.parametrize("order", [["docs", "docs/sub", "docs/a.md"], ["docs/a.md", "docs/sub", "docs"]])
def test_a_folder_and_its_files_count_once(tmp_path: Path, order: list[str]) -> None:
    write(tmp_path / "docs", {"a.md": "", "sub/b.md": ""})
    assert paths(*(tmp_path / name for name in order)) == ["a.md", "sub/b.md"]


def test_a_subfolder_of_a_known_folder_keeps_its_paths(tmp_path: Path) -> None:
    write(tmp_path / "docs", {"sub/b.md": ""})
    assert paths(tmp_path / "docs/sub", known=[IndexedFolder(tmp_path / "docs")]) == ["sub/b.md"]


def test_a_known_folder_becomes_part_of_one_around_it(tmp_path: Path) -> None:
    write(tmp_path / "docs", {"sub/b.md": ""})
    found = scan_files(
        [tmp_path / "docs"], [IndexedFolder(tmp_path / "docs/sub")], {"b.md": tmp_path / "docs/sub/b.md"}
    )
    assert (list(found.files), found.folders) == (["sub/b.md"], [IndexedFolder(tmp_path / "docs")])


def test_the_second_folder_with_the_same_paths_gets_its_name_in_front(tmp_path: Path) -> None:
    one, two = write(tmp_path / "one", {"a.md": ""}), write(tmp_path / "two", {"a.md": "", "b.md": ""})
    assert paths(one, two) == ["a.md", "two/a.md", "two/b.md"]
    assert paths(two, known=[IndexedFolder(one)], taken={"a.md": one / "a.md"}) == ["two/a.md", "two/b.md"]


def test_a_prefix_never_meets_paths_that_are_there(tmp_path: Path) -> None:
    one = write(tmp_path / "one", {"a.md": "", "two/a.md": ""})
    two = write(tmp_path / "two", {"a.md": ""})
    assert paths(one, two) == ["a.md", "two/a.md", "two-2/a.md"]


def test_a_path_that_is_taken_later_on_is_a_failure_that_names_the_other_file(tmp_path: Path) -> None:
    one, two = write(tmp_path / "one", {"a.md": "", "b.md": ""}), write(tmp_path / "two", {"b.md": ""})
    found = scan_files([two], [IndexedFolder(one), IndexedFolder(two)], {"b.md": one / "b.md"})
    assert found.files == {}
    assert found.failed == {two / "b.md": f"its path 'b.md' belongs to {one / 'b.md'}; rename one of them"}


def test_a_path_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(KnowledgeBaseError, match=r"no file or folder '.*nowhere'\. Nothing was changed"):
        scan_files([tmp_path, tmp_path / "nowhere"], [], {})


def test_a_loop_of_links_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(KnowledgeBaseError, match="can't be read"):
        scan_files([tmp_path / "a"], [], {})


def test_an_inaccessible_folder_is_a_failure_and_its_files_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"a.md": "", "closed/b.md": ""})
    listed = os.scandir

    def refusing(path: str) -> object:
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", str(path))
        return listed(path)

    monkeypatch.setattr(os, "scandir", refusing)
    found = scan_files([tmp_path], [], {})
    assert (list(found.files), found.failed) == (
        ["a.md"],
        {tmp_path / "closed": "the folder can't be read: Permission denied"},
    )
    assert not found.covers(tmp_path / "closed/b.md")
    assert found.covers(tmp_path / "a.md")


def test_a_link_to_a_file_outside_the_folder_is_left_out_and_noted(tmp_path: Path) -> None:
    docs = write(tmp_path / "docs", {"a.md": "", "sub/b.md": "", "c.md": ""})
    write(tmp_path, {"secret.md": "", "docs-2/d.md": ""})
    for name, target in {"out.md": "secret.md", "sub/up.md": "docs-2/d.md", "sub/in.md": "docs/a.md"}.items():
        (docs / name).symlink_to(tmp_path / target)
    (docs / "picture.png").symlink_to(tmp_path / "secret.md")
    found = scan_files([docs], [], {})
    assert sorted(found.files) == ["a.md", "c.md", "sub/b.md", "sub/in.md"]
    assert found.links_outside == [docs / "out.md", docs / "sub/up.md"]
    assert (found.failed, found.passed_over) == ({}, {".png": 1})


def test_a_link_into_the_indexed_folder_stays_when_a_part_of_that_is_indexed(tmp_path: Path) -> None:
    docs = write(tmp_path / "docs", {"a.md": "", "sub/b.md": ""})
    (docs / "sub/in.md").symlink_to(docs / "a.md")
    assert paths(docs / "sub", known=[IndexedFolder(docs)]) == ["sub/b.md", "sub/in.md"]


def test_a_link_that_is_named_itself_is_followed(tmp_path: Path) -> None:
    write(tmp_path, {"docs/a.md": "", "b.md": ""})
    (tmp_path / "docs/link.md").symlink_to(tmp_path / "b.md")
    assert list(scan_files([tmp_path / "docs/link.md"], [], {}).files.values()) == [tmp_path / "b.md"]


def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": ""})
    os.mkfifo(tmp_path / "pipe.md")
    assert paths(tmp_path) == ["a.md"]
    with pytest.raises(KnowledgeBaseError, match="is neither a file nor a folder"):
        scan_files([tmp_path / "pipe.md"], [], {})


def test_a_scan_can_be_stopped(tmp_path: Path) -> None:
    assert scan_files([write(tmp_path, {"a.md": ""})], [], {}, is_stopped=lambda: True).files == {}
