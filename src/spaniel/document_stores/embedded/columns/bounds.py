"""What columns know of a filter: which documents match for sure, and which may."""

from dataclasses import dataclass
from functools import reduce
from operator import and_, or_

from spaniel._engine import SlotSet


@dataclass(frozen=True)
class Bounds:
    """Every document of `sure` matches, and every one that matches is in `may`, which holds `sure`."""

    sure: SlotSet
    may: SlotSet

    def unsure(self) -> SlotSet:
        """Return the documents of which only a comparison can tell."""
        return self.may - self.sure

    def negated(self, everything: SlotSet) -> "Bounds":
        """Return the bounds of the opposite, among all documents."""
        return Bounds(everything - self.may, everything - self.sure)


def joined(operator: str, parts: list[Bounds], everything: SlotSet) -> Bounds:
    """Return the bounds of filters joined by ``AND``, ``OR`` or ``NOT`` (not all of them)."""
    if operator == "OR":
        empty = SlotSet()
        return Bounds(
            reduce(or_, [part.sure for part in parts], empty), reduce(or_, [part.may for part in parts], empty)
        )
    if not parts:
        every = Bounds(everything, everything)
    else:
        every = Bounds(reduce(and_, [part.sure for part in parts]), reduce(and_, [part.may for part in parts]))
    return every.negated(everything) if operator == "NOT" else every
