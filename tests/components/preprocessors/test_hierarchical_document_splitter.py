import inspect
from collections import defaultdict

import pytest
from haystack.components.preprocessors import HierarchicalDocumentSplitter as ReferenceSplitter
from hypothesis import given, settings
from hypothesis import strategies as st

from spaniel import Document
from spaniel.components.preprocessors import HierarchicalDocumentSplitter
from tests.components.preprocessors.documents import many_fields, ours, plain, texts, theirs

OFFSETS = ("__root_id", "__start", "__end")


@st.composite
def settings_of_trees(draw):
    sizes = draw(st.sets(st.integers(1, 12), min_size=1, max_size=4))
    return {
        "block_sizes": sizes,
        "split_overlap": draw(st.integers(0, min(sizes) - 1)),
        "split_by": draw(st.sampled_from(["word", "passage", "page", "line", "period"])),
    }


@settings(max_examples=300, deadline=None)
@given(many_fields, settings_of_trees())
def test_nodes_equal_the_reference_in_all_but_the_offsets(many, parameters):
    expected = ReferenceSplitter(**parameters).run(theirs(many))["documents"]

    nodes = HierarchicalDocumentSplitter(**parameters).run(ours(many))["documents"]

    for node in nodes:
        for key in OFFSETS:
            del node.meta[key]
    assert plain(nodes) == plain(expected)


@settings(max_examples=300, deadline=None)
@given(texts, settings_of_trees())
def test_every_node_stands_in_its_root_where_it_says(text, parameters):
    root, *nodes = HierarchicalDocumentSplitter(**parameters).run([Document(content=text)])["documents"]

    assert (root.meta["__root_id"], root.meta["__start"], root.meta["__end"]) == (root.id, 0, len(text))
    for node in nodes:
        assert node.meta["__root_id"] == root.id
        assert text[node.meta["__start"] : node.meta["__end"]] == node.content


@settings(max_examples=300, deadline=None)
@given(texts, settings_of_trees())
def test_no_two_nodes_of_a_tree_have_the_same_id(text, parameters):
    ids = [node.id for node in HierarchicalDocumentSplitter(**parameters).run([Document(content=text)])["documents"]]

    assert len(set(ids)) == len(ids)


@settings(max_examples=200, deadline=None)
@given(texts, settings_of_trees())
def test_parents_and_children_name_each_other(text, parameters):
    nodes = HierarchicalDocumentSplitter(**parameters).run([Document(content=text)])["documents"]
    children = defaultdict(list)
    for node in nodes:
        children[node.meta["__parent_id"]].append(node.id)

    assert children[None] == [nodes[0].id]
    for node in nodes:
        assert node.meta["__children_ids"] == children[node.id]


@settings(max_examples=200, deadline=None)
@given(texts, st.sets(st.integers(1, 8), min_size=1, max_size=3))
def test_the_leaves_joined_are_the_root(text, sizes):
    root, *nodes = HierarchicalDocumentSplitter(sizes).run([Document(content=text)])["documents"]
    leaves = [node for node in nodes if not node.meta["__children_ids"]] or [root]

    assert "".join(leaf.content for leaf in sorted(leaves, key=lambda leaf: leaf.meta["__start"])) == text


@pytest.mark.parametrize("block_sizes", [[10, 3], {3, 10}, (3, 10, 3)])
def test_the_example_of_the_auto_merging_retriever_gives_its_printed_parent(block_sizes):
    text = "The sun rose early in the morning. It cast a warm glow over the trees. Birds began to sing."
    splitter = HierarchicalDocumentSplitter(block_sizes=block_sizes, split_overlap=0, split_by="word")

    nodes = splitter.run([Document(content=text)])["documents"]

    parent = [node for node in nodes if node.meta["__children_ids"] and node.meta["__level"] == 1][1]
    assert parent.content == "warm glow over the trees. Birds began to sing."
    assert (parent.meta["__block_size"], parent.meta["split_id"], parent.meta["split_idx_start"]) == (10, 1, 45)
    assert len(parent.meta["__children_ids"]) == 3
    assert parent.meta["page_number"] == 1


def test_a_text_that_fits_into_the_smallest_block_stays_one_node():
    nodes = HierarchicalDocumentSplitter([4, 2]).run([Document(content="two words")])["documents"]

    assert [node.meta["__level"] for node in nodes] == [0]


def test_the_input_is_not_changed():
    document = Document(content="a b c", meta={"tags": ["x"]})
    nodes = HierarchicalDocumentSplitter([1]).run([document])["documents"]

    nodes[0].meta["tags"].append("y")
    nodes[1].meta["tags"].append("z")

    assert document.meta == {"tags": ["x"]}
    assert nodes[2].meta["tags"] == ["x"]


def test_offsets_are_rewritten_if_a_node_becomes_a_root():
    first = HierarchicalDocumentSplitter([2]).run([Document(content="a b c d")])["documents"][2]

    nodes = HierarchicalDocumentSplitter([1]).run([first])["documents"]

    assert [(node.meta["__root_id"], node.meta["__start"]) for node in nodes] == [
        (first.id, 0),
        (first.id, 0),
        (first.id, 2),
    ]


def test_one_document_is_cut_as_in_a_run():
    document = Document(content="a b c d")
    splitter = HierarchicalDocumentSplitter([2, 1])

    assert splitter.build_hierarchy_from_doc(document) == splitter.run([document])["documents"]


def test_a_document_without_content_is_refused_by_its_id():
    splitter, picture = HierarchicalDocumentSplitter([1]), Document(id="picture")
    message = "^HierarchicalDocumentSplitter only works with text documents but content for document ID picture is None"
    with pytest.raises(ValueError, match=message):
        splitter.run([Document(content="a"), picture])
    with pytest.raises(ValueError, match=message):
        splitter.build_hierarchy_from_doc(picture)


@pytest.mark.parametrize("documents", [None, "x", Document(content="a"), ["x"], (Document(content="a"),)])
def test_rejects_non_lists_of_documents(documents):
    with pytest.raises(TypeError, match=r"^HierarchicalDocumentSplitter expects a List of Documents as input"):
        HierarchicalDocumentSplitter([1]).run(documents)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"block_sizes": []}, "block_sizes must not be empty"),
        ({"block_sizes": {3}, "split_overlap": -1}, "split_overlap must be greater"),
        ({"block_sizes": {9, 3}, "split_overlap": 3}, r"split_overlap \(3\) must be less than .* \(3\)"),
        ({"block_sizes": {3, 0}}, r"\(0\)"),
        ({"block_sizes": {3}, "split_by": "chapter"}, "split_by must be one of"),
    ],
)
def test_rejects_invalid_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        HierarchicalDocumentSplitter(**parameters)


def test_constructor_parameters_are_those_of_the_reference():
    def shape(cls):
        return [(each.name, each.kind, each.default) for each in inspect.signature(cls.__init__).parameters.values()]

    assert shape(HierarchicalDocumentSplitter) == shape(ReferenceSplitter)


@pytest.mark.parametrize(
    "parameters", [{"block_sizes": {3, 2}}, {"block_sizes": [2, 9], "split_overlap": 1, "split_by": "page"}]
)
def test_the_serialised_form_is_the_reference_s(parameters):
    expected = ReferenceSplitter(**parameters).to_dict()

    written = HierarchicalDocumentSplitter(**parameters).to_dict()

    assert written == {**expected, "type": expected["type"].replace("haystack.", "spaniel.", 1)}
    assert HierarchicalDocumentSplitter.from_dict(written).to_dict() == written
