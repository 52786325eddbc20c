"""Splits documents into a tree of large blocks with smaller blocks inside them."""

from collections.abc import Collection, Sequence
from typing import Literal

from spaniel.components.preprocessors.document_splitter import DocumentSplitter
from spaniel.components.preprocessors.text_splitter import TextSplitter, validate_contents
from spaniel.core.component import component
from spaniel.dataclasses import Document, hierarchy

HierarchyUnit = Literal["word", "sentence", "page", "passage", "period", "line"]


@component
class HierarchicalDocumentSplitter(TextSplitter):
    """Splits each document into a tree of blocks; the document is its root.

    Every node's metadata has ``__level`` (0 for the root), ``__block_size``, ``__parent_id``,
    ``__children_ids``, and its place in the root: ``__root_id``, ``__start``, ``__end``, so that
    ``root.content[start:end]`` is the node's content. ``source_id``, ``split_id``,
    ``split_idx_start`` and ``page_number`` are relative to its parent. A run returns of each tree
    the root, then the nodes level by level.

    :param block_sizes: the number of units per block at each level, in any order.
    :param split_overlap: the units shared by neighbouring blocks; less than the smallest size.
    :param split_by: the unit, see `DocumentSplitter`.
    :raises ValueError: no size is given, or the overlap is invalid.

    >>> from spaniel import Document
    >>> splitter = HierarchicalDocumentSplitter(block_sizes={3, 2})
    >>> for node in splitter.run([Document(content="This is a simple test document")])["documents"]:
    ...     print(node.meta["__level"], node.meta["__start"], repr(node.content))
    0 0 'This is a simple test document'
    1 0 'This is a '
    1 10 'simple test document'
    2 0 'This is '
    2 8 'a '
    2 10 'simple test '
    2 22 'document'
    """

    def __init__(self, block_sizes: Collection[int], split_overlap: int = 0, split_by: HierarchyUnit = "word") -> None:
        if not block_sizes:
            raise ValueError("block_sizes must not be empty. Give at least one size.")
        if split_overlap < 0:
            raise ValueError(f"split_overlap must be greater than or equal to 0, got {split_overlap}.")
        if split_overlap >= min(block_sizes):
            raise ValueError(
                f"split_overlap ({split_overlap}) must be less than the smallest value in block_sizes ({min(block_sizes)})."
            )
        self.block_sizes = sorted(set(block_sizes), reverse=True)
        self.split_overlap = split_overlap
        self.split_by = split_by
        self.splitters = {
            size: DocumentSplitter(split_length=size, split_overlap=split_overlap, split_by=split_by)
            for size in self.block_sizes
        }

    def _split(self, document: Document) -> list[Document]:
        return self.build_hierarchy_from_doc(document)

    def build_hierarchy_from_doc(self, document: Document) -> list[Document]:
        """Return the tree of a document: the root, then level by level.

        :raises ValueError: its content is None.
        """
        validate_contents(self, [document])
        root = document.independent_copy()
        _write_node_keys(root, level=0, block_size=0, parent_id=None)
        nodes, level = [root], [root]
        for size in self.block_sizes:
            next_level: list[Document] = []
            for parent in level:
                children = self._split_node(parent, size)
                next_level.extend(children or [parent])  # a block that fits is carried down, undivided
                nodes.extend(children)
            level = next_level
        _write_offsets(nodes)
        return nodes

    def _split_node(self, parent: Document, size: int) -> list[Document]:
        children: list[Document] = self.splitters[size].run([parent])["documents"]
        if len(children) == 1:
            return []
        for child in children:
            _write_node_keys(child, level=parent.meta[hierarchy.LEVEL] + 1, block_size=size, parent_id=parent.id)
        parent.meta[hierarchy.CHILDREN].extend(child.id for child in children)
        return children


def _write_node_keys(node: Document, *, level: int, block_size: int, parent_id: str | None) -> None:
    node.meta.update({hierarchy.BLOCK_SIZE: block_size, hierarchy.PARENT: parent_id})
    node.meta.update({hierarchy.CHILDREN: [], hierarchy.LEVEL: level})


def _write_offsets(nodes: Sequence[Document]) -> None:
    # Last: a child's id is made from its parent's metadata, so an earlier write changes it.
    root = nodes[0]
    starts = {root.id: 0}
    for node in nodes:
        if node is not root:
            starts[node.id] = starts[node.meta[hierarchy.PARENT]] + node.meta["split_idx_start"]
        start = starts[node.id]
        end = start + len(node.content or "")
        node.meta.update({hierarchy.ROOT: root.id, hierarchy.START: start, hierarchy.END: end})
