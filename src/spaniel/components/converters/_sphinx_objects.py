"""Names of the objects that Sphinx's directives describe, and of those that its roles mention.

An object is recorded under keys such as ``py:os.path.join``, ``setting:DEBUG`` or ``term:leaf``.
The target of a role lists the keys to try (`spaniel.text.link_resolver`).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from spaniel.text.link_resolver import PYTHON_ROLES, normalize_label

_PYTHON = {
    *("function", "class", "method", "attribute", "exception", "data", "decorator", "staticmethod", "property"),
    *("classmethod", "decoratormethod", "coroutinefunction", "coroutinemethod", "abstractmethod", "type"),
    *("awaitablefunction", "awaitablemethod"),
}
_AUTOMATIC = {
    *("automodule", "autoclass", "autofunction", "autoexception", "autodata", "autodecorator", "automethod"),
    *("autoattribute", "autoproperty"),
}
_CLASSES = {"class", "exception", "autoclass", "autoexception"}
_KINDS = {
    **dict.fromkeys(("cmdoption", "django-admin-option"), "option"),
    "templatetag": "ttag",
    "templatefilter": "tfilter",
    "fieldlookup": "lookup",
    "django-admin": "djadmin",
    "rst:directive": "dir",
    "directive": "dir",
    "rst:role": "role",
    **dict.fromkeys(("cfunction", "cmember", "cmacro", "ctype", "cvar"), "c"),
}
_PLAIN = {"option", "envvar", "setting", "confval", "opcode", "role", "command", "program", "object", "describe"}
_HIDES_NAME = {"describe", "object", "program", "module", "currentmodule"}
_DOMAINS = {"c", "cpp", "js"}
_PYTHON_NAME = re.compile(r"(?:@\s*|(?:async|class|static|abstract|final)\s+)*(?P<prefix>(?:\w+\.)*)(?P<name>\w+)")
_OPTION = re.compile(r"[^\s=\[]+")
_NAME_BEFORE_PARENTHESIS = re.compile(r"(?P<name>[\w.:~]+)\s*(?:[(\[{=;:]|$)")


def is_object(directive: str) -> bool:
    """Return if the arguments of a directive are signatures."""
    name = directive.removeprefix("py:")
    return name in _PYTHON or name in _KINDS or name in _PLAIN or ":" in directive or directive.startswith("auto")


@dataclass
class ObjectScope:
    """The module, class and program around a place in a Sphinx source."""

    module: str = ""
    classes: list[str] = field(default_factory=list)
    program: str = ""

    @property
    def class_name(self) -> str:
        """The innermost class, "" outside of classes."""
        return self.classes[-1] if self.classes else ""

    def list_keys(self, directive: str, signature: str) -> Iterator[str]:
        """Yield the keys of an object; the first one is its own name.

        >>> list(ObjectScope("os", ["DirEntry"]).list_keys("method", "stat(*, follow=True)"))
        ['py:os.DirEntry.stat', 'py:.stat', 'py:.DirEntry.stat']
        """
        name = directive.removeprefix("py:")
        if name in _HIDES_NAME:
            return
        if name in _PYTHON:
            yield from self._list_python_keys(signature)
            return
        if name in _AUTOMATIC:
            if name != "automodule":
                yield from self._list_python_keys(signature.replace("::", "."))
            full = signature.strip() if name == "automodule" else self.qualify(signature.replace("::", "."))
            yield from (f"py:{full}", f"auto:{full}")  # its members are not in the source
            return
        domain = directive.partition(":")[0]
        kind = domain if domain in _DOMAINS else _KINDS.get(directive, directive)
        if kind == "option":
            yield from self._list_option_keys(signature)
        elif kind in _DOMAINS:
            if match := _NAME_BEFORE_PARENTHESIS.search(signature):
                yield f"{kind}:{match['name']}"
        elif words := signature.removeprefix(".. ").split():
            yield f"{kind}:{words[0].removesuffix('::') if kind == 'dir' else words[0]}"

    def _list_option_keys(self, signature: str) -> Iterator[str]:
        for part in signature.split(", "):
            if match := _OPTION.match(part.strip()):
                if self.program:
                    yield f"option:{self.program} {match.group()}"
                yield f"option:{match.group()}"

    def _list_python_keys(self, signature: str) -> Iterator[str]:
        full = self.qualify(signature)
        if not full:
            return
        yield f"py:{full}"
        parts = full.split(".")
        for count in (1, 2):
            if len(parts) > count:
                yield f"py:.{'.'.join(parts[-count:])}"

    def qualify(self, signature: str) -> str:
        """Return the full name of a Python object in this scope."""
        match = _PYTHON_NAME.match(signature.strip())
        if match is None:
            return ""
        name = match["prefix"] + match["name"]
        if self.class_name and not name.startswith(f"{self.class_name}."):
            name = f"{self.class_name}.{name}"
        return f"{self.module}.{name}" if self.module and not name.startswith(f"{self.module}.") else name

    def enter(self, directive: str, signature: str) -> bool:
        """Enter the class or program of a directive; True if `leave` must be called at its end."""
        name = directive.removeprefix("py:")
        if name == "django-admin":
            self.program = signature.split(maxsplit=1)[0] if signature.split() else ""
        if name not in _CLASSES:
            return False
        self.classes.append(self.qualify(signature).removeprefix(f"{self.module}." if self.module else ""))
        return True

    def leave(self) -> None:
        """Leave the innermost class."""
        self.classes.pop()

    def set(self, directive: str, argument: str) -> None:
        """Read a directive that changes the scope until the next one."""
        if directive in ("module", "py:module", "currentmodule", "py:currentmodule"):
            self.module = "" if argument == "None" else argument
            self.classes.clear()
        elif directive == "program":
            self.program = "" if argument == "None" else argument


def list_term_keys(term: str) -> list[str]:
    """Return the keys of a term of a glossary."""
    return [f"term:{normalize_label(term)}"]


__all__ = ["PYTHON_ROLES", "ObjectScope", "is_object", "list_term_keys"]
