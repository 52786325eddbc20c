"""The corrections that a comparison can meet. Each has a line in docs/parity.md, found by its anchor."""

from dataclasses import dataclass

PAGE = "docs/parity.md"


@dataclass(frozen=True)
class Entry:
    """A difference that is meant.

    :param anchor: of its line in docs/parity.md.
    :param what: in a few words.
    """

    anchor: str
    what: str

    @property
    def link(self) -> str:
        """Where it is explained."""
        return f"{PAGE}#{self.anchor}"


ENTRIES = {
    entry.anchor: entry
    for entry in (
        Entry("shown-id", "how a document with nothing but an id is shown"),
        Entry("half-surrogate", "a document with half a surrogate pair"),
        Entry("odd-value", "a document's value that can't be ordered"),
        Entry("no-order", "a filter's value that has no order"),
        Entry("partial-date", "a partial date"),
        Entry("dotted-key", "a key that holds a dot"),
        Entry("all-or-nothing", "a duplicate under FAIL"),
        Entry("okapi-results", "which documents Okapi returns"),
        Entry("casefold", "spellings of one word"),
        Entry("divisor-of-0", "k1 of 0, or b of 1 and a text without words, in Okapi"),
        Entry("query-numbers", "whole numbers as the query's embedding"),
        Entry("comparison-field", "an unknown field to compare documents by"),
        Entry("tree-offsets", "nodes of a hierarchy say where they stand in the root"),
        Entry("ignored-only", "a table of CSV with nothing besides the ignored rows and columns"),
        Entry("rrf-double", "a document twice in one list, rank fusion"),
        Entry("merge-double", "a document twice in one list, merge"),
        Entry("dbsf-double", "a document twice in one list, distribution-based fusion"),
        Entry("which-copy", "which copy stays in merge and rank fusion"),
        Entry("leaf-twice", "a leaf that is given twice to the auto-merging retriever"),
        Entry("leaf-and-parent", "a leaf beside its own parent"),
        Entry("climb-ends", "an ancestor above a merge that is not stored"),
        Entry("parent-scores", "scores of merged parents, and their order"),
        Entry("piece-inside", "a chunk inside an earlier one, in the text of a window"),
    )
}
