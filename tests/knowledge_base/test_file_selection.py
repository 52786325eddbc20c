"""Patterns, `.gitignore` files and kinds of an indexed folder."""

import shutil
import subprocess
from pathlib import Path

import pytest

import spaniel
from spaniel import KnowledgeBase
from spaniel.errors import KnowledgeBaseError
from tests.knowledge_base.folders import write

GIT = shutil.which("git") or ""
FILES = {"a.md": "apples", "b.txt": "bees", "docs/c.md": "cats", "docs/old/d.md": "dogs", "build/e.md": "eels"}


@pytest.fixture
def kb(tmp_path: Path) -> KnowledgeBase:
    return spaniel.open(tmp_path / "kb")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "all", FILES)


def paths(kb: KnowledgeBase) -> list[str]:
    return sorted(kb._catalog.files)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"include": ["*.md"]}, ["a.md", "build/e.md", "docs/c.md", "docs/old/d.md"]),
        ({"include": ["docs/"]}, ["docs/c.md", "docs/old/d.md"]),
        ({"include": ["/*.md", "*.txt"]}, ["a.md", "b.txt"]),
        ({"exclude": ["build", "old/"]}, ["a.md", "b.txt", "docs/c.md"]),
        ({"exclude": ["*.md", "!a.md"]}, ["a.md", "b.txt"]),
        ({"include": ["docs/**/*.md"], "exclude": ["docs/old"]}, ["docs/c.md"]),
        ({"include": "b.txt"}, ["b.txt"]),
    ],
)
def test_patterns_select_files(kb: KnowledgeBase, folder: Path, options: dict, expected: list[str]) -> None:
    kb.index(folder, **options)
    assert paths(kb) == expected


def test_options_are_recorded_and_replaced_one_by_one(kb: KnowledgeBase, folder: Path) -> None:
    kb.index(folder, include=["*.md"], exclude=["build"])
    assert spaniel.open(kb.path).index(folder).unchanged == 3
    write(folder, {"new.txt": "newts", "build/new.md": "newts"})
    assert kb.index(folder).added == []
    report = kb.index(folder, exclude=[""])
    assert (sorted(report.added), report.ignored) == (["build/e.md", "build/new.md"], 2)
    assert kb.index(folder, include=["*.txt"]).removed == [
        "a.md",
        "build/e.md",
        "build/new.md",
        "docs/c.md",
        "docs/old/d.md",
    ]


def test_options_of_a_part_are_those_of_the_indexed_folder(kb: KnowledgeBase, folder: Path) -> None:
    kb.index(folder, exclude=["docs/old"])
    assert kb.index(folder / "docs").unchanged == 1
    assert kb.index(folder / "docs", exclude=[]).added == ["docs/old/d.md"]
    assert kb.index(folder).unchanged == 5


def test_a_named_file_is_read_whatever_the_patterns(kb: KnowledgeBase, folder: Path) -> None:
    assert kb.index(folder / "a.md", exclude=["*"]).added == ["a.md"]


@pytest.mark.parametrize("option", ["include", "exclude"])
def test_a_malformed_pattern_is_an_error(kb: KnowledgeBase, folder: Path, option: str) -> None:
    with pytest.raises(KnowledgeBaseError, match=f"`{option}` has the malformed pattern '!'"):
        kb.index(folder, **{option: ["!"]})


IGNORED = {
    ".gitignore": "*.log.md\n/build/\n!keep.log.md\ndocs/tmp*\nfoo/*\n!foo/bar.md\n",
    "docs/.gitignore": "# comment\nx.md\n!tmp1.md\n/deep/y.md\n\\!z.md\nsp\\ ace.md\n",
    "docs/deep/.gitignore": "!x.md\n",
    **dict.fromkeys(["a.log.md", "keep.log.md", "build/b.md", "docs/build/b.md", "docs/x.md", "docs/tmp1.md"], "text"),
    **dict.fromkeys(["docs/tmp2.md", "docs/deep/x.md", "docs/deep/y.md", "docs/y.md", "docs/!z.md"], "text"),
    **dict.fromkeys(["foo/bar.md", "foo/baz.md", "docs/sp ace.md", "x.md", "docs/deep/keep.log.md", "ok.md"], "text"),
}


def list_by_git(folder: Path) -> list[str]:
    """Return the files that Git itself does not ignore."""
    command = [GIT, "ls-files", "--others", "--exclude-standard", "-z", "*.md"]
    return sorted(
        subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout.split("\0")[:-1]
    )


@pytest.mark.skipif(GIT == "", reason="Git is not installed")
@pytest.mark.parametrize("part", ["", "docs", "docs/deep"])
def test_files_that_git_ignores_are_left_out(kb: KnowledgeBase, tmp_path: Path, part: str) -> None:
    folder = write(tmp_path / "repo", IGNORED)
    subprocess.run([GIT, "init", "-q"], cwd=folder, check=True)
    kb.index(folder / part)
    assert paths(kb) == list_by_git(folder / part)


def test_they_are_read_on_request(kb: KnowledgeBase, tmp_path: Path) -> None:
    folder = write(tmp_path / "repo", {".gitignore": "a.md\n", "a.md": "apples", "b.md": "bees"})
    report = kb.index(folder)
    assert (report.added, report.ignored) == (["b.md"], 1)
    assert kb.index(folder, gitignore=False).added == ["a.md"]
    assert kb.index(folder).unchanged == 2
    assert kb.index(folder, gitignore=True).removed == ["a.md"]


def test_a_folder_that_git_ignores_is_read_if_it_is_named(kb: KnowledgeBase, tmp_path: Path) -> None:
    folder = write(tmp_path / "repo", {".gitignore": "build/\n", "build/html/a.md": "apples"})
    (folder / ".git").mkdir()
    assert kb.index(folder / "build/html").added == ["a.md"]


def test_files_of_a_suffix_are_read_as_another_kind(kb: KnowledgeBase, tmp_path: Path) -> None:
    text = "Guide\n~~~~~\n\nSee :doc:`b`, not ``this``.\n"
    folder = write(tmp_path / "docs", {"a.adoc": text, "b.adoc": "Here.\n", "c.DAT": "text\nRex barks.\n", "d.md": "x"})
    assert kb.index(folder).passed_over == {".adoc": 2, ".dat": 1}
    report = kb.index(folder, kinds={"adoc": "rst", ".DAT": "csv"})
    assert (sorted(report.added), report.passed_over) == (["a.adoc", "b.adoc", "c.DAT"], {})
    assert kb.find("a.adoc").content == "Guide\n\nSee b, not this."
    assert [result.text for result in kb.search("barks")] == ["Rex barks."]
    assert kb.index(folder).unchanged == 4
    assert sorted(kb.index(folder, kinds={".adoc": "txt"}).changed) == ["a.adoc", "b.adoc"]
    assert paths(kb) == ["a.adoc", "b.adoc", "d.md"]


def test_an_unknown_kind_is_an_error(kb: KnowledgeBase, folder: Path) -> None:
    with pytest.raises(KnowledgeBaseError, match=r"The kind 'exe' for '\.txt' is unknown\. Kinds: csv, debian, docx"):
        kb.index(folder, kinds={".txt": "exe"})
