"""``import haystack...`` and ``from haystack... import ...``: which part of each has a counterpart, and what to write."""

import ast
import re
from collections.abc import Iterator

from spaniel.migration.counterparts import counterpart, what_stays
from spaniel.migration.edits import Edit
from spaniel.migration.notes import Note
from spaniel.migration.source import Source

_FROM = re.compile(r"from[ \t\f\\\r\n]+([\w.]+)[ \t\f\\\r\n]+import\b")


def moved_from_import(source: Source, node: ast.ImportFrom) -> Iterator[Edit | Note]:
    """Yield the changes of a ``from ... import ...``, and a note for each name that stays."""
    module = node.module or ""
    start, end = source.span(node)
    head = _FROM.match(source.text, start, end)
    if head is None or head[1] != module:
        yield Note(
            node.lineno, f"'from {module} import ...' is written in a way that is not understood; it stays as it is."
        )
        return
    if node.names[0].name == "*":
        yield from _star(node, module, head)
        return
    targets = {alias: counterpart(f"{module}.{alias.name}") for alias in node.names}
    yield from (
        Note(alias.lineno, what_stays(f"{module}.{alias.name}")) for alias, ours in targets.items() if ours is None
    )
    groups: dict[str, list[ast.alias]] = {}
    for alias, ours in targets.items():
        groups.setdefault(module if ours is None else ours.rpartition(".")[0], []).append(alias)
    if list(groups) == [module]:
        return
    main = next(name for name in groups if name != module)  # stands in the place of the old one, with its comments
    yield Edit(*head.span(1), main)
    yield from _without(source, head.end(), end, node.names, groups.pop(main), targets)
    if groups:
        others = [
            f"from {name} import {', '.join(_written(alias, targets) for alias in group)}"
            for name, group in groups.items()
        ]
        separator = _separator(source.text, start)
        yield Edit(start, start, "".join(f"{other}{separator}" for other in others))


def _star(node: ast.ImportFrom, module: str, head: re.Match[str]) -> Iterator[Edit | Note]:
    ours = counterpart(module)
    if ours is None:
        yield Note(node.lineno, what_stays(module))
        return
    yield Edit(*head.span(1), ours)
    yield Note(node.lineno, f"'from {ours} import *' gives the names that Spaniel has there; check those that you use.")


def _written(alias: ast.alias, targets: dict[ast.alias, str | None]) -> str:
    ours = targets[alias]
    name = alias.name if ours is None else ours.rpartition(".")[2]
    known_as = alias.asname or alias.name
    return name if name == known_as else f"{name} as {known_as}"


def _separator(text: str, start: int) -> str:
    line_start = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
    indent = text[line_start:start]
    if indent.strip("\ufeff \t\f"):  # something stands before it on its line
        return "; "
    line_end = "\r\n" if "\r\n" in text else "\n"
    return f"{line_end}{indent.removeprefix(chr(0xFEFF))}"


def _without(
    source: Source,
    start: int,
    end: int,
    every: list[ast.alias],
    kept: list[ast.alias],
    targets: dict[ast.alias, str | None],
) -> Iterator[Edit]:
    """Yield the changes that leave the kept names of a list, under their new names."""
    listed = source.text[start:end]
    if len(kept) < len(every) and not re.search(r"[#\r\n]", listed):
        names = ", ".join(_written(alias, targets) for alias in kept)
        yield Edit(start, end, f" ({names})" if "(" in listed else f" {names}")
        return
    for alias in every:
        if alias not in kept:
            yield _line_or_name(source.text, *source.span(alias))
        elif (new := _written(alias, targets)) != _written(alias, {alias: None}):
            yield Edit(*source.span(alias), new)


def _line_or_name(text: str, start: int, end: int) -> Edit:
    """Return the change that takes a name and its comma out of a list, with its line if nothing else is on it."""
    after = re.compile(r"[ \t]*,?[ \t]*").match(text, end)
    end = end if after is None else after.end()
    line_start = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
    line_end = re.compile(r"\r\n|\n|\r").match(text, end)
    if line_end is not None and not text[line_start:start].strip():
        return Edit(line_start, line_end.end(), "")
    return Edit(start, end, "")
