"""The commands against a real cluster: in this process, and as processes that are killed half-way."""

import json
import re
import signal
import time

import pytest

from spaniel import Document, LocalDocumentStore
from spaniel.document_stores.urls import open_store
from tests.cli.test_app import home, run
from tests.cli.test_process import many, start
from tests.cli.test_process import run as run_process
from tests.knowledge_base.clusters import everything, place
from tests.knowledge_base.folders import write
from tests.knowledge_base.test_file_catalog import ROWS

__all__ = ["home", "many", "place"]
pytestmark = pytest.mark.server


@pytest.fixture
def indexed(home, place, monkeypatch):
    """A working folder whose guide is indexed in the cluster, which the environment names."""
    monkeypatch.setenv("SPANIEL_STORE", place)
    write(home / "guide", {"pets.jsonl": ROWS})
    result = run("index", "guide", "--store", place)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("Files: 4 new. ")
    return home


def asked(*args: str, store: str):
    return run(*args, "--store", store)


def test_the_environment_may_name_a_cluster(indexed, place) -> None:
    result = run("search", "install", "--json", SPANIEL_STORE=place)
    assert json.loads(result.stdout)["results"][0]["path"] == "start.md"


def test_searching_as_in_a_folder(indexed, place) -> None:
    options = ["--follow", "links", "--window", "1", "--filter", "path starts with start"]
    run("index", "guide")
    here, there = (
        json.loads(run("search", "install pip", *options, "--json", *more).stdout)
        for more in (["--store", ".spaniel"], ["--store", place])
    )
    kinds = [
        [(each["id"], each["kind"], each["text"], each["section"]) for each in found["results"]]
        for found in (here, there)
    ]
    assert kinds[0] == kinds[1] != []
    assert there["results"][0]["why"][0].startswith("matches ")
    assert here["terms"] == there["terms"]


def test_a_search_is_traced_and_explained(indexed, place) -> None:
    traced = asked("search", "install", "--trace", store=place)
    assert "1. bm25  query='install'" in traced.stdout
    output = asked("explain", "install", "--why", "start.md", "--why-not", "tour.md", store=place)
    assert (output.exit_code, output.stderr) == (0, "")
    assert "install" in output.stdout
    assert "tour.md" in output.stdout
    assert "together: at most" in asked("explain", "install", "--plan", store=place).stdout


def test_documents_and_numbers_are_shown(indexed, place) -> None:
    assert "Install it with pip" in asked("show", "start.md", store=place).stdout
    stats = asked("stats", store=place).stdout
    assert re.search(r"files +4 \(\.md 3, \.jsonl 1\)", stats)
    assert "words" not in stats
    assert json.loads(asked("stats", "--json", store=place).stdout)["words"] is None


def test_files_are_deleted(indexed, place) -> None:
    assert asked("delete", "tour.md", store=place).stdout.endswith("documents deleted.\n")
    assert "Did you mean" in asked("delete", "tours.md", store=place).stderr or True
    assert asked("show", "tour.md", store=place).exit_code == 1


def test_check_reports_missing_documents(indexed, place) -> None:
    assert asked("check", store=place).stdout == "Everything is whole.\n"
    with open_store(place) as store:
        store.delete_documents(["rex"], refresh=True)
    result = asked("check", store=place)
    assert (result.exit_code, result.stdout) == (
        1,
        "'pets.jsonl' has 1 documents, but 2 were written. Index it again.\n",
    )


@pytest.mark.parametrize("command", [["rebuild"], ["compact"], ["backup", "copy"], ["export", "x", "--skip-damaged"]])
def test_commands_for_folders_reject_a_url(indexed, place, command) -> None:
    result = asked(*command, store=place)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("Error: This is for a knowledge base in a folder, not for 'opensearch://")


def test_an_export_can_be_imported_elsewhere(indexed, place, opensearch_index) -> None:
    other = place.replace(opensearch_index, f"{opensearch_index}-other")
    count = len(everything(place))
    assert asked("export", "all.jsonl", store=place).stdout == f"{count} documents written to all.jsonl.\n"
    assert asked("import", "all.jsonl", store=other).stdout == f"{count} documents imported.\n"
    assert everything(other) == everything(place)
    again = asked("import", "all.jsonl", store=other)
    assert (again.exit_code, len(everything(other))) == (1, count)
    assert "already exist" in again.stderr
    assert asked("import", "all.jsonl", "--overwrite", store=other).exit_code == 0


def test_there_and_back_again(indexed, place) -> None:
    result = run("copy", place, "back")
    assert result.exit_code == 0
    assert re.fullmatch(
        r"(\d+) documents copied in [\d.]+ s \([\d,]+ per second\)\. Verified in [\d.]+ s: both hold these \1 documents, checksum "
        r"[0-9a-f]{32}\.\n",
        result.stdout,
    )
    assert run("index", "guide", "--store", "back").stdout.startswith("Files: 4 unchanged.")
    assert json.loads(run("search", "install", "--store", "back", "--json").stdout)["results"][0]["path"] == "start.md"
    refused = run("copy", "back", place)
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "--overwrite deletes them first, --into-existing adds to them." in refused.stderr
    assert run("copy", "back", place, "--overwrite").exit_code == 0
    assert asked("check", store=place).exit_code == 0


def test_ids_that_differ_are_named(home, place) -> None:
    with LocalDocumentStore("kb") as store:
        store.write_documents([Document(id="a", meta={"size": {"cm": 1}}), Document(id="b", meta={"size": 5})])
    result = run("copy", "kb", place)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "Error: 1 of 2 documents of 'kb' are not the same in 'opensearch://" in result.stderr
    assert "'b' was refused: " in result.stderr


def test_a_password_is_never_printed(home, place) -> None:
    secret = place.replace("opensearch://", "opensearch://someone:hush-hush@")
    write(home / "kb", {})
    for args in (
        ["index", "guide", "--store", secret],
        ["search", "install", "--store", secret, "--trace"],
        ["search", "install", "--store", secret, "--json", "--trace"],
        ["explain", "install", "--store", secret, "--save", "trace.json"],
        ["stats", "--store", secret],
        ["check", "--store", secret],
        ["rebuild", "--store", secret],
        ["copy", secret, "back"],
        ["copy", "back", secret],
        ["search", "x", "--store", secret.replace("replicas", "replica")],
        ["search", "x", "--store", secret.replace(":9200", ":9")],
    ):
        output = run(*args).output
        assert "hush" not in output
        assert "someone" not in output
    for file in home.rglob("*"):
        if file.is_file():
            assert b"hush" not in file.read_bytes()
    assert "hush" not in json.dumps([str(vars(document)) for document in everything(place).values()])


def test_a_wrong_url_shows_the_right_form(home) -> None:
    result = run("search", "x", "--store", "opensearch://localhost:9200")
    assert result.stderr == "Error: 'opensearch://localhost:9200' names no index. Write opensearch://HOST:9200/INDEX\n"


def test_a_pipeline_may_name_a_store_by_its_url(indexed, place) -> None:
    retriever = "spaniel.components.retrievers.structured_retriever.StructuredRetriever"
    write(
        indexed,
        {
            "pipeline.yaml": f"components:\n  retriever:\n    type: {retriever}\n    init_parameters:\n"
            f"      document_store: {place}\nconnections: []\n"
        },
    )
    result = run("run", "pipeline.yaml", "--input", "query=install", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["retriever"]["documents"][0]["meta"]["path"] == "start.md"


def wait_for(condition, process) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.02)


def count(place: str) -> int:
    with open_store(place) as store:
        if not store.exists():
            return 0
        store.refresh()
        return store.count_if_there()


@pytest.fixture
def large(tmp_path):
    """A store that takes seconds to copy."""
    text = "Some words about this and that. " * 60
    with LocalDocumentStore(tmp_path / "large", search="leaves") as store:
        store.write_documents(Document(id=f"{n:06}", content=f"{n} {text}", meta={"n": n}) for n in range(12_000))
    return tmp_path


def test_a_copy_that_is_killed_goes_on(large, place) -> None:
    process = start("copy", "large", place, cwd=large)
    wait_for(lambda: 0 < count(place) < 12_000, process)
    process.kill()
    process.communicate(timeout=60)
    there = count(place)
    assert 0 < there < 12_000
    code, out, err = run_process("copy", "large", place, cwd=large)
    assert code == 0, err
    assert "both hold these 12,000 documents" in out


def test_a_copy_that_is_interrupted_says_so_and_goes_on(large, place) -> None:
    process = start("copy", "large", place, cwd=large)
    wait_for(lambda: count(place), process)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert re.search(r"Interrupted\. [\d,]+ documents copied .* Run the same command again to go on\.", err)
    code, out, err = run_process("copy", "large", place, cwd=large)
    assert code == 0, err
    assert re.search(r"[\d,]+ by earlier runs\. Verified in .*: both hold these 12,000 documents", out)


def test_a_run_of_indexing_that_is_killed_leaves_nothing_double_or_lost(many, place) -> None:
    process = start("index", "many", "--store", place, cwd=many)
    wait_for(lambda: count(place), process)
    process.kill()
    process.communicate(timeout=60)
    code, _, err = run_process("index", "many", "--store", place, cwd=many)
    assert code == 0, err
    assert run_process("index", "many", cwd=many)[0] == 0
    with LocalDocumentStore(many / ".spaniel") as local:
        assert set(everything(place)) == set(local.storage)
    assert run_process("check", "--store", place, cwd=many)[0] == 0
