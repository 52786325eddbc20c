"""Links with their lines, and suggestions for broken ones."""

from pathlib import Path

import pytest

import spaniel
from spaniel import KnowledgeBase
from spaniel.errors import KnowledgeBaseError
from tests.knowledge_base.folders import write

FILES = {
    "start.txt": "# Start\n\nSee [the tour](tour.txt#first-steps) and\n[nothing](tuor.txt).\n\n"
    "## End\n\nhttps://example.org/ and [up](#strat)\n",
    "tour.txt": "# Tour\n\n## First steps\n\nBack to [start](start.txt).\n\n## Last steps\n\n[odd](start.txt#ned).\n",
    "rows.jsonl": '{"id": 1, "text": "x"}\n{"id": 2, "text": "y", "links": ["tour.txt#first-steps", "rows.jsonl#3"]}\n',
}


@pytest.fixture
def kb(tmp_path: Path) -> KnowledgeBase:
    opened = spaniel.open(tmp_path / "kb")
    opened.index(write(tmp_path / "docs", FILES))
    return opened


def test_links_have_their_sections_targets_and_lines(kb: KnowledgeBase, tmp_path: Path) -> None:
    assert [(link.source, link.line, link.kind, link.target) for link in kb.links()] == [
        ("rows.jsonl#2", 2, "link", "tour.txt#first-steps"),
        ("rows.jsonl#2", 2, "broken", "rows.jsonl#3"),
        ("start.txt#start", 3, "link", "tour.txt#first-steps"),
        ("start.txt#start", 4, "broken", "tuor.txt"),
        ("start.txt#end", 8, "url", "https://example.org/"),
        ("start.txt#end", 8, "broken", "#strat"),
        ("tour.txt#first-steps", 5, "link", "start.txt"),
        ("tour.txt#last-steps", 9, "broken", "start.txt#ned"),
    ]
    assert {link.file for link in kb.links("start.txt") if link.direction == "out"} == {
        str(tmp_path / "docs/start.txt")
    }


def test_broken_links_come_with_the_nearest_target(kb: KnowledgeBase) -> None:
    assert [(link.path, link.line, link.target, link.suggestion) for link in kb.links(broken=True)] == [
        ("rows.jsonl", 2, "rows.jsonl#3", None),
        ("start.txt", 4, "tuor.txt", "tour.txt"),
        ("start.txt", 8, "#strat", "start.txt#start"),
        ("tour.txt", 9, "start.txt#ned", "start.txt#end"),
    ]


def test_a_page_has_links_out_and_links_in(kb: KnowledgeBase) -> None:
    found = [(link.direction, link.source, link.target) for link in kb.links("tour.txt") if link.kind != "broken"]
    assert found == [
        ("out", "tour.txt#first-steps", "start.txt"),
        ("in", "rows.jsonl#2", "tour.txt#first-steps"),
        ("in", "start.txt#start", "tour.txt#first-steps"),
    ]


def test_a_section_has_the_links_of_its_text_and_those_to_it(kb: KnowledgeBase) -> None:
    found = [(link.direction, link.source) for link in kb.links("tour.txt#first-steps")]
    assert found == [("out", "tour.txt#first-steps"), ("in", "rows.jsonl#2"), ("in", "start.txt#start")]
    assert [link.target for link in kb.links("rows.jsonl#2")] == ["tour.txt#first-steps", "rows.jsonl#3"]


def test_the_count_of_broken_links_is_that_of_the_statistics(kb: KnowledgeBase) -> None:
    assert len(kb.links(broken=True)) == kb.statistics().broken_links


def test_a_link_breaks_when_its_target_is_deleted(kb: KnowledgeBase) -> None:
    kb.delete(path="start.txt")
    broken = {(link.path, link.target) for link in kb.links(broken=True)}
    assert broken == {("rows.jsonl", "rows.jsonl#3"), ("tour.txt", "start.txt"), ("tour.txt", "start.txt#ned")}


def test_an_unknown_address_is_an_error(kb: KnowledgeBase) -> None:
    with pytest.raises(KnowledgeBaseError, match=r"No indexed file is named 'nothing\.txt'"):
        kb.links("nothing.txt")
    with pytest.raises(KnowledgeBaseError, match="has no such section"):
        kb.links("tour.txt#nothing")


@pytest.mark.parametrize(
    ("target", "suggestion"),
    [
        ("guide/install.txt", "manual/install.txt"),  # moved
        ("install.rst", "manual/install.txt"),  # another suffix
        ("manual/instal.txt#Sett-up", "manual/install.txt#set-up"),
        ("manual/install.txt#zzz", "manual/install.txt"),
        ("entirely-different.txt", None),
    ],
)
def test_suggestions(tmp_path: Path, target: str, suggestion: str | None) -> None:
    kb = spaniel.open(tmp_path / "kb")
    kb.index(write(tmp_path / "docs", {"a.txt": f"[x]({target})", "manual/install.txt": "# Set up\n\nwords"}))
    assert [link.suggestion for link in kb.links(broken=True)] == [suggestion]
