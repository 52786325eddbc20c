"""The trace of a retrieval, and the reasons for its result.

`stage`, `trace` and `events` have the data; `why`, `why_not`, `lineage` and `difference` read it.
"""

from spaniel.tracing.difference import Change, Diff
from spaniel.tracing.events import Event
from spaniel.tracing.lineage import Lineage, Step
from spaniel.tracing.stage import Recorder, Stage, StoreRequest
from spaniel.tracing.trace import Trace, current_trace, note, trace
from spaniel.tracing.why import Why
from spaniel.tracing.why_not.walk import Reason, WhyNot

__all__ = [
    "Change",
    "Diff",
    "Event",
    "Lineage",
    "Reason",
    "Recorder",
    "Stage",
    "Step",
    "StoreRequest",
    "Trace",
    "Why",
    "WhyNot",
    "current_trace",
    "note",
    "trace",
]
