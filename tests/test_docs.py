"""The documentation: its examples run, and nothing public is left out."""

import doctest
import importlib
import re
from pathlib import Path

import pytest
import typer

from spaniel.cli import app

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([*ROOT.glob("docs/*.md"), ROOT / "README.md"])
TEXT = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)

PUBLIC_MODULES = [
    "spaniel",
    "spaniel.components.caching",
    "spaniel.components.converters",
    "spaniel.components.embedders",
    "spaniel.components.evaluators",
    "spaniel.components.joiners",
    "spaniel.components.preprocessors",
    "spaniel.components.rankers",
    "spaniel.components.retrievers",
    "spaniel.components.retrievers.in_memory",
    "spaniel.components.retrievers.opensearch",
    "spaniel.components.routers",
    "spaniel.components.writers",
    "spaniel.document_stores.in_memory",
    "spaniel.document_stores.local",
    "spaniel.document_stores.opensearch",
    "spaniel.document_stores.types",
    "spaniel.evaluation",
    "spaniel.filters",
    "spaniel.interop.haystack",
    "spaniel.knowledge_base",
    "spaniel.migration",
    "spaniel.pipeline",
    "spaniel.testing",
    "spaniel.tracing",
]
COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, minilm: str) -> None:
    del minilm  # the model of the examples
    monkeypatch.chdir(tmp_path)
    failed, _ = doctest.testfile(str(page), module_relative=False, encoding="utf-8", optionflags=doctest.ELLIPSIS)
    assert failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_links_of_a_page_lead_to_files(page: Path) -> None:
    prose = re.sub(
        r"```.*?```|`[^`\n]*`|^(?:>>>|\.\.\.) .*$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE
    )
    targets = re.findall(r"\]\((?!https?:|#)([^)#]+)", prose)
    assert [target for target in targets if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_and_its_options_are_documented(name: str) -> None:
    page = (ROOT / "docs/cli.md").read_text(encoding="utf-8")
    options = [opt for parameter in COMMANDS[name].params for opt in parameter.opts if opt.startswith("--")]
    assert f"spaniel {name}" in page
    assert [option for option in options if f"`{option}" not in page] == []
    assert COMMANDS[name].help


@pytest.mark.parametrize("module", PUBLIC_MODULES)
def test_every_public_name_of_a_module_is_documented(module: str) -> None:
    names = importlib.import_module(module).__all__
    assert [name for name in names if not re.search(rf"\b{re.escape(name)}\b", TEXT)] == []


DECISIONS = sorted((ROOT / "docs" / "decisions").glob("0*.md"))


@pytest.mark.parametrize("page", DECISIONS, ids=lambda page: page.stem)
def test_a_decision_follows_the_template_and_is_indexed(page: Path) -> None:
    lines = page.read_text("utf-8").splitlines()
    number, dot, title = lines[0].removeprefix("# ").partition(". ")
    assert (number, dot) == (str(int(page.name[:4])), ". ")
    assert re.fullmatch(r"- Date: \d{4}-\d\d-\d\d", lines[2])
    assert lines[3].startswith("- Status: ")
    sections = [line for line in lines if line.startswith("## ")]
    assert sections[:2] == ["## Context", "## Decision"]
    assert "## Consequences" in sections
    index = (ROOT / "docs" / "decisions" / "README.md").read_text("utf-8")
    assert f"| {number} | [{title}]({page.name}) |" in index
