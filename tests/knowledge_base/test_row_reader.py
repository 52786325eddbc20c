"""Files of rows in a knowledge base."""

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import spaniel
from spaniel import Document, KnowledgeBase
from spaniel.components.preprocessors import SectionSplitter
from spaniel.errors import MissingDocumentError
from spaniel.knowledge_base import row_reader
from spaniel.knowledge_base.row_reader import make_row_tree
from tests.collection import OWN
from tests.knowledge_base.folders import write
from tests.knowledge_base.test_index_run import Stop, fresh, same

LONG = "# Food\n\nBones. See [water](#water).\n\n## Water\n\n" + "Dogs drink a lot of water. " * 60


def lines(*rows: Any) -> str:
    return "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows)


PETS = lines(
    {"_id": "rex", "text": "Rex barks.", "kind": "dog", "links": ["pets.jsonl#tom"], "metadata": {"year": 2020}},
    {"_id": "tom", "text": "Tom purrs.", "kind": "cat", "year": 2021},
)


@pytest.fixture
def kb(tmp_path: Path) -> KnowledgeBase:
    return spaniel.open(tmp_path / "kb")


def ids(kb: KnowledgeBase) -> list[str]:
    return sorted(document.id for document in kb.document_store.filter_documents())


def test_each_row_is_a_document_with_its_id_fields_and_address(kb: KnowledgeBase, tmp_path: Path) -> None:
    report = kb.index(write(tmp_path / "docs", {"pets.jsonl": PETS}))
    assert (report.added, report.documents, report.bad_rows) == (["pets.jsonl"], 2, {})
    rex = kb.find("rex")
    assert (rex.content, rex.meta["kind"], rex.meta["year"], rex.meta["path"]) == (
        "Rex barks.",
        "dog",
        2020,
        "pets.jsonl",
    )
    assert kb.find("pets.jsonl#rex") == rex
    assert same(spaniel.open(kb.path), kb)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.jsonl", b'{"id": 1, "text": "red apples"}\n'),
        ("a.ndjson.gz", gzip.compress(b'{"id": 1, "text": "red apples"}\n', mtime=0)),
        ("a.csv", b"id,text\n1,red apples\n"),
        ("a.tsv.gz", gzip.compress(b"id\ttext\n1\tred apples\n", mtime=0)),
    ],
)
def test_all_kinds_are_read_alone_and_in_a_folder(kb: KnowledgeBase, tmp_path: Path, name: str, data: bytes) -> None:
    folder = write(tmp_path / "docs", {f"deep/{name}": data})
    assert kb.index(folder).added == [f"deep/{name}"]
    assert [result.id for result in kb.search("apples")] == ["1"]
    other = spaniel.open(tmp_path / "other")
    assert other.index(folder / "deep" / name).added == [name]


def test_links_lead_from_row_to_row_and_from_files_to_rows(kb: KnowledgeBase, tmp_path: Path) -> None:
    kb.index(write(tmp_path / "docs", {"pets.jsonl": PETS, "a.md": "A note on [him](pets.jsonl#rex)."}))
    found = kb.search("note", follow=["links"], depth=2)
    assert [(result.kind, result.path, result.text) for result in found] == [
        ("hit", "a.md", "A note on him."),
        ("linked", "pets.jsonl", "Rex barks."),
        ("linked", "pets.jsonl", "Tom purrs."),
    ]
    assert (kb.statistics().links, kb.statistics().broken_links) == (2, 0)


def test_a_long_row_is_cut_and_its_pieces_have_its_fields(kb: KnowledgeBase, tmp_path: Path) -> None:
    row = {"id": "manual", "text": LONG, "kind": "dog", "year": 2020}
    kb.index(write(tmp_path / "docs", {"a.jsonl": lines(row)}))
    whole, *pieces = kb.document_store.get_documents_by_key("meta.path", ["a.jsonl"])
    assert (whole.id, whole.content) == ("manual", LONG)
    assert len(pieces) > 3
    assert all(LONG[piece.meta["__start"] : piece.meta["__end"]] == piece.content for piece in pieces)
    assert {(piece.meta["kind"], piece.meta["year"], piece.meta["__root_id"]) for piece in pieces} == {
        ("dog", 2020, "manual")
    }
    anchors = [piece.meta["anchor"] for piece in pieces if "anchor" in piece.meta]
    assert anchors == ["a.jsonl#manual#food", "a.jsonl#manual#water"]
    assert whole.meta["links"] == ["a.jsonl#manual#water"]
    result = kb.search("drink water", filters={"field": "meta.year", "operator": "==", "value": 2020}, merge=True)[0]
    assert (result.kind, result.section) == ("merged", [])


def test_rows_with_the_same_headings_have_addresses_of_their_own(kb: KnowledgeBase, tmp_path: Path) -> None:
    kb.index(write(tmp_path / "docs", {"a.jsonl": lines(*({"id": id, "text": LONG} for id in "xy"))}))
    anchors = [d.meta["anchor"] for d in kb.document_store.filter_documents() if "anchor" in d.meta]
    assert sorted(anchors) == sorted(f"a.jsonl#{id}{section}" for id in "xy" for section in ("", "#food", "#water"))


def test_links_and_anchor_of_a_row_are_kept(kb: KnowledgeBase, tmp_path: Path) -> None:
    kb.index(write(tmp_path / "docs", {"a.jsonl": lines({"id": "x", "text": LONG, "anchor": "A1", "links": ["B1"]})}))
    root, *pieces = kb.document_store.get_documents_by_key("meta.path", ["a.jsonl"])
    assert (root.meta["anchor"], root.meta["links"]) == ("A1", ["B1"])
    assert {tuple(piece.meta["links"]) for piece in pieces} == {("B1",)}


def test_fields_with_another_meaning_are_renamed(kb: KnowledgeBase, tmp_path: Path) -> None:
    row = {"id": "x", "text": "words", "path": "p", "section": 3, "headings": "h", "source_id": 1, "__level": 9}
    kb.index(write(tmp_path / "docs", {"a.jsonl": lines(row)}))
    meta = kb.find("x").meta
    assert {key: value for key, value in meta.items() if key.startswith("row_")} == {
        "row_path": "p",
        "row_section": 3,
        "row_headings": "h",
        "row_source_id": 1,
    }
    assert (meta["path"], meta["section"], meta["__level"]) == ("a.jsonl", [], 0)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
NAMES = ["links", "anchor", "section", "title", "source_id", "split_id", "headings", "references", "page_number"]
NAMES += ["urls", "broken_links", "code_blocks", "__parent_id", "__children_ids", "__start", "path", "score", "meta"]


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.dictionaries(st.sampled_from(NAMES), JSON, max_size=5), min_size=1, max_size=3))
def test_whatever_a_row_holds_the_others_are_found(tmp_path_factory: pytest.TempPathFactory, odd: list[Any]) -> None:
    folder = tmp_path_factory.mktemp("odd")
    text = lines(
        *({**row, "id": f"odd{number}", "text": LONG} for number, row in enumerate(odd)),
        {"id": "x", "text": "plain water"},
    )
    write(folder / "docs", {"a.jsonl": text})
    kb = fresh(folder / "docs", folder / "kb")
    results = kb.search("plain water", window=1, top_k=20)
    assert results[0].id == "x"
    if any(row.get("links") for row in odd):
        kb.search("water", follow=["links"], top_k=20).to_dict()
    assert kb.statistics().documents == len(ids(kb))
    assert same(spaniel.open(kb.path), kb)


def test_a_field_that_would_be_copied_too_often_stays_with_the_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_reader, "_MAX_COPIED_CHARACTERS", 500)
    row = Document(id="x", content=LONG, meta={"path": "a.csv", "large": ["words"] * 50, "small": "s"})
    root, *pieces = make_row_tree(row, SectionSplitter())
    assert root.meta["large"] == row.meta["large"]
    assert {(piece.meta["small"], "large" in piece.meta) for piece in pieces} == {("s", False)}


def test_bad_rows_are_listed_by_line_and_the_others_are_indexed(kb: KnowledgeBase, tmp_path: Path) -> None:
    text = lines(
        {"id": 1, "text": "good"}, "no json", "", {"id": 2}, {"id": 1, "text": "again"}, {"id": 3, "text": "fine"}
    )
    report = kb.index(write(tmp_path / "docs", {"a.jsonl": text}))
    assert (report.added, report.failed, ids(kb)) == (["a.jsonl"], {}, ["1", "3"])
    bad = report.bad_rows["a.jsonl"]
    assert (bad.count, [row.line for row in bad.first]) == (3, [2, 4, 5])
    assert bad.first[2].reason == "an earlier row has the same id '1'"
    assert kb.index(tmp_path / "docs").bad_rows == {}


def test_many_bad_rows_are_counted(kb: KnowledgeBase, tmp_path: Path) -> None:
    report = kb.index(write(tmp_path / "docs", {"a.jsonl": lines({"text": "good"}, *["bad"] * 1000)}))
    assert (report.bad_rows["a.jsonl"].count, len(report.bad_rows["a.jsonl"].first)) == (1000, 100)


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.jsonl", b'{"id": 1}\n{"id": 2}\n', "none of its rows can be read. Line 1: it has no 'content', 'text' or"),
        ("a.csv", b"id,words\n1,red\n", "has no column 'content', 'text' or 'body', only 'id', 'words'"),
        ("a.jsonl.gz", b"no gzip", "damaged .gz file: "),
        ("b.jsonl.gz", gzip.compress(PETS.encode() * 99, mtime=0)[:60], "damaged .gz file: "),
        ("nul.csv", b"a\0b,text\n", "is binary, not text"),
    ],
)
def test_an_unreadable_file_is_listed_and_its_last_version_is_kept(
    kb: KnowledgeBase, tmp_path: Path, name: str, data: bytes, reason: str
) -> None:
    good = b'{"id": 1, "text": "red"}\n' if "json" in name else b"id,text\n1,red\n"
    folder = write(tmp_path / "docs", {name: gzip.compress(good, mtime=0) if name.endswith(".gz") else good})
    kb.index(folder)
    write(folder, {name: data})
    for _ in range(2):
        report = kb.index(folder)
        assert report.failed[name].startswith(reason)
        assert [result.id for result in kb.search("red")] == ["1"]
    assert same(spaniel.open(kb.path), kb)


def test_an_id_of_another_file_is_listed(kb: KnowledgeBase, tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", {"a.jsonl": PETS, "b.csv": "id,text\nrex,Another Rex.\nbob,Bob sings.\n"})
    report = kb.index(folder)
    assert [(row.line, row.reason) for row in report.bad_rows["b.csv"].first] == [
        (2, "id 'rex' already used by a.jsonl")
    ]
    assert ids(kb) == ["bob", "rex", "tom"]
    assert kb.find("rex").content == "Rex barks."


@pytest.mark.parametrize("left", [lines({"id": "tom", "text": "Tom purrs."}), None])
def test_a_row_comes_back_when_its_id_is_free(kb: KnowledgeBase, tmp_path: Path, left: str | None) -> None:
    folder = write(tmp_path / "docs", {"a.jsonl": PETS, "b.csv": "id,text\nrex,Another Rex.\nbob,Bob sings.\n"})
    kb.index(folder)
    (folder / "a.jsonl").unlink() if left is None else write(folder, {"a.jsonl": left})
    assert "b.csv" in kb.index(folder).changed
    assert kb.find("rex").content == "Another Rex."


@pytest.mark.parametrize("pets", [PETS, PETS.replace('"rex"', '"max"')])
def test_the_first_file_by_path_has_an_id_also_if_it_comes_later(kb: KnowledgeBase, tmp_path: Path, pets: str) -> None:
    folder = write(tmp_path / "docs", {"b.jsonl": PETS})
    kb.index(folder)
    write(folder, {"a.csv": "id,text\nrex,Another Rex.\nbob,Bob sings.\n", "b.jsonl": pets})
    report = kb.index(folder)
    assert (report.added, report.changed) == (["a.csv"], ["b.jsonl"])
    assert kb.find("rex").content == "Another Rex."
    assert same(kb, fresh(folder, tmp_path / "other"))
    assert kb.index(folder).unchanged == 2


def test_a_file_whose_ids_are_all_taken_is_empty(kb: KnowledgeBase, tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", {"b.jsonl": PETS})
    kb.index(folder)
    write(folder, {"a.jsonl": PETS})
    report = kb.index(folder)
    assert (report.failed, report.bad_rows["b.jsonl"].count) == ({}, 2)
    assert same(kb, fresh(folder, tmp_path / "other"))


def test_a_changed_file_is_replaced_whole_and_an_unchanged_one_left_alone(kb: KnowledgeBase, tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", {"pets.jsonl": PETS, "a.md": "Words."})
    kb.index(folder)
    assert kb.index(folder).unchanged == 2
    os.utime(folder / "pets.jsonl", (1, 1))
    assert kb.index(folder).unchanged == 2
    write(folder, {"pets.jsonl": lines({"id": "tom", "text": LONG}, {"id": "eve", "text": "Eve hums."})})
    assert kb.index(folder).changed == ["pets.jsonl"]
    assert not {"rex"} & set(ids(kb))
    assert same(kb, fresh(folder, tmp_path / "other"))
    assert same(spaniel.open(kb.path), kb)


def test_a_file_that_is_gone_is_taken_out(kb: KnowledgeBase, tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", {"pets.jsonl": PETS, "a.md": "Words."})
    kb.index(folder)
    (folder / "pets.jsonl").unlink()
    assert kb.index(folder).removed == ["pets.jsonl"]
    assert same(kb, fresh(folder, tmp_path / "other"))
    assert same(spaniel.open(kb.path), kb)


def test_a_file_can_be_deleted(kb: KnowledgeBase, tmp_path: Path) -> None:
    kb.index(write(tmp_path / "docs", {"pets.jsonl": PETS, "a.jsonl": lines({"id": 1, "text": "red"})}))
    assert kb.delete(path="pets.jsonl") == 2
    assert ids(spaniel.open(kb.path)) == ["1"]


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ("pets.jsonl", "'pets.jsonl' is a file of rows. Name one of them by its id, or as 'pets.jsonl#ID'."),
        ("pets.jsonl#bob", "'pets.jsonl' has no such row or section: 'pets.jsonl#bob'."),
    ],
)
def test_invalid_rows_are_listed(kb: KnowledgeBase, tmp_path: Path, reference: str, said: str) -> None:
    kb.index(write(tmp_path / "docs", {"pets.jsonl": PETS}))
    with pytest.raises(MissingDocumentError) as caught:
        kb.find(reference)
    assert str(caught.value) == said


def test_other_fields_index_the_file_again(kb: KnowledgeBase, tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", {"a.csv": "id,sku,text,note\n1,x7,red,blue\n", "b.md": "Words."})
    kb.index(folder)
    report = kb.index(folder, text_field="note", id_field="sku")
    assert (report.changed, report.unchanged) == (["a.csv"], 1)
    assert (kb.find("x7").content, kb.find("x7").meta["text"]) == ("blue", "red")
    assert kb.index(folder, text_field="note", id_field="sku").unchanged == 2
    assert kb.index(folder).changed == ["a.csv"]
    assert kb.find("1").content == "red"


def test_a_crash_in_the_middle_of_a_file_leaves_its_last_version(
    kb: KnowledgeBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_reader, "_BATCH_CHARACTERS", 10)
    folder = write(tmp_path / "docs", {"pets.jsonl": PETS})
    kb.index(folder)
    before = spaniel.open(kb.path)
    more = lines(*({"id": number, "text": f"word{number} and more"} for number in range(9)))
    write(folder, {"pets.jsonl": more})
    cut = make_row_tree

    def crash(row: Document, splitter: SectionSplitter) -> list[Document]:
        if row.id == "5":
            raise Stop
        return cut(row, splitter)

    monkeypatch.setattr(row_reader, "make_row_tree", crash)
    with pytest.raises(Stop):
        kb.index(folder)
    assert same(kb, before)
    assert same(spaniel.open(kb.path), before)
    monkeypatch.setattr(row_reader, "make_row_tree", cut)
    kb.index(folder)
    assert len(ids(kb)) == 9
    assert same(spaniel.open(kb.path), kb)


def test_a_corpus_is_found_by_its_words_and_fields(kb: KnowledgeBase) -> None:
    report = kb.index(OWN)
    assert report.bad_rows == {}
    found = kb.search("relative imports", filters={"field": "meta.pep", "operator": "==", "value": 328})
    assert {result.document.meta["pep"] for result in found} == {328}
    assert kb.find("peps.jsonl#pep-0328#0").meta["title"] == "Abstract"
    assert kb.index(OWN).unchanged == 1
