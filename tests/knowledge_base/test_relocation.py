"""Knowledge bases that are moved or copied with the files that they index, or without them."""

import shutil
from pathlib import Path

import pytest

import spaniel
from tests.knowledge_base.folders import write


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a knowledge base beside the folder that it indexes."""
    home = tmp_path / "project"
    write(home / "docs", {"a.txt": "red apples", "more/b.txt": "green pears"})
    kb = spaniel.open(home / ".spaniel")
    kb.index(home / "docs")
    kb.close()
    return home


def list_places(place: Path) -> list[str]:
    return [file.file for file in spaniel.open(place).files()]


@pytest.mark.parametrize("transfer", [shutil.move, shutil.copytree])
def test_files_that_come_along_are_found_at_their_new_place(project: Path, tmp_path: Path, transfer) -> None:
    transfer(project, tmp_path / "new")
    kb = spaniel.open(tmp_path / "new/.spaniel")
    docs = tmp_path / "new/docs"
    assert [file.file for file in kb.files()] == [str(docs / "a.txt"), str(docs / "more/b.txt")]
    assert kb.search("pears")[0].file == str(docs / "more/b.txt")
    assert kb.statistics().folders == [str(docs)]


def test_an_update_at_the_new_place_reads_changed_files_alone(project: Path, tmp_path: Path) -> None:
    shutil.move(project, tmp_path / "new")
    write(tmp_path / "new/docs", {"a.txt": "yellow apples"})
    kb = spaniel.open(tmp_path / "new/.spaniel")
    report = kb.index(tmp_path / "new/docs")
    assert (report.added, report.changed, report.removed, report.unchanged) == ([], ["a.txt"], [], 1)
    kb.close()
    shutil.move(tmp_path / "new/.spaniel", tmp_path / "alone")  # its records have the new places by now
    assert list_places(tmp_path / "alone")[1] == str(tmp_path / "new/docs/more/b.txt")


def test_a_knowledge_base_within_its_folder_moves_with_it(tmp_path: Path) -> None:
    write(tmp_path / "old", {"a.txt": "red apples"})
    kb = spaniel.open(tmp_path / "old/.spaniel")
    kb.index(tmp_path / "old")
    kb.close()
    shutil.move(tmp_path / "old", tmp_path / "new")
    assert list_places(tmp_path / "new/.spaniel") == [str(tmp_path / "new/a.txt")]


def test_a_knowledge_base_that_moves_alone_keeps_the_places(project: Path, tmp_path: Path) -> None:
    before = list_places(project / ".spaniel")
    shutil.move(project / ".spaniel", tmp_path / "elsewhere")
    assert list_places(tmp_path / "elsewhere") == before
    assert spaniel.open(tmp_path / "elsewhere").index(project / "docs").unchanged == 2


def test_a_copy_to_another_knowledge_base_keeps_the_places(project: Path, tmp_path: Path) -> None:
    from spaniel.knowledge_base import copy

    write(tmp_path / "other/docs", {"a.txt": "other"})
    copy(project / ".spaniel", tmp_path / "other/.spaniel")
    assert list_places(tmp_path / "other/.spaniel") == list_places(project / ".spaniel")
