"""What can happen to a document on its way into a result: small frozen records, written beside the algorithms.

Each says itself in one line; ``about`` names the document whose fate it is.
"""

import re
from dataclasses import dataclass
from typing import Any

_CONTENT_HASH = re.compile(r"[0-9a-f]{64}")
_HASH_START = re.compile(r"[0-9a-f]{8,63}")
_LONGEST_ID = 40


def short_id(id: str) -> str:
    """Return an id as it is shown: a content hash by its first 8 digits, a name whole unless it is very long.

    >>> short_id("93deb8df5441b2ca" * 4), short_id("chapter-1")
    ('93deb8df', 'chapter-1')
    """
    if _CONTENT_HASH.fullmatch(id):
        return id[:8]
    return id if len(id) <= _LONGEST_ID else f"{id[:_LONGEST_ID]}..."


def is_short_hash(id: str) -> bool:
    """Return whether an id may be the start of a content hash, as `short_id` shows it."""
    return _HASH_START.fullmatch(id) is not None


@dataclass(frozen=True)
class TermMatch:
    """A query term that a document holds, and what it added to the score."""

    term: str
    frequency: int
    documents: int
    score: float


@dataclass(frozen=True)
class Matched:
    """A search found a document; `by` names which of several that were asked at once."""

    about: str
    rank: int
    score: float | None
    terms: tuple[TermMatch, ...] = ()
    by: str = ""

    def __str__(self) -> str:
        score = "" if self.score is None else f" with score {self.score:.3f}"
        words = ", ".join(f"{term.term} ×{term.frequency} ({term.score:.2f})" for term in self.terms)
        by = f" by {self.by}" if self.by else ""
        return f"matched{by} at rank {self.rank}{score}{': ' + words if words else ''}"


@dataclass(frozen=True)
class Fused:
    """Several lists became one, and the document stood at `ranks` in them (from 1; None: not there)."""

    about: str
    ranks: tuple[int | None, ...]
    score: float | None

    def __str__(self) -> str:
        score = "" if self.score is None else f" with score {self.score:.3f}"
        places = ", ".join(f"rank {rank} of list {number}" for number, rank in enumerate(self.ranks, 1) if rank)
        return f"fused from {places}{score}"


@dataclass(frozen=True)
class Merged:
    """Hits gave way to their parent, as more than `threshold` of it was hit; `why` has other figures than of children."""

    about: str
    hits: tuple[str, ...]
    children: int
    threshold: float
    score: float | None
    why: str = ""

    def __str__(self) -> str:
        why = self.why or f"{len(self.hits) / self.children:.2f} > {self.threshold:g}"
        return f"merged from {len(self.hits)} of its {self.children} children ({why})"


@dataclass(frozen=True)
class GaveWay:
    """A document is not in the result, as one that holds it, its parent or one further up, is."""

    about: str
    to: str

    def __str__(self) -> str:
        return f"gave way to {short_id(self.to)}, which holds it"


@dataclass(frozen=True)
class KeptApart:
    """A hit stayed, as too few children of its parent were hit."""

    about: str
    parent: str
    hits: int
    children: int
    threshold: float
    why: str = ""

    def __str__(self) -> str:
        why = self.why or f"{self.hits / self.children:.2f} <= {self.threshold:g}"
        return f"kept apart: {self.hits} of {self.children} children of its parent ({why})"


@dataclass(frozen=True)
class ParentMissing:
    """A document stayed, as its parent is not in the store."""

    about: str
    parent: str

    def __str__(self) -> str:
        return f"kept: its parent {short_id(self.parent)} is not in the store"


@dataclass(frozen=True)
class Repeated:
    """A document was among the hits, or the links, more than once, and counts once."""

    about: str

    def __str__(self) -> str:
        return "came more than once; counted once"


@dataclass(frozen=True)
class Widened:
    """A window was laid around a hit."""

    about: str
    window: tuple[str, ...]
    before: int
    after: int

    def __str__(self) -> str:
        if self.about not in self.window:
            return f"widened to {len(self.window)} stored chunks, of which it is none"
        return f"widened by {self.before} before and {self.after} after to {len(self.window)} chunks"


@dataclass(frozen=True)
class Neighbour:
    """A chunk is there because it stands `distance` before (below 0) or after a hit."""

    about: str
    hit: str
    distance: float

    def __str__(self) -> str:
        return (
            f"stands {abs(self.distance):g} {'after' if self.distance > 0 else 'before'} the hit {short_id(self.hit)}"
        )


@dataclass(frozen=True)
class NotWidened:
    """A hit stayed as it is, as its metadata does not say where it stands."""

    about: str
    missing: tuple[str, ...]

    def __str__(self) -> str:
        return f"not widened: no {', '.join(self.missing)} in its metadata"


@dataclass(frozen=True)
class Followed:
    """A link led to a document."""

    about: str
    linked_from: str
    key: str
    value: Any
    depth: int
    rank: int
    inward: bool = False

    def __str__(self) -> str:
        origin = short_id(self.linked_from)
        if self.inward:
            return f"links to {origin} by {self.key} = {self.value!r} (hop {self.depth})"
        return f"followed {self.key} = {self.value!r} from {origin} (hop {self.depth})"


@dataclass(frozen=True)
class LedBack:
    """One more link led to a document that had been found already."""

    about: str
    linked_from: str
    key: str
    value: Any
    depth: int
    inward: bool = False

    def __str__(self) -> str:
        origin = short_id(self.linked_from)
        if self.inward:
            return f"links again to {origin} by {self.key} = {self.value!r} (hop {self.depth})"
        return f"linked again by {self.key} = {self.value!r} from {origin} (hop {self.depth})"


@dataclass(frozen=True)
class LinkUnmet:
    """A link has no target in the store, or none that the filters let through."""

    about: str
    key: str
    value: Any
    depth: int

    def __str__(self) -> str:
        return f"its link {self.key} = {self.value!r} leads to no document here (hop {self.depth})"


@dataclass(frozen=True)
class HubCut:
    """A hop found more documents than it may, and the last ones were left out."""

    about: str
    depth: int
    found: int
    kept: int

    def __str__(self) -> str:
        return f"hop {self.depth} found {self.found:,} documents and kept {self.kept:,} (max_targets)"


@dataclass(frozen=True)
class Dropped:
    """A document fell out of the result; `cause` is the name of what cut it, such as ``top_k``."""

    about: str
    reason: str
    cause: str = ""

    def __str__(self) -> str:
        return f"dropped: {self.reason}"


@dataclass(frozen=True)
class WindowEnded:
    """A hit's window ends early on one side, ``before`` or ``after`` it."""

    about: str
    side: str
    reason: str

    def __str__(self) -> str:
        return f"its window ends early {self.side} it: {self.reason}"


@dataclass(frozen=True)
class SharesWindow:
    """One window stands for a hit and for others, as theirs would overlap."""

    about: str
    hits: tuple[str, ...]

    def __str__(self) -> str:
        return f"shares its window with {', '.join(map(short_id, self.hits))}"


@dataclass(frozen=True)
class HopsEnded:
    """No link is followed any further, as a budget is used up before the hop `depth`."""

    about: str
    depth: int
    reason: str

    def __str__(self) -> str:
        return f"ended before hop {self.depth}: {self.reason}"


@dataclass(frozen=True)
class Segmented:
    """A stretch of leaves is in the result, worth `value`: what its hits score less the penalties of its leaves."""

    about: str
    leaves: tuple[str, ...]
    hits: tuple[str, ...]
    value: float

    def __str__(self) -> str:
        return f"a segment of {len(self.leaves)} leaves with {len(self.hits)} hits, worth {self.value:.2f}"


@dataclass(frozen=True)
class Chosen:
    """A document fits the budget: as a ``leaf`` (the hit itself), ``window``, ``section`` or whole ``document``."""

    about: str
    kind: str
    hits: tuple[str, ...]
    tokens: int
    value: float

    def __str__(self) -> str:
        return (
            f"chosen as {self.kind} for {len(self.hits)} hits: {self.tokens:,} tokens for a value of {self.value:.3g}"
        )


@dataclass(frozen=True)
class BudgetSpent:
    """How much of a budget the result takes."""

    about: str
    tokens: int
    budget: int
    documents: int

    def __str__(self) -> str:
        return f"{self.tokens:,} of {self.budget:,} tokens are spent on {self.documents:,} documents"


Event = (
    Matched
    | Fused
    | Merged
    | GaveWay
    | KeptApart
    | ParentMissing
    | Repeated
    | Widened
    | Neighbour
    | NotWidened
    | Followed
    | LedBack
    | LinkUnmet
    | HubCut
    | Dropped
    | WindowEnded
    | SharesWindow
    | HopsEnded
    | Segmented
    | Chosen
    | BudgetSpent
)
