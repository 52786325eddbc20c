"""What is said when a component fails."""

from collections.abc import Mapping
from typing import Any

from spaniel.errors import PipelineRuntimeError
from spaniel.pipeline.state import ComponentCall

_SHOWN_CHARACTERS = 80


def component_failed(call: ComponentCall, error: Exception) -> PipelineRuntimeError:
    """Return the error that names the component, its type, what it was given, and what it raised."""
    kind = type(call.node.instance)
    given = ", ".join(f"{name}={summary(value)}" for name, value in call.arguments.items())
    return PipelineRuntimeError(
        call.node.name,
        kind,
        f"A component of the pipeline failed.\n"
        f"Component name: '{call.node.name}'\n"
        f"Component type: '{kind.__name__}'\n"
        f"Error: {type(error).__name__}: {error}\n"
        f"Input: {given or 'none'}",
    )


def summary(value: Any) -> str:
    """Return a value in few words: short ones whole, lists and mappings as what they hold.

    >>> summary([0.5, 0.25, 1.0]), summary("third"), summary({"field": "lang"})
    ('list of 3 float', "'third'", "{'field': 'lang'}")
    """
    if isinstance(value, (list, tuple, set)) and value:
        kinds = sorted({type(item).__name__ for item in value})
        return f"{type(value).__name__} of {len(value)} {' and '.join(kinds)}"
    if isinstance(value, Mapping) and len(repr(value)) > _SHOWN_CHARACTERS:
        return f"{type(value).__name__} with the keys {list(value)[:10]}"
    text = repr(value)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}... ({len(text)} characters)"
