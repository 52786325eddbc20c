"""`spaniel explain`: every step, why, why not, plans, saved searches and their differences."""

import json
from pathlib import Path

import jsonschema
import pytest

import spaniel
from tests.cli.test_app import run
from tests.knowledge_base.folders import write

FILES = {
    "dogs.md": "# Dogs\n\nSpaniels hunt birds.\n\n## Food\n\nBones. See [cats](cats.md).\n\n" + "Meat and fish. " * 100,
    "cats.md": "# Cats\n\nCats climb trees.\n",
    "birds.md": "# Birds\n\nBirds sing in trees, and sing, and sing.\n",
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write(tmp_path / "animals", FILES)
    monkeypatch.chdir(tmp_path)
    assert run("index", "-q", "animals").exit_code == 0
    return tmp_path


def test_every_step_is_printed(home: Path) -> None:
    result = run("explain", "bones", "--follow", "links", "--window", "1")
    assert (result.exit_code, result.stderr) == (0, "")
    assert [line for line in result.stdout.splitlines() if line[:1].isdigit()] == [
        "1. bm25  query='bones', top_k=40",
        "2. follow  filter_key='anchor', relevant_doc_keys=['links'], share=0.3",
        "3. select  top_k=10, fold=True",
        "4. window  window_size=1",
    ]


def test_why_names_a_document_as_show_does(home: Path) -> None:
    [hit] = spaniel.open(".spaniel").search("climb", merge=True)
    by_path, by_start = (run("explain", "climb", "--merge", "--why", name).stdout for name in ("cats.md", hit.id[:9]))
    assert by_path == by_start
    assert by_path.startswith(f"{hit.id[:8]}  cats.md  ")
    assert "is at place 1 of the result" in by_path
    assert "1. bm25: matched at rank 1" in by_path


def test_why_not_names_the_first_stage_and_the_figures(home: Path) -> None:
    output = run("explain", "sing in trees", "-k", "1", "--no-merge", "--why-not", "cats.md").stdout
    assert "is not in the result" in output
    assert "1. bm25: the store keeps it" in output or "1. bm25: rank 2 of top_k 1: its score is" in output
    output = run("explain", "sing", "--filter", "path == birds.md", "--why-not", "cats.md").stdout
    assert "filtered out by path == 'birds.md', as its value is 'cats.md'" in output


@pytest.mark.parametrize("reference", ["dogs.md#food", "dogs.md"])
def test_why_not_takes_paths_and_sections(home: Path, reference: str) -> None:
    result = run("explain", "climb", "--why-not", reference)
    assert result.exit_code == 0
    assert "is not in the result" in result.stdout
    id = spaniel.open(".spaniel").find(reference).id
    assert run("explain", "climb", "--why-not", id[:12]).stdout == result.stdout


def test_a_file_is_explained_by_the_best_of_its_parts(home: Path) -> None:
    output = run("explain", "birds meat", "-k", "1", "--no-merge", "--why-not", "dogs.md").stdout
    assert "the best of its parts, " in output


def test_suggests_similar_names_for_an_unknown_document(home: Path) -> None:
    result = run("explain", "sing", "--why-not", "bird.md")
    assert result.exit_code == 0
    assert "no document with this id is in the store" in result.stdout
    assert result.stdout.endswith("Did you mean birds.md?\n")


def test_several_documents_are_asked_about_at_once(home: Path) -> None:
    output = run(
        "explain", "climb", "--merge", "--why", "cats.md", "--why-not", "birds.md", "--why-not", "dogs.md"
    ).stdout
    assert len(output.split("\n\n")) == 3


def test_json_holds_the_answers(home: Path) -> None:
    data = json.loads(run("explain", "climb", "--merge", "--why", "cats.md", "--why-not", "birds.md", "--json").stdout)
    assert (data["schema"], data["query"]) == (1, "climb")
    assert (data["why"][0]["rank"], bool(data["why"][0]["lines"])) == (1, True)
    [answer] = data["why_not"]
    assert (answer["reference"], answer["rank"]) == ("birds.md", None)
    assert answer["reasons"][0]["cause"] in {"not_searched", "no_common_term"}


def test_json_without_a_question_is_the_trace(home: Path) -> None:
    data = json.loads(run("explain", "climb", "--json").stdout)
    schema = json.loads((Path(__file__).parents[2] / "docs/trace.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(data["trace"], schema)


def test_a_plan_is_printed_without_a_search(home: Path) -> None:
    lines = run("explain", "climb", "--plan", "--follow", "links", "--depth", "3").stdout.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["bm25", "follow", "select", "together"]
    data = json.loads(run("explain", "climb", "--plan", "--json").stdout)
    assert data["plan"][0] == {"name": "bm25", "requests": 5, "why": data["plan"][0]["why"]}


def test_a_saved_search_is_explained_with_the_store_as_it_is_now(home: Path) -> None:
    assert run("explain", "climb", "--save", "one.json").exit_code == 0
    assert run("explain", "--load", "one.json").stdout.startswith("1. bm25  query='climb'")
    write(home / "animals", {"cats.md": "# Cats\n\nCats sleep.\n"})
    assert run("index", "-q", "animals").exit_code == 0
    output = run("explain", "--load", "one.json", "--why-not", "birds.md").stdout
    assert "The store has changed since: " in output


def test_two_saved_searches_are_compared(home: Path) -> None:
    assert run("explain", "climb", "--save", "one.json").exit_code == 0
    assert run("explain", "sing", "--save", "two.json").exit_code == 0
    result = run("explain", "--diff", "one.json", "two.json")
    assert result.exit_code == 0
    assert " entered at rank 1 (first differs at " in result.stdout
    data = json.loads(run("explain", "--diff", "one.json", "one.json", "--json").stdout)
    assert data == {"schema": 1, "entered": [], "left": [], "moved": []}


@pytest.mark.parametrize("args", [[], ["climb", "--load", "x.json"], ["climb", "--diff", "a", "b"]])
def test_a_question_is_needed_and_only_one(home: Path, args: list[str]) -> None:
    result = run("explain", *args)
    assert result.exit_code == 2
    assert "--diff FILE FILE" in " ".join(result.stderr.split())


def test_a_file_that_is_no_trace_is_an_error(home: Path) -> None:
    write(home, {"bad.json": "{}", "worse.json": b"\xff\xfe"})
    for name in ("bad.json", "worse.json", "none.json"):
        result = run("explain", "--load", name)
        assert (result.exit_code, result.stdout) == (1, "")
        assert name in result.stderr


def test_hops_need_links(home: Path) -> None:
    assert run("explain", "climb", "--depth", "2").exit_code == 2
