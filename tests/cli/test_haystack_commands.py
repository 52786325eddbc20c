"""`spaniel convert` and `spaniel migrate`, and `--foreign`."""

from pathlib import Path

import pytest

from tests.cli.test_app import run
from tests.pipeline.haystack_yaml import RAG, V2_19

PROGRAM = "from haystack import Document, Answer  # both\nx = 1\n"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "rag.yaml").write_text(RAG.replace("INDEX", "cli"))
    (tmp_path / "search.yaml").write_text(V2_19.replace("INDEX", "cli"))
    (tmp_path / "code").mkdir()
    (tmp_path / "code/a.py").write_text(PROGRAM)
    (tmp_path / "code/b.py").write_text("y = 2\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_pipeline_is_printed_with_our_names(home: Path) -> None:
    result = run("convert", "search.yaml")
    assert result.exit_code == 0
    assert "type: spaniel.components.writers.document_writer.DocumentWriter" in result.stdout
    assert "haystack" not in result.stdout
    assert result.stderr == "11 names changed.\n"


def test_a_pipeline_is_written(home: Path) -> None:
    result = run("convert", "search.yaml", "-o", "search.yaml")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "haystack" not in (home / "search.yaml").read_text()


def test_lists_missing_types_and_exits_with_1(home: Path) -> None:
    result = run("convert", "rag.yaml")
    assert result.exit_code == 1
    assert "type: spaniel.components.retrievers" in result.stdout
    assert result.stderr.count("foreign=True takes it from there") == 4
    assert "'rag.yaml', line 9: The type 'haystack.components.converters.output_adapter.OutputAdapter'" in result.stderr


def test_types_of_haystack_are_not_missing_with_foreign(home: Path) -> None:
    assert run("convert", "rag.yaml", "--foreign").exit_code == 0


@pytest.mark.parametrize("text", ["a: [", "\ufeffa: ["])
def test_rejects_a_file_that_is_not_a_pipeline(home: Path, text: str) -> None:
    (home / "rag.yaml").write_text(text)
    result = run("convert", "rag.yaml")
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: 'rag.yaml': ")
    assert "not YAML of plain data" in result.stderr


def test_a_pipeline_with_components_of_haystack_runs(home: Path) -> None:
    inputs = ["--input", "retriever.query=dog", "--input", "question=Who?", "--input", "answers.query=Who?"]
    refused = run("run", "rag.yaml", *inputs)
    assert refused.exit_code == 1
    assert refused.stderr.endswith("On the command line: --foreign.\n")
    result = run("run", "rag.yaml", "--foreign", *inputs)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "WHO?" in result.stdout


def test_a_pipeline_with_components_of_haystack_is_drawn(home: Path) -> None:
    assert "PromptBuilder" in run("draw", "rag.yaml", "--foreign").stdout


def test_a_program_is_shown_with_the_difference_and_stays(home: Path) -> None:
    result = run("migrate", "code")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "--- a/code/a.py",
        "+++ b/code/a.py",
        "@@ -1,2 +1,3 @@",
        "-from haystack import Document, Answer  # both",
        "+from haystack import Answer",
        "+from spaniel import Document  # both",
        " x = 1",
    ]
    assert result.stderr.splitlines() == [
        "'code/a.py', line 1: 'haystack.Answer' is not in Spaniel, and is kept as Haystack's.",
        "1 file to change. Nothing is written; add --write to do it. 1 place to look at.",
    ]
    assert (home / "code/a.py").read_text() == PROGRAM


def test_a_program_is_written(home: Path) -> None:
    before = (home / "code/b.py").stat().st_mtime_ns
    result = run("migrate", "code/a.py", "code/b.py", "--write")
    assert result.stderr.endswith("1 file changed. 1 place to look at.\n")
    assert (home / "code/a.py").read_text().startswith("from haystack import Answer\nfrom spaniel import Document")
    assert (home / "code/b.py").stat().st_mtime_ns == before


def test_skips_invalid_python_and_exits_with_1(home: Path) -> None:
    (home / "code/0.py").write_text("def f(:\n")
    result = run("migrate", "code", "--write")
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: 'code/0.py': line 1: ")
    assert "from spaniel" in (home / "code/a.py").read_text()
    assert (home / "code/0.py").read_text() == "def f(:\n"


def test_rejects_a_missing_path(home: Path) -> None:
    result = run("migrate", "nothing")
    assert (result.exit_code, result.stderr) == (1, "Error: 'nothing': No such file or directory.\n")


def test_control_characters_of_a_program_do_not_reach_the_terminal(home: Path) -> None:
    (home / "code/a.py").write_text("x = '\x1b[31m'\nfrom haystack import Document\n")
    assert "\x1b" not in run("migrate", "code").stdout
