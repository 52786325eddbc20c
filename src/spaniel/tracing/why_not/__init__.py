"""The reason for a document's absence from a result: `walk` goes over the stages, the other modules explain one stage."""

from spaniel.tracing.why_not.walk import Reason, WhyNot, why_not

__all__ = ["Reason", "WhyNot", "why_not"]
