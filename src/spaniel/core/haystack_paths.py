"""Haystack's module paths that differ from ours: each is a module that only re-exports."""

from collections.abc import Mapping

HAYSTACK_PATHS: Mapping[str, str] = {
    "spaniel.core.component.types": "spaniel.core.component.sockets",
    "spaniel.core.errors": "spaniel.errors",
    "spaniel.core.pipeline": "spaniel.pipeline",
    "spaniel.core.pipeline.async_pipeline": "spaniel.pipeline",
    "spaniel.core.pipeline.base": "spaniel.pipeline",
    "spaniel.core.pipeline.pipeline": "spaniel.pipeline",
    "spaniel.core.serialization_security": "spaniel.core.known_types",
    "spaniel.core.super_component": "spaniel.pipeline",
    "spaniel.core.super_component.super_component": "spaniel.pipeline",
    "spaniel.document_stores.errors": "spaniel.errors",
    "spaniel.document_stores.types.filter_policy": "spaniel.filters.policy",
    "spaniel.utils.auth": "spaniel.core.secret",
    "spaniel.utils.callable_serialization": "spaniel.core.callables",
    "spaniel.utils.filters": "spaniel.filters.evaluate",
    "spaniel.utils.type_serialization": "spaniel.core.type_names",
}
"""Haystack's path below ``spaniel``, and the package or module that has the implementation."""
