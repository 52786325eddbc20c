"""What happened in a retrieval, and why."""

from spaniel.tracing.events import Event
from spaniel.tracing.trace import Recorder, Stage, StoreRequest, Trace, current_trace, trace

__all__ = ["Event", "Recorder", "Stage", "StoreRequest", "Trace", "current_trace", "trace"]
