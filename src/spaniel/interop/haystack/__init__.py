"""Haystack beside Spaniel: documents, components and stores across the border, in both directions."""

try:
    import haystack as _haystack  # noqa: F401 (asked for once, here, so that the error says what to do)
except ImportError as error:
    raise ImportError(
        "spaniel.interop.haystack needs the package haystack-ai, which is not installed. Run: pip install 'spaniel[haystack]'"
    ) from error

from spaniel.interop.haystack.documents import from_haystack, to_haystack

__all__ = ["from_haystack", "to_haystack"]
