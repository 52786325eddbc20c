"""Credit to a passage for the judged leaves that it contains, such as a parent or a window."""

from collections.abc import Collection, Mapping, Sequence

from spaniel.evaluation.spans import Span


def credit_leaves(
    ranking: Sequence[str], judged: Collection[str], leaves_of: Mapping[str, Collection[str]]
) -> list[str]:
    """Return a ranking of leaves: in place of a passage, the judged leaves that it contains.

    So a parent has the credit of its leaves at its own rank, and a leaf counts once, at the first
    passage that contains it. A passage without a judged leaf, or with none that is new, remains:
    it takes a rank. The result can be scored by `score_rankings`.

    :param ranking: ids of passages, best first.
    :param judged: ids of the relevant leaves, best grade first.
    :param leaves_of: for the id of a parent or window, the ids of the leaves in it; a passage that
        is not in it is a leaf.

    >>> credit_leaves(["page", "b", "d"], ["a", "b"], {"page": ["a", "b", "c"]})
    ['a', 'b', 'b', 'd']
    """
    seen: set[str] = set()
    credited: list[str] = []
    for passage in ranking:
        inside = {passage, *leaves_of.get(passage, ())}
        new = [leaf for leaf in judged if leaf in inside and leaf not in seen]
        seen.update(new)
        credited += new or [passage]
    return credited


def find_contained_leaves(passages: Mapping[str, Span], leaves: Mapping[str, Span]) -> dict[str, list[str]]:
    """Return for each passage the leaves whose whole text it contains, in the order of the leaves.

    >>> find_contained_leaves({"window": Span("a", 0, 20)}, {"1": Span("a", 0, 10), "2": Span("a", 10, 30)})
    {'window': ['1']}
    """
    return {
        id: [
            leaf
            for leaf, (source, start, end) in leaves.items()
            if source == passage.source and passage.start <= start and end <= passage.end
        ]
        for id, passage in passages.items()
    }


def find_all(found: Collection[str], relevant: Collection[str]) -> float:
    """Return 1 if everything relevant was found, else 0.

    >>> find_all(["b", "c", "a"], ["a", "b"]), find_all(["b", "c"], ["a", "b"])
    (1.0, 0.0)
    """
    return float(set(relevant) <= set(found))
