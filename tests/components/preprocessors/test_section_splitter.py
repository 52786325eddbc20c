import logging

import haystack
import pytest
from haystack.components.retrievers import AutoMergingRetriever
from haystack.document_stores.in_memory import InMemoryDocumentStore
from hypothesis import given
from hypothesis import strategies as st

from spaniel.components.converters._file_converter import build_document
from spaniel.components.converters.files import CONVERTERS
from spaniel.components.preprocessors.section_splitter import SectionSplitter
from spaniel.dataclasses import Document
from spaniel.text.chunking import count_words

LINES = st.sampled_from(
    [
        *("# One", "## Two", "### Three", "###### Six", "# One", "Title\n=====", "Sub\n---", "====\nOver\n===="),
        *(
            "words of a paragraph.",
            "More words. And a sentence.",
            "```\n# code\n\nmore\n```",
            "- item",
            "",
            "",
            "",
            "東京都の天気",
        ),
        *(
            "[link](a.md#one)",
            "[self](#one)",
            "<https://x.org>",
            "`rst <b.rst>`_",
            "\f",
            "    indented",
            "---",
            "x" * 80,
            "|a|b|",
        ),
    ]
)
TEXTS = st.lists(LINES, min_size=1, max_size=30).map("\n".join)


def split(content, max_words=120, **meta):
    return SectionSplitter(max_words).run([Document(content=content, meta=meta)])["documents"]


def leaves(nodes):
    return [node for node in nodes if not node.meta["__children_ids"]]


def outline(nodes):
    return [(node.meta["__level"], node.meta["section"][-1:], node.content) for node in nodes]


def check_tree(source, nodes, max_words):
    by_id = {node.id: node for node in nodes}
    root = nodes[0]
    assert len(by_id) == len(nodes)
    assert (root.id, root.content, root.meta["__parent_id"], root.meta["__level"]) == (
        source.id,
        source.content,
        None,
        0,
    )
    for node in nodes:
        meta = node.meta
        assert meta["__root_id"] == root.id
        assert root.content[meta["__start"] : meta["__end"]] == node.content
        children = [by_id[child] for child in meta["__children_ids"]]
        for position, child in enumerate(children):
            assert child.meta["__parent_id"] == child.meta["source_id"] == node.id
            assert child.meta["__level"] == meta["__level"] + 1
            assert child.meta["split_id"] == position
            assert child.meta["split_idx_start"] == child.meta["__start"] - meta["__start"]
            assert child.meta["section"][: len(meta["section"])] == meta["section"]
        if children:
            assert "".join(child.content for child in children) == node.content
            assert meta["__block_size"] == 0
        else:
            assert count_words(node.content) <= max_words
            assert meta["__block_size"] == max_words
    anchors = [node.meta["anchor"] for node in nodes if "anchor" in node.meta]
    assert len(anchors) == len(set(anchors))
    assert sum(len(node.meta["__children_ids"]) for node in nodes) == len(nodes) - 1


@given(TEXTS, st.integers(1, 30))
def test_the_tree_of_a_text_is_whole_and_exact(text, max_words):
    source = Document(content=text, meta={"path": "a/b.txt"})
    nodes = SectionSplitter(max_words).run([source])["documents"]
    if text.strip():
        check_tree(source, nodes, max_words)
    else:
        assert nodes == []


@pytest.mark.parametrize("suffix", [".md", ".rst", ".html"])
def test_the_tree_of_a_converted_text_is_whole_and_exact(suffix):
    @given(TEXTS, st.integers(1, 30))
    def check(text, max_words):
        converted = CONVERTERS[suffix](text)
        source = build_document(converted, "a/b.md")
        nodes = SectionSplitter(max_words).run([source])["documents"]
        if converted.text.strip():
            check_tree(source, nodes, max_words)
            spread = sorted(
                {
                    link
                    for leaf in leaves(nodes)
                    for key in ("links", "urls", "broken_links")
                    for link in leaf.meta.get(key, [])
                }
            )
            assert spread == sorted({target for _, _, target, _ in source.meta["references"]})

    check()


def test_sections_nest_by_their_levels_also_where_levels_are_skipped():
    nodes = split("# A\na\n### B\nb\n## C\nc\n# D\nd\n")
    assert outline(nodes) == [
        (0, [], "# A\na\n### B\nb\n## C\nc\n# D\nd\n"),
        (1, ["A"], "# A\na\n### B\nb\n## C\nc\n"),
        (2, ["A"], "# A\na\n"),
        (2, ["B"], "### B\nb\n"),
        (2, ["C"], "## C\nc\n"),
        (1, ["D"], "# D\nd\n"),
    ]


def test_a_heading_with_nothing_but_sections_below_stands_in_the_first_of_them():
    nodes = split("# A\n\n## B\n\nb\n\n## C\n\nc\n", path="x.md")
    assert [leaf.content for leaf in leaves(nodes)] == ["# A\n\n## B\n\nb\n\n", "## C\n\nc\n"]
    assert [node.meta.get("anchor") for node in nodes] == ["x.md", "x.md#a", "x.md#b", "x.md#c"]


def test_text_before_the_first_heading_is_a_leaf_of_the_root():
    nodes = split("intro\n\n# A\n\na\n", path="x.md")
    assert [(leaf.content, leaf.meta["section"], leaf.meta.get("anchor")) for leaf in leaves(nodes)] == [
        ("intro\n\n", [], None),
        ("# A\n\na\n", ["A"], "x.md#a"),
    ]


def test_signs_before_the_first_heading_are_no_leaf():
    assert [leaf.content for leaf in leaves(split("\n***\n\n# A\n\na\n"))] == ["\n***\n\n# A\n\na\n"]


def test_leaves_cut_from_a_section_have_its_path_but_not_its_anchor():
    nodes = split("# A\n\n" + "Some words here.\n\n" * 20, max_words=12, path="x.md")
    assert all(leaf.meta["section"] == ["A"] and "anchor" not in leaf.meta for leaf in leaves(nodes))
    assert len(leaves(nodes)) > 4


def test_a_short_text_without_headings_is_a_leaf_and_its_own_root():
    (node,) = split("just words", path="a.txt")
    assert (node.meta["__children_ids"], node.meta["anchor"], node.meta["section"]) == ([], "a.txt", [])


def test_equal_sections_get_different_ids_and_anchors():
    nodes = split("# Same\n\nwords\n\n# Same\n\nwords\n\n", path="x.md")
    assert [node.meta.get("anchor") for node in nodes] == ["x.md", "x.md#same", "x.md#same-1"]
    assert len({node.id for node in nodes}) == 3


def test_repeated_words_get_different_ids():
    nodes = split("go on " * 3, max_words=2)
    assert len(nodes) == len({node.id for node in nodes}) == 4


def test_a_link_is_on_the_leaf_where_it_begins_and_on_all_above():
    nodes = split("# A\n\n[b](b.md) [b](b.md) <https://x.org>\n\n# C\n\n[d](../../d.md)\n", path="x.md")
    root, a, c = nodes
    assert (root.meta["links"], root.meta["urls"], root.meta["broken_links"]) == (
        ["b.md"],
        ["https://x.org"],
        ["../../d.md"],
    )
    assert (a.meta["links"], a.meta["urls"], "broken_links" in a.meta) == (["b.md"], ["https://x.org"], False)
    assert ("links" in c.meta, "urls" in c.meta, c.meta["broken_links"]) == (False, False, ["../../d.md"])


def test_an_empty_link_at_the_very_end_is_kept():
    source = build_document(CONVERTERS[".md"]("Words [![](i.png)](a.md)"), "x.md")
    assert SectionSplitter().run([source])["documents"][0].meta["links"] == ["a.md"]


def test_headings_in_the_metadata_win_over_those_in_the_text():
    nodes = split("# no heading\n\nYes\n\nwords", headings=[[1, "Yes", 14]], heading_slugs=["ja"], path="p")
    assert [(node.content, node.meta.get("anchor")) for node in nodes[1:]] == [
        ("# no heading\n\n", None),
        ("Yes\n\nwords", "p#ja"),
    ]
    assert len(split("# no heading\n\nwords", headings=[])) == 1


def test_file_metadata_stays_on_the_root():
    root, section, *_ = split(
        "A\n\nwords", headings=[[1, "A", 0]], references=[], heading_slugs=["a"], code_blocks=[], team="x"
    )
    assert {"headings", "references", "heading_slugs", "code_blocks", "team"} <= root.meta.keys()
    assert section.meta.keys().isdisjoint({"headings", "references", "heading_slugs", "code_blocks"})
    assert section.meta["team"] == "x"


def test_nodes_have_the_lines_of_their_words_in_the_source():
    marks = [[0, 3, 4], [3, 6, 6], [10, 20, 22]]
    root, section, *_ = nodes = split("A\n\nwords\n\nB\n", headings=[[1, "A", 0], [1, "B", 10]], source_lines=marks)
    assert [(node.meta["line"], node.meta["end_line"]) for node in nodes] == [(3, 22), (3, 6), (20, 22)]
    assert "source_lines" not in root.meta.keys() | section.meta.keys()


def test_nodes_without_source_lines_have_no_line():
    assert all("line" not in node.meta and "page" not in node.meta for node in split("# A\n\nwords\f"))


def test_source_lines_and_pages_do_not_count_for_ids():
    source = Document(content="# A\n\none two\n\n# B", meta={"headings": [[1, "A", 0]]})
    plain = SectionSplitter().run([source])["documents"]
    source.meta.update({"source_lines": [[0, 7, 9]], "source_pages": 1})
    marked = SectionSplitter().run([source])["documents"]
    assert [node.id for node in marked] == [node.id for node in plain]
    assert all(node.meta["line"] == 7 for node in marked)


def test_nodes_of_a_file_with_pages_have_the_page_of_their_first_word():
    nodes = split("\f one\f\ftwo", headings=[[1, "two", 7]], source_pages=4)
    assert [node.meta["page"] for node in nodes] == [2, 2, 4]


@pytest.mark.parametrize(
    "headings", [[[1, "A", 5], [1, "B", 2]], [[1, "A", 2], [1, "B", 2]], [[1, "A", 99]], [[1, "A", -1]]]
)
def test_headings_that_do_not_fit_the_text_are_refused(headings):
    with pytest.raises(ValueError, match="not in the order of its text, or outside of it"):
        split("some words", headings=headings)


def test_pages_are_counted_over_the_whole_document():
    nodes = split("# A\n\na\n\f# B\n\nb\n\f\n# C\n\nc")
    assert [(node.meta["section"], node.meta["page_number"]) for node in nodes[1:]] == [
        (["A"], 1),
        (["B"], 2),
        (["C"], 3),
    ]


def test_ten_levels_of_sections_are_kept():
    text = "\n\n".join(f"L{level}" for level in range(10))
    headings = [[level + 1, f"L{level}", text.index(f"L{level}")] for level in range(10)]
    nodes = split(text, headings=headings, path="p")
    assert nodes[-1].meta["section"] == [f"L{level}" for level in range(10)]
    assert [leaf.content for leaf in leaves(nodes)] == [text]


def test_the_input_is_not_changed_and_nothing_is_shared():
    source = Document(content="# A\n\na\n\n# B\n\nb", meta={"tags": ["x"]})
    before = source.to_dict()
    nodes = SectionSplitter().run([source])["documents"]
    nodes[1].meta["tags"].append("y")
    assert source.to_dict() == before
    assert nodes[0].meta["tags"] == nodes[2].meta["tags"] == ["x"]


def test_splitting_twice_gives_the_same_ids():
    text = "# A\n\n" + "words " * 300
    assert [node.id for node in split(text)] == [node.id for node in split(text)]
    again = SectionSplitter().run(split(text)[:1])["documents"]
    assert again[0].id == split(text)[0].id


def test_the_input_must_be_documents_with_text(caplog):
    splitter = SectionSplitter()
    for wrong in ("text", [Document(content="a"), "b"], Document(content="a")):
        with pytest.raises(TypeError, match="List of Documents"):
            splitter.run(wrong)
    with pytest.raises(ValueError, match="is None"):
        splitter.run([Document(content=None)])
    with caplog.at_level(logging.WARNING):
        assert splitter.run([Document(content=""), Document(content=" \n")])["documents"] == []
    assert caplog.text.count("has no text") == 2


def test_leaves_need_at_least_one_word():
    with pytest.raises(ValueError, match="at least 1"):
        SectionSplitter(max_words=0)


def test_a_splitter_survives_serialisation():
    splitter = SectionSplitter.from_dict(SectionSplitter(max_words=7).to_dict())
    assert splitter.max_words == 7


def test_haystacks_auto_merging_retriever_merges_the_leaves():
    nodes = split("# A\n\n" + "Some words here. " * 20, max_words=20)
    theirs = [haystack.Document(id=node.id, content=node.content, meta=node.meta) for node in nodes]
    store = InMemoryDocumentStore()
    store.write_documents(theirs)
    merged = AutoMergingRetriever(store, threshold=0.5).run(
        [document for document in theirs if not document.meta["__children_ids"]]
    )
    assert [document.id for document in merged["documents"]] == [nodes[0].id]


def test_every_topic_of_the_language_reference_makes_a_sound_tree():
    from pydoc_data.topics import topics

    for name, text in topics.items():
        source = Document(content=text, meta={"path": f"{name}.txt"})
        nodes = SectionSplitter().run([source])["documents"]
        check_tree(source, nodes, 120)
        assert all(count_words(leaf.content) > 2 for leaf in leaves(nodes)), name
