"""Metadata keys of the position of a document in a tree, as in Haystack but for the last three.

Parents, leaves and roots are documents like all others; only these keys make them a tree.
"""

PARENT = "__parent_id"
"""Id of the parent; None in a root."""

CHILDREN = "__children_ids"
"""Ids of the children, in order; empty in a leaf."""

LEVEL = "__level"
"""Number of ancestors: 0 in a root."""

BLOCK_SIZE = "__block_size"
"""Block size that the document was split to, in units of its splitter; 0 if not split."""

ROOT = "__root_id"
"""Id of the root, also in the root itself."""

START = "__start"
"""Start offset in the content of the root: ``root.content[start:end]`` is the content."""

END = "__end"
"""End offset in the content of the root."""

KEYS = (LEVEL, BLOCK_SIZE, PARENT, CHILDREN, ROOT, START, END)
