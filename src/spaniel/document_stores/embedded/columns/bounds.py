"""Lower and upper bounds of the documents that match a filter."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_

from spaniel._engine import SlotSet


@dataclass(frozen=True)
class Bounds:
    """Slots around those that match: all of `sure` match, and all that match are in `may`, a superset of `sure`."""

    sure: SlotSet
    may: SlotSet

    def unsure(self) -> SlotSet:
        """Return the slots that only a comparison of the document decides."""
        return self.may - self.sure

    def negate(self, everything: SlotSet) -> "Bounds":
        """Return the bounds of the opposite.

        :param everything: the slots of all documents.
        """
        return Bounds(everything - self.may, everything - self.sure)

    @staticmethod
    def combine(operator: str, parts: Sequence["Bounds"], everything: SlotSet) -> "Bounds":
        """Return the bounds of filters under ``AND``, ``OR`` or ``NOT`` (not all of them)."""
        sure, may = [part.sure for part in parts], [part.may for part in parts]
        if operator == "OR":
            return Bounds(reduce(or_, sure, SlotSet()), reduce(or_, may, SlotSet()))
        every = Bounds(reduce(and_, sure), reduce(and_, may)) if parts else Bounds(everything, everything)
        return every.negate(everything) if operator == "NOT" else every
