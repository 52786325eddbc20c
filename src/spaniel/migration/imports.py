"""Migration of imports from ``haystack``, and of uses of the imported modules."""

import ast
import re
from collections.abc import Iterator
from itertools import accumulate

from spaniel.core.haystack_names import PACKAGES, is_haystack_name
from spaniel.migration.counterparts import explain_missing, find_counterpart
from spaniel.migration.name_uses import Uses
from spaniel.migration.source import Edit, Note, Source

_OURS = "spaniel"
_FROM = re.compile(r"from[ \t\f\\\r\n]+([\w.]+)[ \t\f\\\r\n]+import\b")


def migrate_from_import(source: Source, node: ast.ImportFrom) -> Iterator[Edit | Note]:
    """Yield the edits of a ``from ... import ...``, and a note for each name that is kept."""
    module = node.module or ""
    start, end = source.span(node)
    head = _FROM.match(source.text, start, end)
    if head is None or head[1] != module:
        yield Note(node.lineno, f"'from {module} import ...' has an unsupported form, and is kept.")
        return
    if node.names[0].name == "*":
        yield from _star(node, module, head)
        return
    targets = {alias: find_counterpart(f"{module}.{alias.name}") for alias in node.names}
    yield from (
        Note(alias.lineno, explain_missing(f"{module}.{alias.name}")) for alias, ours in targets.items() if ours is None
    )
    groups: dict[str, list[ast.alias]] = {}
    for alias, ours in targets.items():
        groups.setdefault(module if ours is None else ours.rpartition(".")[0], []).append(alias)
    if list(groups) == [module]:
        return
    main = next(name for name in groups if name != module)  # replaces the old one, and keeps its comments
    yield Edit(*head.span(1), main)
    yield from _reduce_names(source, head.end(), end, node.names, groups.pop(main), targets)
    if groups:
        others = [
            f"from {name} import {', '.join(_import_text(alias, targets) for alias in group)}"
            for name, group in groups.items()
        ]
        separator = _separator(source.text, start)
        yield Edit(start, start, "".join(f"{other}{separator}" for other in others))


def _star(node: ast.ImportFrom, module: str, head: re.Match[str]) -> Iterator[Edit | Note]:
    ours = find_counterpart(module)
    if ours is None:
        yield Note(node.lineno, explain_missing(module))
        return
    yield Edit(*head.span(1), ours)
    yield Note(node.lineno, f"'from {ours} import *' imports the names that Spaniel has; check the ones you use.")


def _import_text(alias: ast.alias, targets: dict[ast.alias, str | None]) -> str:
    ours = targets[alias]
    name = alias.name if ours is None else ours.rpartition(".")[2]
    local_name = alias.asname or alias.name
    return name if name == local_name else f"{name} as {local_name}"


def _separator(text: str, start: int) -> str:
    line_start = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
    indent = text[line_start:start]
    if indent.strip("\ufeff \t\f"):  # another statement on the line
        return "; "
    line_end = "\r\n" if "\r\n" in text else "\n"
    return f"{line_end}{indent.removeprefix(chr(0xFEFF))}"


def _reduce_names(
    source: Source,
    start: int,
    end: int,
    every: list[ast.alias],
    kept: list[ast.alias],
    targets: dict[ast.alias, str | None],
) -> Iterator[Edit]:
    listed = source.text[start:end]
    if len(kept) < len(every) and not re.search(r"[#\r\n]", listed):
        names = ", ".join(_import_text(alias, targets) for alias in kept)
        yield Edit(start, end, f" ({names})" if "(" in listed else f" {names}")
        return
    for alias in every:
        if alias not in kept:
            yield _remove_name(source.text, *source.span(alias))
        elif (new := _import_text(alias, targets)) != _import_text(alias, {alias: None}):
            yield Edit(*source.span(alias), new)


def _remove_name(text: str, start: int, end: int) -> Edit:
    """Return the edit that removes a name and its comma, with the line if it has nothing else."""
    after = re.compile(r"[ \t]*,?[ \t]*").match(text, end)
    end = end if after is None else after.end()
    line_start = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
    line_end = re.compile(r"\r\n|\n|\r").match(text, end)
    if line_end is not None and not text[line_start:start].strip():
        return Edit(line_start, line_end.end(), "")
    return Edit(start, end, "")


def migrate_module_imports(source: Source) -> Iterator[Edit | Note]:
    """Yield the edits of all ``import haystack...`` and their uses, and a note per kept name."""
    imports = [node for node in ast.walk(source.tree) if isinstance(node, ast.Import)]
    imported = [alias for node in imports for alias in node.names if is_haystack_name(alias.name)]
    if not imported:
        return
    parents = {id(child): node for node in ast.walk(source.tree) for child in ast.iter_child_nodes(node)}
    for package in PACKAGES:
        plain = [alias for alias in imported if not alias.asname and alias.name.partition(".")[0] == package]
        if plain:
            yield from _migrate_package(source, parents, package, plain)
    for alias in imported:
        if alias.asname:
            yield from _migrate_alias(source, parents, alias, alias.asname)


def _migrate_package(
    source: Source, parents: dict[int, ast.AST], package: str, imported: list[ast.alias]
) -> Iterator[Edit | Note]:
    uses = Uses(source.tree, package)
    paths = [(name, _path(name, parents, package)) for name in uses.of_import]
    migrated = [(name, path) for name, path in paths if _has_counterpart(path)]
    kept_uses = [(name, path) for name, path in paths if not _has_counterpart(path)]
    yield from (Edit(*source.span(name), _OURS) for name, _ in migrated)
    yield from (Note(name.lineno, explain_missing(path)) for name, path in kept_uses)
    yield from _unclear(uses)
    needed = bool(kept_uses or uses.unclear)
    imported_ours = False
    for alias in imported:
        ours = find_counterpart(alias.name)
        if ours is not None and not (needed and alias.name == package):
            yield Edit(*source.span(alias), ours)
            imported_ours = True
        elif ours is None:
            yield Note(alias.lineno, explain_missing(alias.name))
    kept = [alias for alias in imported if find_counterpart(alias.name) is None or (needed and alias.name == package)]
    if needed and not kept:
        yield Edit(*source.span(imported[0])[:1] * 2, f"{package}, ")
    if migrated and not imported_ours:
        yield Edit(*source.span(kept[0])[1:] * 2, f", {_OURS}")


def _migrate_alias(
    source: Source, parents: dict[int, ast.AST], alias: ast.alias, local_name: str
) -> Iterator[Edit | Note]:
    uses = Uses(source.tree, local_name)
    paths = [(name, _path(name, parents, alias.name)) for name in uses.of_import]
    kept_uses = [(name, path) for name, path in paths if not _has_counterpart(path)]
    ours = find_counterpart(alias.name)
    if ours is None or kept_uses or uses.unclear:
        yield from (Note(name.lineno, explain_missing(path)) for name, path in kept_uses)
        yield from _unclear(uses)
        because = "" if ours is None else f", as '{local_name}' is used for names that are not in Spaniel"
        yield Note(alias.lineno, f"'import {alias.name} as {local_name}' is kept{because}.")
        return
    yield Edit(*source.span(alias), f"{ours} as {local_name}")


def _unclear(uses: Uses) -> Iterator[Note]:
    for name in uses.unclear:
        yield Note(name.lineno, f"'{uses.name}' may be the module or another value here; it is kept.")


def _path(name: ast.Name, parents: dict[int, ast.AST], start: str) -> str:
    path, node = start, parents.get(id(name))
    while isinstance(node, ast.Attribute):
        path, node = f"{path}.{node.attr}", parents.get(id(node))
    return path


def _has_counterpart(path: str) -> bool:
    """Return if a path, whose end may be an attribute of a class, has a name of ours."""
    parts = path.split(".")
    ours = [find_counterpart(prefix) for prefix in accumulate(parts, "{}.{}".format)]
    inside_a_class = any(found is not None and part[:1].isupper() for found, part in zip(ours, parts, strict=True))
    return ours[-1] is not None or (inside_a_class and ours[0] is not None)
