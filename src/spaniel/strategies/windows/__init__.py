"""Windows: a hit with the chunks before and after it. The entry point is `widen`."""

from spaniel.strategies.windows.assembly import merge_documents_text
from spaniel.strategies.windows.layout import BY_SPLIT_ID, Place, WindowScope, is_number, make_layout
from spaniel.strategies.windows.widen import Windows, widen

__all__ = [
    "BY_SPLIT_ID",
    "Place",
    "WindowScope",
    "Windows",
    "is_number",
    "make_layout",
    "merge_documents_text",
    "widen",
]
