"""reStructuredText in files whose suffix does not say so, such as Django's and Sphinx's ``.txt``."""

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

_RST = re.compile(
    r"""(?P<block>^[ ]{0,12}\.\.[ ](?:[a-z][\w-]*(?::[a-z][\w-]*)?::(?:[ ]|$)|_[^:\n]{1,100}:(?:[ ]|$)|\|[^|\n]{1,60}\|[ ][a-z]+::))
    |(?<![\w`:]):[a-z][a-z-]*(?::[a-z][a-z-]*)?:`[^`\n]
    |(?<![\w`])`[^`<>\n]{1,100}[ \n][ ]*<[^\s<>`]{1,200}>`__?(?!\w)""",
    re.MULTILINE | re.VERBOSE,
)
_MARKDOWN = re.compile(r"^[ ]{0,3}(?:```|~~~|\#{1,6}[ ]\S)|(?<!!)\[[^\[\]\n]{1,100}\]\([^\s()]+\)", re.MULTILINE)
_UNDERLINED = re.compile(r"^(?P<title>\S[^\n]*)\n(?P<sign>[=\-~^*+\#\"'.])(?P=sign){2,}[ \t]*$", re.MULTILINE)
_MAX_CHARACTERS_PER_MARK = 5_000
_MAX_SCANNED = 200_000  # characters
_MAX_CONFIGURATION = 1_000_000  # bytes
_NAME = "source_suffix"


def is_rst(text: str) -> bool:
    r"""Return if a text is written in reStructuredText, by its directives, targets and roles.

    A text with a single mark must also have an underlined title. A text with as many marks of
    Markdown, or with few marks for its length, is plain text.

    >>> is_rst("Guide\n=====\n\n.. toctree::\n\n   usage\n"), is_rst("Guide\n=====\n\nSee `this`::\n\n    code\n")
    (True, False)
    """
    scanned = text[:_MAX_SCANNED]
    if ".. " not in scanned and "`" not in scanned:
        return False
    marks = [match["block"] is not None for match in _RST.finditer(scanned)]
    if not marks or len(marks) * _MAX_CHARACTERS_PER_MARK < len(scanned):
        return False
    if len(_MARKDOWN.findall(scanned)) >= len(marks):
        return False
    return (len(marks) > 1 and any(marks)) or len(marks) > 3 or _UNDERLINED.search(scanned) is not None


def declares_rst(file: Path) -> bool:
    """Return if the ``source_suffix`` of the nearest ``conf.py`` makes a file reStructuredText.

    The configuration is parsed, never executed; a suffix that it computes is not seen.
    """
    for folder in file.parents:
        configuration = folder / "conf.py"
        try:
            status = configuration.stat()
        except OSError:
            continue
        if status.st_size <= _MAX_CONFIGURATION:
            suffixes = _read_suffixes(configuration, status.st_mtime_ns)
            if suffixes is not None:
                return any(file.name.endswith(suffix) for suffix in suffixes)
    return False


@lru_cache(maxsize=64)
def _read_suffixes(configuration: Path, _: int) -> tuple[str, ...] | None:
    try:
        tree = ast.parse(configuration.read_bytes())
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    found: tuple[str, ...] | None = None
    for value in _find_values(tree):
        try:
            given = ast.literal_eval(value)
        except (ValueError, TypeError, RecursionError, MemoryError):
            continue
        if isinstance(given, str):
            found = (given,)
        elif isinstance(given, dict):
            found = tuple(str(suffix) for suffix, kind in given.items() if kind in (None, "restructuredtext"))
        elif isinstance(given, list | tuple):
            found = tuple(map(str, given))
    return found


def _find_values(tree: ast.Module) -> Iterator[ast.expr]:
    for statement in tree.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        if any(isinstance(target, ast.Name) and target.id == _NAME for target in targets):
            value = getattr(statement, "value", None)
            if isinstance(value, ast.expr):
                yield value
