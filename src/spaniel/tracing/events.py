"""The events of a retrieval: frozen records, written by the algorithms, each with a sentence."""

import re
from dataclasses import dataclass
from string import Formatter
from typing import Any, ClassVar, Literal, dataclass_transform

from spaniel.json_types import Json

CONTENT_HASH = re.compile(r"[0-9a-f]{64}")
_MAX_ID_LENGTH = 40


def short_id(id: str) -> str:
    """Return an id for display: the first 8 digits of a content hash, a name up to 40 characters.

    >>> short_id("93deb8df5441b2ca" * 4), short_id("chapter-1")
    ('93deb8df', 'chapter-1')
    """
    if CONTENT_HASH.fullmatch(id):
        return id[:8]
    return id if len(id) <= _MAX_ID_LENGTH else f"{id[:_MAX_ID_LENGTH]}..."


class _SentenceFormatter(Formatter):
    """Formats sentences; the conversion ``!i`` shortens ids, ``!n`` counts them."""

    def convert_field(self, value: Any, conversion: str | None) -> Any:
        if conversion == "i":
            return ", ".join(map(short_id, value)) if isinstance(value, tuple) else short_id(value)
        return len(value) if conversion == "n" else super().convert_field(value, conversion)


@dataclass_transform(frozen_default=True)
@dataclass(frozen=True)
class Event:
    """An event of a document.

    :param about: the id of the document; empty if the event concerns the whole stage.
    """

    about: str
    sentence: ClassVar[str]
    inward_sentence: ClassVar[str]

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True)(cls)

    def __str__(self) -> str:
        sentence = self.inward_sentence if vars(self).get("inward") else self.sentence
        return _SentenceFormatter().vformat(sentence, (), vars(self))


@dataclass(frozen=True)
class TermMatch:
    """A query term of a document, and its part of the score.

    :param frequency: the number of times that the document contains it, in any of its forms.
    :param documents: the number of documents that contain it.
    :param score: its part of the score of the document.
    :param forms: the words that stand for it in the document; empty if only itself can.
    :param whole: the part of `score` that comes from the whole document that this one is a part of.
    """

    term: str
    frequency: int
    documents: int
    score: float
    forms: tuple[str, ...] = ()
    whole: float = 0.0

    def __str__(self) -> str:
        others = [form for form in self.forms if form != self.term]
        term = f"{self.term} ({', '.join(others)})" if others else self.term
        count = f" ×{self.frequency}" if self.frequency else " elsewhere in the document"
        return f"{term}{count} ({self.score:.2f})"


class Matched(Event):
    """A search found the document; `by` names the search of a hybrid request."""

    rank: int
    score: float | None
    terms: tuple[TermMatch, ...] = ()
    by: Literal["", "bm25", "embedding"] = ""

    def __str__(self) -> str:
        terms = ", ".join(map(str, self.terms))
        by = f" by {self.by}" if self.by else ""
        return f"matched{by} at rank {self.rank}{_format_score(self.score)}{': ' + terms if terms else ''}"


class Fused(Event):
    """A fusion of lists has the document, which had `ranks` in them (from 1; None: absent).

    `parts` are the contributions of the lists to the score, and `lists` their names, if known.
    """

    ranks: tuple[int | None, ...]
    score: float | None
    parts: tuple[float, ...] = ()
    lists: tuple[str, ...] = ()

    def __str__(self) -> str:
        places = []
        for at, rank in enumerate(self.ranks):
            if rank:
                name = f"by {self.lists[at]}" if self.lists else f"of list {at + 1}"
                places.append(f"rank {rank} {name}" + (f" (+{self.parts[at]:.3g})" if self.parts else ""))
        return f"fused from {', '.join(places)}{_format_score(self.score)}"


class Merged(Event):
    """The parent replaced hits, since more than `threshold` of it was hit; `why` has figures."""

    hits: tuple[str, ...]
    children: int
    threshold: float
    score: float | None
    why: str = ""

    def __str__(self) -> str:
        why = self.why or f"{len(self.hits) / self.children:.2f} > {self.threshold:g}"
        return f"merged from {len(self.hits)} of its {self.children} children ({why})"


class GaveWay(Event):
    """The document was replaced by another that contains it."""

    to: str
    sentence = "gave way to {to!i}, which holds it"


class Folded(Event):
    """The document was left out, since a better one has nearly all of its text."""

    to: str
    sentence = "folded into {to!i}, which has its text"


class KeptApart(Event):
    """The hit was kept, since too little of its parent was hit."""

    parent: str
    hits: int
    children: int
    threshold: float
    why: str = ""

    def __str__(self) -> str:
        why = self.why or f"{self.hits / self.children:.2f} <= {self.threshold:g}"
        return f"kept apart: {self.hits} of {self.children} children of its parent ({why})"


class ParentMissing(Event):
    """The document was kept, since its parent is not in the store."""

    parent: str
    sentence = "kept: its parent {parent!i} is not in the store"


class Repeated(Event):
    """The document occurred repeatedly among the hits or links, and counts once."""

    sentence = "came more than once; counted once"


class Widened(Event):
    """The hit was widened to a window."""

    window: tuple[str, ...]
    before: int
    after: int

    def __str__(self) -> str:
        if self.about not in self.window:
            return f"widened to {len(self.window)} stored chunks, of which it is none"
        return f"widened by {self.before} before and {self.after} after to {len(self.window)} chunks"


class Neighbour(Event):
    """The chunk is in the window of a hit, `distance` after it (negative: before it)."""

    hit: str
    distance: float

    def __str__(self) -> str:
        side = "after" if self.distance > 0 else "before"
        return f"stands {abs(self.distance):g} {side} the hit {short_id(self.hit)}"


class NotWidened(Event):
    """The hit has no window, since its metadata lacks the fields of its position."""

    missing: tuple[str, ...]

    def __str__(self) -> str:
        return f"not widened: no {', '.join(self.missing)} in its metadata"


class Followed(Event):
    """A link led to the document."""

    linked_from: str
    key: str
    value: Json
    depth: int
    rank: int
    inward: bool = False
    sentence = "followed {key} = {value!r} from {linked_from!i} (hop {depth})"
    inward_sentence = "links to {linked_from!i} by {key} = {value!r} (hop {depth})"


class LedBack(Event):
    """A further link led to the document after the first."""

    linked_from: str
    key: str
    value: Json
    depth: int
    inward: bool = False
    sentence = "linked again by {key} = {value!r} from {linked_from!i} (hop {depth})"
    inward_sentence = "links again to {linked_from!i} by {key} = {value!r} (hop {depth})"


class LinkUnmet(Event):
    """A link of the document has no target in the store, or none that passes the filters."""

    key: str
    value: Json
    depth: int
    sentence = "its link {key} = {value!r} leads to no document here (hop {depth})"


class HubCut(Event):
    """A hop found more documents than its limit, and the last ones were left out."""

    depth: int
    found: int
    kept: int
    sentence = "hop {depth} found {found:,} documents and kept {kept:,} (max_targets)"


class Dropped(Event):
    """The document was removed from the result; `cause` names the limit, such as ``top_k``."""

    reason: str
    cause: str = ""
    sentence = "dropped: {reason}"


class WindowEnded(Event):
    """The hit's window ends early, on the side ``before`` or ``after`` the hit."""

    side: Literal["before", "after"]
    reason: str
    sentence = "its window ends early {side} it: {reason}"


class SharesWindow(Event):
    """The hit shares its window with others, since theirs would overlap."""

    hits: tuple[str, ...]
    sentence = "shares its window with {hits!i}"


class HopsEnded(Event):
    """A limit ended the hops before the hop `depth`."""

    depth: int
    reason: str
    sentence = "ended before hop {depth}: {reason}"


class Segmented(Event):
    """The segment is in the result; `value` is its scores minus the penalties of its leaves."""

    leaves: tuple[str, ...]
    hits: tuple[str, ...]
    value: float
    sentence = "a segment of {leaves!n} leaves with {hits!n} hits, worth {value:.2f}"


class Chosen(Event):
    """The document fits the budget; its kind is ``leaf``, ``window``, ``section`` or ``document``."""

    kind: str
    hits: tuple[str, ...]
    tokens: int
    value: float
    sentence = "chosen as {kind} for {hits!n} hits: {tokens:,} tokens for a value of {value:.3g}"


class United(Event):
    """The texts of `parts`, in order, touch in their document, and are one text at its place."""

    parts: tuple[str, ...]
    tokens: int
    sentence = "one text of {tokens:,} tokens with what it touches: {parts!i}"


class BudgetSpent(Event):
    """The part of a budget that the result uses."""

    tokens: int
    budget: int
    documents: int
    sentence = "{tokens:,} of {budget:,} tokens are spent on {documents:,} documents"


EVENT_TYPES: dict[str, type[Event]] = {kind.__name__: kind for kind in Event.__subclasses__()}


def _format_score(score: float | None) -> str:
    return "" if score is None else f" with score {score:.3f}"
