"""The layout of judged sets, and their halves."""

import hashlib
from pathlib import Path

import pytest

from spaniel.errors import JudgedSetError
from spaniel.evaluation import JudgedSet, read_judged_set

QUERIES = '{"_id": "1", "text": "red fruit", "metadata": {"kind": "short"}}\n{"_id": "2", "text": "not judged"}\n'
QRELS = "query-id\tcorpus-id\tscore\n1\tapple\t2\n1\tcherry\t1\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "queries.jsonl").write_text(QUERIES)
    (tmp_path / "qrels.tsv").write_text(QRELS)
    (tmp_path / "corpus.jsonl").write_text('{"_id": "apple", "title": "", "text": "red"}\n')
    return tmp_path


def test_only_judged_queries_are_read(folder: Path) -> None:
    judged = read_judged_set(folder)

    assert judged.queries == {"1": "red fruit"}
    assert judged.judgments == {"1": {"apple": 2, "cherry": 1}}
    assert judged.metadata == {"1": {"kind": "short"}}


def test_passages_are_read_from_the_corpus(folder: Path) -> None:
    assert list(read_judged_set(folder).read_passages()) == [{"_id": "apple", "title": "", "text": "red"}]


def test_an_id_with_quotes_is_read_as_it_is(folder: Path) -> None:
    (folder / "qrels.tsv").write_text('query-id\tcorpus-id\tscore\n1\t"a"b\t1\n')

    assert read_judged_set(folder).judgments == {"1": {'"a"b': 1}}


@pytest.mark.parametrize("line", ["1\tapple", "1\tapple\tgood", "1 apple 1"])
def test_a_malformed_judgment_is_named_with_its_line(folder: Path, line: str) -> None:
    (folder / "qrels.tsv").write_text(f"{QRELS}{line}\n")

    with pytest.raises(JudgedSetError, match=r"Line 4 of .*qrels\.tsv"):
        read_judged_set(folder)


def test_a_malformed_query_is_named_with_its_line(folder: Path) -> None:
    (folder / "queries.jsonl").write_text(QUERIES + "{")

    with pytest.raises(JudgedSetError, match=r"Line 3 of .*queries\.jsonl"):
        read_judged_set(folder)


def test_a_missing_file_is_named(folder: Path) -> None:
    with pytest.raises(JudgedSetError, match=r"no\.tsv can't be read"):
        read_judged_set(folder, judgments="no.tsv")


def test_the_halves_are_disjoint_and_complete() -> None:
    ids = [f"q{number}" for number in range(100)]
    judged = JudgedSet("x", Path(), dict.fromkeys(ids, ""), {id: {"a": 1} for id in ids})

    dev, held_out = judged.take_part("dev"), judged.take_part("held-out")

    assert sorted([*dev.queries, *held_out.queries]) == sorted(ids)
    assert dev.judgments.keys() == dev.queries.keys()
    assert set(dev.queries) == {id for id in ids if int(hashlib.sha256(id.encode()).hexdigest()[:2], 16) % 2 == 0}


def test_an_unknown_part_is_refused() -> None:
    with pytest.raises(ValueError, match="'dev', 'held-out' or 'all'"):
        JudgedSet("x", Path(), {}, {}).take_part("test")  # type: ignore[arg-type]
