"""What stands in Spaniel for a dotted name of Haystack: a module, a class, or something inside one."""

from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from spaniel.core.haystack_names import is_haystack_name, to_spaniel_name

_OURS = "spaniel"
# Modules of one name that do something else here.
_ELSEWHERE = {"haystack.tracing": "Use spaniel.trace()."}
_HINTS = {
    **_ELSEWHERE,
    "haystack.AsyncPipeline": "Pipeline has run_async and run_async_generator itself.",
}
_WRAPPED = {
    ".components.": " In a pipeline of Spaniel, wrap the component: spaniel.interop.haystack.HaystackComponent(...).",
    ".document_stores.": " For components of Spaniel, wrap the store: spaniel.interop.haystack.HaystackStore(...).",
}


@cache
def counterpart(name: str) -> str | None:
    """Return our name for a dotted name of Haystack, or None if there is none.

    :param name: a module, or something in one, such as ``haystack.components.joiners.DocumentJoiner.run``.

    >>> counterpart("haystack.components.joiners.DocumentJoiner")
    'spaniel.components.joiners.DocumentJoiner'
    >>> counterpart("haystack.components.builders.PromptBuilder") is None
    True
    """
    if not is_haystack_name(name) or any(f"{name}.".startswith(f"{module}.") for module in _ELSEWHERE):
        return None
    _, dot, rest = name.partition(".")
    for ours in (f"{_OURS}{dot}{rest}", to_spaniel_name(name)):
        if ours != name and _leads_somewhere(ours):
            return ours
    return None


def what_stays(name: str) -> str:
    """Return what is said of a name of Haystack that has no counterpart."""
    hint = next((text for module, text in _HINTS.items() if f"{name}.".startswith(f"{module}.")), None)
    if hint is not None:
        return f"'{name}' is not in Spaniel, and stays as it is. {hint}"
    is_class = name.rpartition(".")[2][:1].isupper()
    wrapped = next((text for place, text in _WRAPPED.items() if is_class and place in name), "")
    return f"'{name}' is not in Spaniel, and stays Haystack's.{wrapped}"


def _leads_somewhere(name: str) -> bool:
    found: Any = import_module(_OURS)
    parts = name.split(".")
    for number, part in enumerate(parts[1:], 2):
        if not isinstance(found, ModuleType):
            return hasattr(found, part)  # of what is inside a class, the first name is looked at
        inside = getattr(found, part, None)
        if inside is None:
            try:
                inside = import_module(".".join(parts[:number]))
            except ImportError as error:  # else the module is there, and only an extra is not installed
                return not (error.name or _OURS).startswith(_OURS)
        found = inside
    return True
