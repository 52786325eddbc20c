import doctest
import inspect
import re
from dataclasses import fields
from pathlib import Path

import pytest

import spaniel
from spaniel.components.retrievers import (
    AutoMergingRetriever,
    BestSegments,
    ContextBudget,
    RecursiveRetriever,
    SentenceWindowRetriever,
    StructuredRetriever,
)
from spaniel.tracing.events import EVENT_TYPES

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize("page", ["merging", "windows", "links", "budget", "tracing"])
def test_every_example_of_the_page_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testfile(str(DOCS / f"{page}.md"), module_relative=False)
    assert failed == 0
    assert tried > 10


@pytest.mark.parametrize("event", EVENT_TYPES.values())
def test_the_page_lists_every_event_with_its_fields(event: type):
    text = (DOCS / "tracing.md").read_text(encoding="utf-8")
    [row] = [line for line in text.splitlines() if line.startswith(f"| `{event.__name__}` |")]
    assert [field.name for field in fields(event) if field.name != "about" and f"`{field.name}`" not in row] == []


@pytest.mark.parametrize(
    ("page", "retriever"),
    [
        ("merging", AutoMergingRetriever),
        ("windows", SentenceWindowRetriever),
        ("links", RecursiveRetriever),
        ("structured", StructuredRetriever),
        ("budget", ContextBudget),
        ("budget", BestSegments),
    ],
)
def test_the_page_lists_every_parameter(page: str, retriever: type):
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    assert [
        name for name in inspect.signature(retriever).parameters if not any(f"`{name}`" in row for row in rows)
    ] == []


def test_the_page_lists_every_cause():
    text = (DOCS / "explain.md").read_text(encoding="utf-8")
    source = Path(spaniel.__file__).parent
    code = "".join(file.read_text(encoding="utf-8") for file in source.rglob("*.py"))
    causes = set(re.findall(r'Diagnosis\(\s*"(\w+)"', code)) | set(re.findall(r'Dropped\([^\n]*, "(\w+)"\)', code))
    assert len(causes) > 15
    assert [cause for cause in sorted(causes) if f"`{cause}`" not in text] == []
