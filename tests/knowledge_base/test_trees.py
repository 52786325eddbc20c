"""Trees as plain data."""

import json

from spaniel import Document
from spaniel.components.preprocessors import SectionSplitter
from spaniel.knowledge_base.trees import packed, unpacked

TEXT = "# Dogs\n\nThey bark.\n\n## Food\n\nBones. " + "And more bones. " * 80 + "\n\n## Sleep\n\nLong.\n"


def test_a_tree_comes_back_as_it_was() -> None:
    tree = SectionSplitter(max_words=20).run([Document(content=TEXT, meta={"path": "dogs.md"})])["documents"]
    assert unpacked(json.loads(json.dumps(packed(tree)))) == tree


def test_the_text_is_written_once() -> None:
    tree = SectionSplitter(max_words=20).run([Document(content=TEXT, meta={"path": "dogs.md"})])["documents"]
    assert [node["id"] for node in packed(tree) if "content" in node] == [tree[0].id]


def test_a_node_that_is_no_piece_of_the_root_keeps_its_text() -> None:
    tree = [Document(id="r", content="Dogs."), Document(id="x", content="Cats.", meta={"__start": 0, "__end": 5})]
    assert unpacked(packed(tree)) == tree


def test_a_file_without_text_is_an_empty_tree() -> None:
    assert unpacked(packed([])) == []
