"""The list of the indexed files."""

from pathlib import Path

import pytest

import spaniel
from spaniel import KnowledgeBase
from spaniel.errors import KnowledgeBaseError
from spaniel.knowledge_base import ListedFile
from tests.knowledge_base.folders import write

PROSE = "Who has the right to see the documents of the house? "


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    rows = '{"id": 1, "text": "red"}\n{"id": 2, "text": "green"}\n'
    return write(tmp_path / "docs", {"a.txt": f"# Papers\n\n{PROSE * 9}", "more/r.jsonl": rows, "empty.md": ""})


@pytest.fixture
def kb(docs: Path, tmp_path: Path) -> KnowledgeBase:
    opened = spaniel.open(tmp_path / "kb")
    opened.index(docs)
    return opened


def test_files_have_titles_passages_languages_and_sizes(kb: KnowledgeBase, docs: Path) -> None:
    text, empty, rows = kb.files()
    size = (docs / "a.txt").stat().st_size
    assert text == ListedFile("a.txt", str(docs / "a.txt"), "Papers", 2, ["english"], size, False)
    assert (empty.path, empty.passages, empty.size) == ("empty.md", 0, 0)
    assert (rows.path, rows.title, rows.passages, rows.rows) == ("more/r.jsonl", None, 2, True)


def test_the_passages_are_those_that_are_searched(kb: KnowledgeBase) -> None:
    assert sum(file.passages or 0 for file in kb.files()) == kb.statistics().leaves


def test_patterns_choose_files(kb: KnowledgeBase) -> None:
    assert [file.path for file in kb.files("more", "*.txt")] == ["a.txt", "more/r.jsonl"]
    with pytest.raises(KnowledgeBaseError, match=r"No indexed file matches '\*\.rst'"):
        kb.files("*.rst")


def test_an_update_updates_the_list(kb: KnowledgeBase, docs: Path) -> None:
    write(docs, {"a.txt": "# Other\n\nshort", "more/r.jsonl": '{"id": 1, "text": "red"}\n'})
    kb.index(docs)
    assert [(file.title, file.passages) for file in kb.files()] == [("Other", 1), (None, 0), (None, 1)]
