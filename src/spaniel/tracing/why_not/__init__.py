"""The reason for a document's absence from a result.

`walk` finds the stage that lost the document; `searches` and `structure` explain a stage.
"""

from spaniel.tracing.why_not.walk import Reason, WhyNot, explain_absence

__all__ = ["Reason", "WhyNot", "explain_absence"]
