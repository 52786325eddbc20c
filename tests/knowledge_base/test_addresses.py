"""The lines, pages and files of results, and passages by ``path:line``."""

from pathlib import Path

import pytest

import spaniel
from spaniel import Document, KnowledgeBase
from spaniel.errors import MissingDocumentError
from spaniel.knowledge_base.addresses import parse_line_address
from tests.knowledge_base.folders import write

DRY = "Dry and brown, they keep for a year in any dark and cool place of the house. " * 2
NOTES = (
    f"Intro of apples.\n\n# Pears\n\nPears are sweet.\n\n## Plums\n\nPlums are sour,\nsay many.\n\n# Nuts\n\n{DRY}\n"
)
ROWS = '{"id": "a", "text": "red"}\n\n{"id": "b", "text": "green", "line": 99}\n'


@pytest.fixture
def kb(tmp_path: Path) -> KnowledgeBase:
    opened = spaniel.open(tmp_path / "kb")
    opened.index(write(tmp_path / "docs", {"notes.txt": NOTES, "rows.jsonl": ROWS}))
    return opened


def test_a_hit_has_its_file_and_its_lines(kb: KnowledgeBase, tmp_path: Path) -> None:
    [result] = kb.search("sour plums", top_k=1)
    assert (result.file, result.line, result.end_line, result.page) == (str(tmp_path / "docs/notes.txt"), 7, 10, None)
    shown = result.to_dict()
    assert [shown[key] for key in ("file", "line", "end_line", "page")] == [result.file, 7, 10, None]


def test_the_file_of_a_document_is_located(kb: KnowledgeBase, tmp_path: Path) -> None:
    assert kb.locate(kb.find("notes.txt:3")) == str(tmp_path / "docs/notes.txt")
    assert kb.locate(Document(content="x")) is kb.locate(Document(content="x", meta={"path": "other.txt"})) is None


def test_a_window_has_the_lines_of_all_its_passages(kb: KnowledgeBase) -> None:
    [result] = kb.search("sour plums", top_k=1, window=1)
    assert (result.text.startswith("# Pears"), result.line, result.end_line) == (True, 3, 10)


def test_passages_that_touch_have_the_lines_of_their_text(kb: KnowledgeBase) -> None:
    [result] = kb.search("sweet sour", budget=100)
    assert (len(result.parts), result.line, result.end_line) == (2, 3, 10)


def test_a_merged_section_has_its_own_lines(kb: KnowledgeBase) -> None:
    [result] = kb.search("sweet sour", top_k=1, merge=True)
    assert (result.kind, result.line, result.end_line) == ("merged", 3, 10)


def test_a_row_has_the_line_of_its_file_whatever_its_fields(kb: KnowledgeBase) -> None:
    [result] = kb.search("green", top_k=1)
    assert (result.id, result.line, result.end_line) == ("b", 3, 3)
    assert result.document.meta["row_line"] == 99


@pytest.mark.parametrize(
    ("line", "start"),
    [(1, "Intro"), (2, "Intro"), (5, "# Pears"), (8, "## Plums"), (10, "## Plums"), (11, "## Plums"), (12, "# Nuts")],
)
def test_a_line_names_the_passage_there_or_above(kb: KnowledgeBase, line: int, start: str) -> None:
    document = kb.get(f"notes.txt:{line}")
    assert document is not None
    assert document.content is not None
    assert document.content.startswith(start)
    assert kb.find(f"notes.txt:{line}:4").id == document.id


def test_a_line_is_found_by_the_path_on_disk_too(
    kb: KnowledgeBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    expected = kb.get("notes.txt:5")
    assert kb.get(f"{tmp_path}/docs/notes.txt:5") == kb.get("docs/notes.txt:5") == expected
    assert expected is not None


def test_a_line_behind_the_text_names_nothing(kb: KnowledgeBase) -> None:
    assert kb.get("notes.txt:99") is kb.get("other.txt:1") is None
    with pytest.raises(MissingDocumentError, match=r"No passage is at 'notes\.txt:99': .* has text up to line 14"):
        kb.find("notes.txt:99")


def test_a_line_of_a_file_of_rows_names_the_row(kb: KnowledgeBase) -> None:
    assert [row and row.id for row in map(kb.get, ("rows.jsonl:1", "rows.jsonl:2", "rows.jsonl:3"))] == ["a", None, "b"]
    with pytest.raises(MissingDocumentError, match=r"No row of 'rows\.jsonl' is at line 2"):
        kb.find("rows.jsonl:2")


def test_an_id_with_a_colon_wins(tmp_path: Path) -> None:
    opened = spaniel.open(tmp_path / "kb")
    opened.index(
        write(tmp_path / "docs", {"r.jsonl": '{"id": "r.jsonl:1", "text": "x"}\n{"id": "r.jsonl:2", "text": "y"}\n'})
    )
    assert opened.find("r.jsonl:2").content == "y"


def test_unchanged_passages_get_their_new_lines(kb: KnowledgeBase, tmp_path: Path) -> None:
    before = kb.find("a")
    write(tmp_path / "docs", {"rows.jsonl": '{"id": "new", "text": "blue"}\n' + ROWS, "notes.txt": "More.\n\n" + NOTES})
    kb.index(tmp_path / "docs")
    after = kb.find("a")
    assert (before.id, before.content, before.meta["line"]) == (after.id, after.content, 1)
    assert after.meta["line"] == kb.search("red")[0].line == 2
    assert kb.search("sour plums")[0].line == 9
    assert spaniel.open(tmp_path / "kb").find("a").meta["line"] == 2


def test_completion_lists_paths_sections_and_lines(kb: KnowledgeBase) -> None:
    assert kb.complete("no") == ["notes.txt"]
    assert kb.complete("notes.txt:") == ["notes.txt:1", "notes.txt:3", "notes.txt:7", "notes.txt:12"]
    assert kb.complete("notes.txt:1") == ["notes.txt:1", "notes.txt:12"]
    assert kb.complete("notes.txt#p") == ["notes.txt#pears", "notes.txt#plums"]
    assert kb.complete("rows.jsonl#") == ["rows.jsonl#a", "rows.jsonl#b"]


@pytest.mark.parametrize("text", ["a.md", "a.md:", ":3", "a.md:x", "a.md#s"])
def test_other_texts_are_no_addresses_of_lines(text: str) -> None:
    assert parse_line_address(text) is None


def test_a_line_may_come_with_a_column_or_a_last_line() -> None:
    assert {parse_line_address(f"c:a.md:7{more}") for more in ("", ":2", "-9", ":")} == {("c:a.md", 7)}
