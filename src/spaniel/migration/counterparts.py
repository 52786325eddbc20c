"""Spaniel's counterparts of dotted names of Haystack: modules, classes and members."""

from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from spaniel.core.haystack_names import is_haystack_name, to_spaniel_name

_OURS = "spaniel"
# Modules of the same name with another purpose.
_DIFFERENT = {"haystack.tracing": "Use spaniel.trace()."}
_HINTS = {**_DIFFERENT, "haystack.AsyncPipeline": "Pipeline has run_async and run_async_generator itself."}
_WRAPPED = {
    ".components.": " In a pipeline of Spaniel, wrap the component: spaniel.interop.haystack.HaystackComponent(...).",
    ".document_stores.": " For components of Spaniel, wrap the store: spaniel.interop.haystack.HaystackStore(...).",
}


@cache
def find_counterpart(name: str) -> str | None:
    """Return our name for a dotted name of Haystack, or None.

    >>> find_counterpart("haystack.components.joiners.DocumentJoiner")
    'spaniel.components.joiners.DocumentJoiner'
    >>> find_counterpart("haystack.components.builders.PromptBuilder") is None
    True
    """
    if not is_haystack_name(name) or any(f"{name}.".startswith(f"{module}.") for module in _DIFFERENT):
        return None
    _, dot, rest = name.partition(".")
    for ours in (f"{_OURS}{dot}{rest}", to_spaniel_name(name)):
        if ours != name and _resolves(ours):
            return ours
    return None


def explain_missing(name: str) -> str:
    """Return the note on a name of Haystack without a counterpart."""
    hint = next((text for module, text in _HINTS.items() if f"{name}.".startswith(f"{module}.")), None)
    if hint is not None:
        return f"'{name}' is not in Spaniel, and is kept. {hint}"
    is_class = name.rpartition(".")[2][:1].isupper()
    wrapped = next((text for place, text in _WRAPPED.items() if is_class and place in name), "")
    return f"'{name}' is not in Spaniel, and is kept as Haystack's.{wrapped}"


def _resolves(name: str) -> bool:
    found: Any = import_module(_OURS)
    parts = name.split(".")
    for number, part in enumerate(parts[1:], 2):
        if not isinstance(found, ModuleType):
            return hasattr(found, part)  # only the first name below a class is checked
        inside = getattr(found, part, None)
        if inside is None:
            try:
                inside = import_module(".".join(parts[:number]))
            except ImportError as error:  # an extra is missing, but the module exists
                return not (error.name or _OURS).startswith(_OURS)
        found = inside
    return True
