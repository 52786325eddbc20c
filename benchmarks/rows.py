"""A result: one thing, done by Spaniel and by another side."""

from typing import TypedDict

from benchmarks.targets import LIMITS, target_of


class Row(TypedDict):
    """One line of the results."""

    against: str
    """The other side; `limit`: `theirs` is a number that Spaniel is to stay below."""
    what: str
    size: int
    """Documents, leaves or vectors."""
    ratio: float | None
    """How many times better Spaniel is; the higher the better. None: it stands alone, or nothing was measured."""
    target: float | None
    """The ratio that Spaniel is to reach."""
    stretch: float | None
    """The ratio that would be better still."""
    ours: float | None
    theirs: float | None
    unit: str
    note: str


def row(against: str, what: str, size: int, ours: float, theirs: float | None, unit: str = "ms", note: str = "") -> Row:
    """Return a row of what costs `ours` and `theirs`, with its target if there is one."""
    target = target_of(against, what, size)
    return Row(
        against=against,
        what=what,
        size=size,
        ratio=None if theirs is None else theirs / ours,
        target=target and target.ratio,
        stretch=target and target.stretch,
        ours=ours,
        theirs=theirs,
        unit=unit,
        note=note,
    )


def limited(size: int, what: str, ours: float, note: str, unit: str) -> list[Row]:
    """Return a row of what was measured, and one beside its limit if there is one at this size."""
    limits = [limit for limit in LIMITS if limit.what == what and limit.size == size]
    return [
        row("alone", what, size, ours, None, unit, note),
        *(row("limit", what, size, ours, limit.most, unit, note) for limit in limits),
    ]


def surplus(what: str, size: int, more: float, most: float, unit: str, note: str) -> Row:
    """Return a row of what something costs more than something else, and of how much more it may cost.

    :param more: measured as a difference, so it can be less than nothing; it counts as a thousandth of the limit then.
    """
    return row("limit", what, size, max(more, most / 1000), most, unit, note)
