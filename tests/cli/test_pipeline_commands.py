"""`spaniel run` and `spaniel draw`."""

import json
import sys
from pathlib import Path

import pytest

from tests.cli.test_app import run

PIPELINE = """
components:
  ranker:
    type: spaniel.components.rankers.lost_in_the_middle.LostInTheMiddleRanker
    init_parameters: {}
  joiner:
    type: spaniel.components.joiners.document_joiner.DocumentJoiner
    init_parameters: {sort_by_score: false}
connections:
- {sender: ranker.documents, receiver: joiner.documents}
"""
RETRIEVAL = """
components:
  finder:
    type: spaniel.components.retrievers.in_memory.bm25_retriever.InMemoryBM25Retriever
    init_parameters:
      document_store:
        type: spaniel.document_stores.in_memory.document_store.InMemoryDocumentStore
        init_parameters: {}
"""
ECHO = """
from spaniel import component

@component
class Echo:
    @component.output_types(text=str, facts=dict)
    def run(self, text: str, words: list[str] | None = None, times: int = 1, note: str | None = None):
        return {"text": text * times, "facts": {"words": words, "note": note}}

@component
class Fails:
    @component.output_types(text=str)
    def run(self, text: str):
        raise OSError("disk full")
"""
DOCUMENTS = json.dumps([{"content": "Dogs bark.", "meta": {"path": "a.md"}}, {"content": "Cats purr.", "id": "cat"}])


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "pipeline.yaml").write_text(PIPELINE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def echo(home: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module in the working folder, and a pipeline with a component of it."""
    name = f"parts_of_{home.name}"
    (home / f"{name}.py").write_text(ECHO)
    (home / "echo.yaml").write_text(f"components: {{echo: {{type: {name}.Echo}}}}")
    monkeypatch.setattr(sys, "path", list(sys.path))
    return name


def test_documents_are_shown_as_results(home: Path) -> None:
    result = run("run", "pipeline.yaml", "--input", f"documents={DOCUMENTS}")
    assert (result.exit_code, result.stderr) == (0, "")
    head, first, *rest = result.stdout.splitlines()
    assert head == "joiner.documents"
    assert first.startswith("1. a.md  ")
    assert rest == ["   Dogs bark.", "2. cat  cat", "   Cats purr.", ""]


def test_json_has_everything(home: Path) -> None:
    result = run(
        "run", "pipeline.yaml", "--input", f"ranker.documents={DOCUMENTS}", "--input", "joiner.top_k=1", "--json"
    )
    [document] = json.loads(result.stdout)["joiner"]["documents"]
    assert (document["content"], document["meta"]) == ("Dogs bark.", {"path": "a.md"})


def test_a_retriever_takes_its_query_and_top_k(home: Path) -> None:
    (home / "retrieval.yaml").write_text(RETRIEVAL)
    result = run("run", "retrieval.yaml", "--input", "query=2020", "--input", "finder.top_k=3")
    assert (result.exit_code, result.stdout) == (0, "finder.documents\n[]\n\n")


@pytest.mark.parametrize(
    ("inputs", "text", "facts"),
    [
        (["text=dogs"], "dogs", {"words": None, "note": None}),
        (["text=2020", "echo.times=2"], "20202020", {"words": None, "note": None}),
        (['text="a"', 'words=["b"]'], '"a"', {"words": ["b"], "note": None}),
        (["text=a=b", "note=null"], "a=b", {"words": None, "note": None}),
        (["text=", "note=true"], "", {"words": None, "note": "true"}),
    ],
)
def test_values_are_json_where_they_can_be_and_text_where_text_is_wanted(
    echo: str, inputs: list[str], text: str, facts: dict[str, object]
) -> None:
    args = [each for input in inputs for each in ("--input", input)]
    result = run("run", "echo.yaml", "--allow", echo, "--json", *args)
    assert json.loads(result.stdout) == {"echo": {"text": text, "facts": facts}}


def test_other_outputs_are_shown_as_json(echo: str) -> None:
    result = run("run", "echo.yaml", "--allow", echo, "--input", "text=dogs")
    assert result.stdout.startswith('echo.text\n"dogs"\n\necho.facts\n{')


def test_without_being_allowed_a_module_is_not_imported(echo: str) -> None:
    result = run("run", "echo.yaml", "--input", "text=dogs")
    assert result.exit_code == 1
    assert f"The type '{echo}.Echo' is not known" in result.stderr
    assert "allowlist ['spaniel']" in result.stderr
    assert "On the command line: --allow MODULE." in result.stderr
    assert echo not in sys.modules


def test_a_component_that_fails_is_named(echo: str, home: Path) -> None:
    (home / "echo.yaml").write_text(f"components: {{echo: {{type: {echo}.Fails}}}}")
    result = run("run", "echo.yaml", "--allow", echo, "--input", "text=dogs")
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert "Component name: 'echo'" in result.stderr
    assert "disk full" in result.stderr


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        (["topk=3"], "The pipeline has no input 'topk'. Inputs: ranker.documents, ranker.top_k, "),
        (["rankr.top_k=3"], "The pipeline has no input 'rankr.top_k'. Inputs: ranker.documents, "),
        (["top_k"], "'top_k' is not an input. Write NAME=VALUE or COMPONENT.NAME=VALUE."),
        (["=3"], "'=3' is not an input."),
        (["ranker.top_k=3", "top_k=4"], "The input 'ranker.top_k' is given twice."),
        ([], "Missing mandatory input 'documents' for component 'ranker'"),
    ],
)
def test_rejects_wrong_inputs_and_lists_valid_ones(home: Path, inputs: list[str], said: str) -> None:
    result = run("run", "pipeline.yaml", *(each for input in inputs for each in ("--input", input)))
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1)
    assert said in result.stderr


@pytest.mark.parametrize("command", ["run", "draw"])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("components: [", "'bad.yaml': Error while unmarshalling serialized data: it is not YAML of plain data: "),
        ("- 1", "'bad.yaml': The YAML must be a mapping, got list."),
        ("components: [1]", "The 'components' of a pipeline must be a mapping, got [1]."),
        ("components: {a: 3}", "The component 'a' must be a mapping with a 'type', got 3."),
        ("components: {1: {type: x.Y}}", "The name of a component must be text, got 1."),
        ("connections: 3", "The 'connections' of a pipeline must be a list, got 3."),
        ("connections: [3]", "A connection must be a mapping with the names 'sender' and 'receiver', got 3."),
        (
            "connections: [{sender: a, receiver: 3}]",
            "A connection must be a mapping with the names 'sender' and 'receiver'",
        ),
        ("connections: [{sender: a}]", "Missing receiver in connection"),
        (
            "max_runs_per_component: many",
            "The 'max_runs_per_component' of a pipeline must be a whole number, got 'many'.",
        ),
        ("components: {a: {}}", "'bad.yaml': Missing 'type' in component 'a'."),
        ("components: {a: {type: os.path.Walker}}", "The type 'os.path.Walker' is not known"),
        ("components: {a: !!python/object:os.x {}}", "not YAML of plain data"),
    ],
)
def test_a_bad_file_is_an_error_of_one_line(home: Path, command: str, text: str, said: str) -> None:
    (home / "bad.yaml").write_text(text)
    result = run(command, "bad.yaml")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1)
    assert said in result.stderr


@pytest.mark.parametrize("text", ["{}", "components: {}", "components:", "connections: []"])
def test_run_rejects_pipelines_without_components(home: Path, text: str) -> None:
    (home / "empty.yaml").write_text(text)
    result = run("run", "empty.yaml")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "'empty.yaml' has no components to run." in result.stderr


def test_a_file_that_is_not_there_is_named(home: Path) -> None:
    assert run("run", "none.yaml").stderr == "Error: 'none.yaml': No such file or directory.\n"


def test_a_pipeline_is_drawn_as_mermaid_text(home: Path) -> None:
    result = run("draw", "pipeline.yaml")
    assert result.exit_code == 0
    assert result.stdout.startswith('flowchart TD\n    c0["ranker<br>LostInTheMiddleRanker"]\n')


@pytest.mark.parametrize(("name", "start"), [("p.svg", "<svg"), ("p.mmd", "flowchart"), ("p.md", "```mermaid")])
def test_a_picture_is_written(home: Path, name: str, start: str) -> None:
    assert run("draw", "pipeline.yaml", "-o", name).output == ""
    assert (home / name).read_text().startswith(start)


def test_a_picture_of_another_kind_is_an_error(home: Path) -> None:
    result = run("draw", "pipeline.yaml", "--output", "p.png")
    assert (result.exit_code, "p.png" in result.stderr, (home / "p.png").exists()) == (1, True, False)
