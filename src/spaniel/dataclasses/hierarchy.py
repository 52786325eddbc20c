"""The metadata keys by which the documents of a tree know their place in it, as in Haystack but for the last three.

The parents, leaves and roots of a tree are documents like all others: these keys alone make them a tree.
"""

PARENT = "__parent_id"
"""The id of the document above; None in a root."""

CHILDREN = "__children_ids"
"""The ids of the documents right below, in order; empty in a leaf."""

LEVEL = "__level"
"""How many documents are above: 0 in a root."""

BLOCK_SIZE = "__block_size"
"""The size that the document was cut to, in units of its splitter; 0 where it was not cut to one."""

ROOT = "__root_id"
"""The id of the root; a root's own."""

START = "__start"
"""Where the document begins in its root: ``root.content[start:end]`` is its content."""

END = "__end"
"""Where it ends."""

KEYS = (LEVEL, BLOCK_SIZE, PARENT, CHILDREN, ROOT, START, END)
"""All of them."""
