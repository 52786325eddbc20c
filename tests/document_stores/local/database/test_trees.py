"""Documents of a tree share their texts, ids and metadata, and each of them can go alone."""

import contextlib
import json
from dataclasses import replace

import apsw
import pytest

from spaniel import Document
from spaniel.components.preprocessors import HierarchicalDocumentSplitter, SectionSplitter
from spaniel.document_stores.local import LocalDocumentStore
from spaniel.document_stores.local.database import shapes
from tests.document_stores.faces import equal, ids_of

TEXT = "# Dogs\n\nThey bark.\n\n## Food\n\nBones.\n\nMeat.\n\n## Sleep\n\nAt night.\n"


def split(text: str = TEXT, path: str = "dogs.md") -> list[Document]:
    root = Document(content=text, meta={"path": path, "title": "Dogs"})
    return SectionSplitter(max_words=2).run([root])["documents"]


def rows(store, sql: str) -> list[tuple]:
    connection = apsw.Connection(str(store._state.database.file), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def same(found: list[Document], expected: list[Document]) -> bool:
    """Return if documents are equal, with their metadata in the same order."""
    return [(each, list(each.meta)) for each in found] == [(each, list(each.meta)) for each in expected]


@pytest.fixture
def store(tmp_path):
    with LocalDocumentStore(tmp_path / "kb") as store:
        yield store
        assert store.check() == []


def test_the_text_of_a_tree_is_stored_once(store):
    tree = split()
    assert len(tree) > 8
    store.write_documents(tree)
    assert rows(store, "SELECT sum(length(content)) FROM nodes") == [(len(TEXT),)]
    assert same(store.filter_documents(), tree)


def test_texts_in_lists_of_several_nodes_are_stored_once(store):
    tree = split()
    links = [["cats.md#food", 'a"b'], ["birds.md"], []]
    tree[0].meta["links"] = ["cats.md#food", 'a"b', "birds.md"]
    tree[0].meta["slugs"] = ["once", "cats.md#food"]
    tree[0].meta["references"] = [[1, 3, "birds.md", "link"], [4, 5, "else.md", "broken"], [6, 7, 'a"b', "url"]]
    tree[1].meta["references"] = [[1, 3, "birds.md"]]
    for number, document in enumerate(tree[1:]):
        document.meta["links"] = links[number % 3]
    store.write_documents(tree)
    (items,) = [json.loads(items) for (items,) in rows(store, "SELECT items FROM trees")]
    assert {text: items.count(text) for text in ("cats.md#food", 'a"b', "birds.md", "once")} == {
        **dict.fromkeys(("cats.md#food", 'a"b', "birds.md"), 1),
        "once": 0,
    }
    assert "".join(meta for (meta,) in rows(store, "SELECT meta FROM nodes")).count("birds") == 1
    assert same(store.filter_documents(), tree)
    found = [json.loads(meta) for (meta,) in rows(store, "SELECT meta FROM documents ORDER BY slot")]
    assert found == [document.meta for document in tree]
    condition = {"field": "meta.links", "operator": "contains", "value": "birds.md"}
    assert len(store.filter_documents(condition)) == sum("birds.md" in document.meta["links"] for document in tree)


def test_a_tree_in_the_order_of_its_levels_is_stored_once(store):
    splitter = HierarchicalDocumentSplitter(block_sizes={8, 4, 2}, split_overlap=0)
    tree = splitter.run([Document(content="a b c d e f g h i j k l m n o p ")])["documents"]
    store.write_documents(tree)
    assert rows(store, "SELECT sum(length(content)) FROM nodes") == [(32,)]
    assert same(store.filter_documents(), tree)


def test_every_document_can_be_deleted_alone_in_any_order(tmp_path):
    for seed in range(20):
        kept = split()
        with LocalDocumentStore(tmp_path / str(seed)) as store:
            store.write_documents(kept)
            while kept:
                gone = kept.pop(seed * 7 % len(kept))
                store.delete_documents([gone.id])
                if len(kept) % 3 == seed % 3:
                    store.compact()
                assert same(store.filter_documents(), kept)
                assert store.check() == []
            assert rows(store, "SELECT (SELECT count(*) FROM nodes) + (SELECT count(*) FROM trees)") == [(0,)]


def test_an_overwritten_parent_leaves_the_others_as_they_are(store):
    tree = split()
    store.write_documents(tree)
    new = Document(id=tree[1].id, content="new", meta={"path": "other"})
    store.write_documents([new], "overwrite")
    assert same(store.filter_documents(), [tree[0], *tree[2:], new])


def test_an_update_of_a_parent_changes_no_child(store):
    tree = split()
    store.write_documents(tree)
    store.update_by_filter(equal("id", tree[0].id), {"title": "Cats", "path": "cats.md"})
    tree[0].meta.update({"title": "Cats", "path": "cats.md"})
    assert same(store.filter_documents(), tree)


def test_a_rolled_back_write_leaves_no_shape(store):
    with store.transaction():
        store.write_documents(split())
        with contextlib.suppress(KeyError), store.transaction():
            store.write_documents([Document(id="r", content="ab"), Document(id="l", meta={"x": 1, "__parent_id": "r"})])
            raise KeyError
        tree = [Document(id="p", content="ab"), Document(id="q", meta={"y": 1, "__parent_id": "p"})]
        store.write_documents(tree)
        assert same(store.get_documents_by_id(["p", "q"]), tree)
    assert same(store.get_documents_by_id(["p", "q"]), tree)


@pytest.mark.parametrize("other", [1.0, True, "1", [1], None])
def test_equal_values_of_other_types_are_not_shared(store, other):
    children = [Document(id=f"c{n}", meta={"__parent_id": "r", "k": value}) for n, value in enumerate([1, other, 1])]
    store.write_documents([Document(id="r"), *children])
    assert [type(each.meta["k"]) for each in store.filter_documents()[1:]] == [int, type(other), int]


def test_a_text_that_is_not_that_of_the_leaves_is_stored_whole(store):
    tree = split()
    tree[1] = replace(tree[1], content="something else")
    store.write_documents(tree)
    assert same(store.filter_documents(), tree)


def test_parts_of_a_tree_may_be_in_other_writes(store):
    tree = split()
    store.write_documents(tree[4:])
    store.write_documents(tree[:4])
    assert same(store.filter_documents(), tree[4:] + tree[:4])


def test_metadata_of_too_many_shapes_is_stored_whole(store, monkeypatch):
    monkeypatch.setattr(shapes, "MAX_SHAPES", 2)
    tree = [Document(id="r"), *(Document(id=f"c{n}", meta={"__parent_id": "r", f"k{n}": n}) for n in range(5))]
    store.write_documents(tree)
    assert rows(store, "SELECT count(*) FROM shapes") == [(2,)]
    assert same(store.filter_documents(), tree)


@pytest.mark.parametrize("id", ["\ud800", "\1a", "0" * 64, "é", "a\0b"])
def test_relatives_may_have_any_id(store, id):
    tree = [
        Document(id="r", content="xy", meta={"__children_ids": [id]}),
        Document(id=id, content="xy", meta={"__parent_id": "r", "__children_ids": ["c"]}),
        Document(id="c", content="xy", meta={"__parent_id": id, "source_id": id}),
    ]
    store.write_documents(tree)
    assert same(store.filter_documents(), tree)
    assert rows(store, "SELECT count(content) FROM nodes") == [(1,)]


def test_any_sqlite_tool_reads_the_documents_of_a_tree(store):
    tree = [*split(), Document(id="alone", content="x", meta={"k": [1, None]})]
    store.write_documents(tree)
    found = rows(store, "SELECT id, content, meta FROM documents ORDER BY slot")
    assert [(id, content) for id, content, _ in found] == [(each.id, each.content) for each in tree]
    assert [list(json.loads(meta).items()) for *_, meta in found] == [list(each.meta.items()) for each in tree]


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        ("DELETE FROM nodes WHERE content LIKE 'Bones%'", "is damaged"),
        ("UPDATE nodes SET content = 'short' WHERE content LIKE 'Bones%'", "a part of its content is missing"),
        ("DELETE FROM nodes WHERE parent = tree", "its parent is missing"),
        ("DELETE FROM trees", "nodes have no tree"),
        ("DELETE FROM shapes", "is damaged"),
        ("UPDATE trees SET documents = documents + 1", "trees have another number of documents"),
        ("UPDATE nodes SET tree = NULL, searched = NULL WHERE parent IS NOT NULL", "nodes have no tree"),
        ("UPDATE nodes SET id = 'x'", "documents have the id of another one"),
        ("INSERT INTO attachments (slot) VALUES (99)", "attachments have no document"),
        ("DELETE FROM lookup_runs", "the look-up of 'path' lacks the document"),
    ],
)
def test_check_finds_damage_of_shared_parts(tmp_path, damage, problem):
    with LocalDocumentStore(tmp_path) as store:
        store.add_lookup("path")
        store.write_documents(split())
    database = apsw.Connection(str(tmp_path / "documents.db"))
    database.execute(damage)
    database.close()
    with LocalDocumentStore(tmp_path) as store:
        found = store.check()
    assert any(problem in each for each in found), found


def test_similar_ids_are_kept_apart(store):
    ids = ["0" * 64, "0" * 63 + "1", "0" * 63, "0" * 65, "A" * 64, "\ud800" * 10 + "ab", "\1", "", "g", "0"]
    store.write_documents([Document(id=id, content=id or "x") for id in ids if id])
    for id in filter(None, ids):
        assert ids_of(store.get_documents_by_id([id])) == [id]


def test_documents_are_iterated_in_the_order_of_their_ids(store):
    ids = [
        *(f"{n:064x}" for n in range(0, 1 << 256, 1 << 252)),
        "",
        "0",
        "1",
        "8" * 63,
        "9" * 65,
        "a:",
        "b",
        "f" * 64,
        "g",
        "é",
    ]
    ids = [id for id in ids if id]
    store.write_documents([Document(id=id) for id in reversed(ids)])
    for batch in (1, 3, 100):
        assert [each.id for each in store.iterate(batch=batch)] == sorted(ids)
    for id in (*ids, "/", "00", "@", "1" * 100):
        assert [each.id for each in store.iterate(after=id)] == [each for each in sorted(ids) if each > id]


@pytest.mark.parametrize("key", ["title", "section", "split_id", "__parent_id", "__children_ids", "anchor", "unknown"])
def test_filters_find_shared_values(store, key):
    tree = split()
    store.write_documents([*tree, Document(id="alone", meta={key: "x"})])
    for value in (*(each.meta.get(key) for each in tree), "x"):
        expected = [each.id for each in tree if each.meta.get(key) == value] + (["alone"] if value == "x" else [])
        assert ids_of(store.filter_documents(equal(f"meta.{key}", value))) == expected


def test_a_parent_shares_values_with_its_leaves(store):
    section = ["A long title of a section"]
    tree = [
        Document(id="r", meta={"section": section, "n": 1, "__children_ids": ["a"]}),
        Document(id="a", meta={"section": section, "n": 2, "__parent_id": "r", "__children_ids": ["b", "c"]}),
        Document(id="b", meta={"section": section, "n": 3, "__parent_id": "a"}),
        Document(id="c", meta={"section": section, "n": 3, "__parent_id": "a"}),
    ]
    store.write_documents(tree)
    assert same(store.filter_documents(), tree)
    assert len(rows(store, "SELECT 1 FROM nodes WHERE meta || coalesce(shared, '') LIKE '%long title%'")) == 1
    assert ids_of(store.filter_documents(equal("meta.n", 3))) == ["b", "c"]
    assert ids_of(store.filter_documents(equal("meta.section", section))) == ["r", "a", "b", "c"]
    store.delete_documents(["a"])
    assert same(store.filter_documents(), [tree[0], *tree[2:]])
