"""A document that a stage did not find, and the reason."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spaniel.dataclasses import Document
    from spaniel.tracing.asking import Asking
    from spaniel.tracing.trace import Stage, Trace


@dataclass(frozen=True)
class Finding:
    """A reason, not yet tied to a stage."""

    cause: str
    text: str
    figures: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """A document that a stage did not find.

    :param document: as it is stored; if no store can be asked, as it was seen.
    :param ask: asks the store.
    :param changed: takes what is found to have changed in the store.
    """

    trace: Trace
    stage: Stage
    id: str
    document: Document | None
    ask: Asking
    changed: list[str]
