"""A result: one thing, done by Spaniel and by another side."""

from typing import TypedDict

from benchmarks.targets import target_of


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
