"""Intended differences that a comparison can meet; each has a row in docs/parity.md, by its anchor."""

from dataclasses import dataclass

PAGE = "docs/parity.md"


@dataclass(frozen=True)
class Correction:
    """An intended difference.

    :param anchor: the anchor of its row in docs/parity.md.
    :param summary: a short description.
    """

    anchor: str
    summary: str

    @property
    def link(self) -> str:
        """The page and anchor of its explanation."""
        return f"{PAGE}#{self.anchor}"


CORRECTIONS = {
    correction.anchor: correction
    for correction in (
        Correction("shown-id", "repr of a document that has only an id"),
        Correction("half-surrogate", "a document with a lone surrogate"),
        Correction("odd-value", "a document's value without an order"),
        Correction("no-order", "a filter value without an order"),
        Correction("partial-date", "a partial date"),
        Correction("dotted-key", "a key that holds a dot"),
        Correction("all-or-nothing", "a duplicate under FAIL"),
        Correction("okapi-results", "documents returned by Okapi"),
        Correction("casefold", "spellings of one word"),
        Correction("divisor-of-0", "k1 of 0, or b of 1 and a text without words, in Okapi"),
        Correction("query-numbers", "integers as the query embedding"),
        Correction("comparison-field", "an unknown comparison field"),
        Correction("tree-offsets", "offsets of hierarchy nodes in the root"),
        Correction("ignored-only", "a CSV table of ignored rows and columns only"),
        Correction("rrf-double", "a document twice in one list, rank fusion"),
        Correction("merge-double", "a document twice in one list, merge"),
        Correction("dbsf-double", "a document twice in one list, distribution-based fusion"),
        Correction("which-copy", "the copy kept by merge and rank fusion"),
        Correction("leaf-twice", "a leaf given twice to the auto-merging retriever"),
        Correction("leaf-and-parent", "a leaf beside its own parent"),
        Correction("climb-ends", "a missing ancestor above a merge"),
        Correction("parent-scores", "scores of merged parents, and their order"),
        Correction("piece-inside", "a chunk inside an earlier one, in the text of a window"),
    )
}
