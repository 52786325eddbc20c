"""A result: one thing, done by Spaniel and by another side."""

from typing import TypedDict

from benchmarks.targets import LIMITS, target_of


class Row(TypedDict):
    """One line of the results."""

    against: str
    """The other side; `limit`: `theirs` is a number that Spaniel is to stay below."""
    label: str
    size: int
    """Documents, leaves or vectors."""
    ratio: float | None
    """The ratio to Spaniel's cost, above 1 if Spaniel is better; None without a comparison or
    measurement.
    """
    target: float | None
    """The ratio that Spaniel is to reach."""
    stretch: float | None
    """The ratio that would be better still."""
    ours: float | None
    theirs: float | None
    unit: str
    note: str


def row(
    against: str, label: str, size: int, ours: float, theirs: float | None, unit: str = "ms", note: str = ""
) -> Row:
    """Return a row of two costs, with its target if there is one."""
    target = target_of(against, label, size)
    return Row(
        against=against,
        label=label,
        size=size,
        ratio=None if theirs is None else theirs / ours,
        target=target and target.ratio,
        stretch=target and target.stretch,
        ours=ours,
        theirs=theirs,
        unit=unit,
        note=note,
    )


def limited(size: int, label: str, ours: float, note: str, unit: str) -> list[Row]:
    """Return a row of a measurement, and one beside its limit if there is one at this size."""
    limits = [limit for limit in LIMITS if limit.label == label and limit.size == size]
    return [
        row("alone", label, size, ours, None, unit, note),
        *(row("limit", label, size, ours, limit.most, unit, note) for limit in limits),
    ]


def surplus(label: str, size: int, more: float, most: float, unit: str, note: str) -> Row:
    """Return a row of an additional cost beside its limit.

    :param more: measured as a difference, so it can be less than nothing; it counts as a thousandth
        of the limit then.
    """
    return row("limit", label, size, max(more, most / 1000), most, unit, note)
