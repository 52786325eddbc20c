import haystack
from haystack.components.preprocessors import HierarchicalDocumentSplitter

from spaniel.dataclasses import hierarchy


def test_the_keys_are_haystacks_and_three_of_our_own():
    nodes = HierarchicalDocumentSplitter(block_sizes=[1]).run([haystack.Document(content="a b")])["documents"]
    theirs = {key for node in nodes for key in node.meta if key.startswith("__")}
    assert theirs | {hierarchy.ROOT, hierarchy.START, hierarchy.END} == set(hierarchy.KEYS)
    root, first, *_ = nodes
    assert root.meta[hierarchy.CHILDREN][0] == first.id
    assert (first.meta[hierarchy.PARENT], first.meta[hierarchy.LEVEL]) == (root.id, 1)
