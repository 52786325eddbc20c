"""Search that knows the structure of your documents.

>>> import spaniel
>>> spaniel.Document(content="hello").content
'hello'
"""

from typing import TYPE_CHECKING, Any

import spaniel.document_stores  # noqa: F401 (registers the opener of store URLs)
from spaniel.core.component import component
from spaniel.core.serialization import default_from_dict, default_to_dict
from spaniel.dataclasses import Document
from spaniel.errors import ComponentError, DeserializationError
from spaniel.tracing import Trace, trace

if TYPE_CHECKING:
    from spaniel.document_stores.local import LocalDocumentStore
    from spaniel.knowledge_base import KnowledgeBase, copy, open_knowledge_base
    from spaniel.pipeline import Pipeline, SuperComponent, super_component
    from spaniel.version import __version__

    open = open_knowledge_base

# Without `open`: `from spaniel import *` must not replace the builtin function.
__all__ = [
    "ComponentError",
    "DeserializationError",
    "Document",
    "KnowledgeBase",
    "LocalDocumentStore",
    "Pipeline",
    "SuperComponent",
    "Trace",
    "__version__",
    "component",
    "copy",
    "default_from_dict",
    "default_to_dict",
    "super_component",
    "trace",
]

# Imported on first use, so that `import spaniel` stays light.
_LAZY = {
    "KnowledgeBase": ("spaniel.knowledge_base", "KnowledgeBase"),
    "LocalDocumentStore": ("spaniel.document_stores.local", "LocalDocumentStore"),
    "Pipeline": ("spaniel.pipeline", "Pipeline"),
    "SuperComponent": ("spaniel.pipeline", "SuperComponent"),
    "__version__": ("spaniel.version", "__version__"),
    "copy": ("spaniel.knowledge_base", "copy"),
    "open": ("spaniel.knowledge_base", "open_knowledge_base"),
    "super_component": ("spaniel.pipeline", "super_component"),
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'spaniel' has no attribute '{name}'")
    from importlib import import_module

    module, attribute = _LAZY[name]
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return sorted([*__all__, "open"])
