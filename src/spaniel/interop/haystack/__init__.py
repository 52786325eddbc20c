"""Adapters between Spaniel and Haystack: documents, components and stores, in both directions."""

try:
    import haystack as _haystack  # noqa: F401 (imported once, here, for an error that names the extra)
except ImportError as error:
    raise ImportError(
        "spaniel.interop.haystack needs the package haystack-ai, which is not installed. Run: pip install 'spaniel[haystack]'"
    ) from error

from spaniel.interop.haystack.component import SpanielComponent, as_component
from spaniel.interop.haystack.conversion import from_haystack, to_haystack
from spaniel.interop.haystack.haystack_component import HaystackComponent
from spaniel.interop.haystack.spaniel_store import SpanielStore, as_haystack_store
from spaniel.interop.haystack.store import HaystackStore

__all__ = [
    "HaystackComponent",
    "HaystackStore",
    "SpanielComponent",
    "SpanielStore",
    "as_component",
    "as_haystack_store",
    "from_haystack",
    "to_haystack",
]
