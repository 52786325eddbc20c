"""The commands that take a knowledge base as a whole."""

import json
from contextlib import closing
from pathlib import Path

import apsw
import pytest

import spaniel
from tests.cli.test_app import home, indexed, run

__all__ = ["home", "indexed"]


def test_check_prints_that_everything_is_whole(indexed: Path) -> None:
    result = run("check")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "Everything is whole.\n", "")


def test_check_lists_damage_and_exits_with_1(indexed: Path) -> None:
    database = indexed / ".spaniel/documents.db"
    damaged = bytearray(database.read_bytes())
    damaged[4096:8192] = bytes(4096)
    database.write_bytes(damaged)
    result = run("check")
    assert result.exit_code == 1
    assert "damaged" in result.output or "malformed" in result.output


@pytest.mark.parametrize("command", ["rebuild", "compact"])
def test_results_are_the_same_afterwards(indexed: Path, command: str) -> None:
    before = run("search", "pip", "--json").stdout
    assert run(command).exit_code == 0
    assert run("search", "pip", "--json").stdout == before


def test_a_backup_is_a_knowledge_base(indexed: Path) -> None:
    assert run("backup", "copy").exit_code == 0
    assert run("search", "pip", "--store", "copy", "--json").stdout == run("search", "pip", "--json").stdout
    assert run("stats", "--store", "copy").exit_code == 0


def test_a_backup_over_something_is_refused(indexed: Path) -> None:
    (indexed / "copy").mkdir()
    (indexed / "copy/mine.txt").write_text("mine")
    assert run("backup", "copy").exit_code == 1
    assert [file.name for file in (indexed / "copy").iterdir()] == ["mine.txt"]


def test_import_reads_an_export(indexed: Path) -> None:
    assert run("export", "all.jsonl").exit_code == 0
    assert all(json.loads(line)["id"] for line in Path("all.jsonl").read_text(encoding="utf-8").splitlines())
    assert run("import", "all.jsonl", "--store", "other").exit_code == 0
    there, here = (
        json.loads(run("search", "pip", "--store", store, "--json").stdout) for store in ("other", ".spaniel")
    )
    for result in here["results"]:
        result["file"] = None  # an export has no records of files
    assert there == here


def test_export_skips_damaged_documents_on_request(indexed: Path) -> None:
    with closing(apsw.Connection(str(indexed / ".spaniel/documents.db"))) as database:
        database.execute(
            "UPDATE nodes SET content = CAST(x'ff' AS TEXT) WHERE slot = (SELECT max(slot) FROM documents)"
        )
        [(count,)] = database.execute("SELECT count(*) FROM documents").fetchall()
    refused = run("export", "all.jsonl")
    assert (refused.exit_code, Path("all.jsonl").exists()) == (1, False)
    assert run("export", "all.jsonl", "--skip-damaged").exit_code == 0
    assert len(Path("all.jsonl").read_text(encoding="utf-8").splitlines()) == count - 2  # the root shares its text


def test_import_rejects_existing_ids_without_overwrite(indexed: Path) -> None:
    run("export", "all.jsonl")
    refused = run("import", "all.jsonl")
    assert refused.exit_code == 1
    assert "already exists" in refused.stderr
    assert run("import", "all.jsonl", "--overwrite").exit_code == 0


@pytest.mark.parametrize("command", ["check", "rebuild", "compact", "export x", "backup x"])
def test_nothing_is_made_where_there_is_no_knowledge_base(home: Path, command: str) -> None:
    result = run(*command.split())
    assert result.exit_code == 1
    assert "Nothing is indexed" in result.stderr
    assert not (home / ".spaniel").exists()


def test_a_missing_file_is_no_import(home: Path) -> None:
    assert "no file 'x.jsonl'" in run("import", "x.jsonl").stderr
    assert not (home / ".spaniel").exists()


def test_rebuild_changes_the_analyzer(indexed):
    assert run("rebuild", "--analyzer", "english").exit_code == 0
    assert spaniel.open(".spaniel").document_store.analyzer == "english"
    result = run("rebuild", "--analyzer", "klingon")
    assert (result.exit_code, "'klingon' is none of standard, auto," in " ".join(result.stderr.split())) == (2, True)
    assert spaniel.open(".spaniel").document_store.analyzer == "english"
