"""``import haystack``, ``import haystack.x as y``, and every use of the names that these bind."""

import ast
from collections.abc import Iterator
from itertools import accumulate

from spaniel.core.haystack_names import PACKAGES, is_haystack_name
from spaniel.migration.counterparts import counterpart, what_stays
from spaniel.migration.edits import Edit
from spaniel.migration.notes import Note
from spaniel.migration.scopes import Uses
from spaniel.migration.source import Source

_OURS = "spaniel"


def moved_modules(source: Source) -> Iterator[Edit | Note]:
    """Yield the changes of all ``import haystack...`` and of what is reached through them; a note for what stays."""
    imported = [
        alias
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Import)
        for alias in node.names
        if is_haystack_name(alias.name)
    ]
    parents = (
        {id(child): node for node in ast.walk(source.tree) for child in ast.iter_child_nodes(node)} if imported else {}
    )
    for package in PACKAGES:
        plain = [alias for alias in imported if not alias.asname and alias.name.partition(".")[0] == package]
        if plain:
            yield from _moved_package(source, parents, package, plain)
    for alias in imported:
        if alias.asname:
            yield from _moved_alias(source, parents, alias, alias.asname)


def _moved_package(
    source: Source, parents: dict[int, ast.AST], package: str, imported: list[ast.alias]
) -> Iterator[Edit | Note]:
    uses = Uses(source.tree, package)
    paths = [(name, _path(name, parents, package)) for name in uses.of_import]
    moved = [(name, path) for name, path in paths if _deepest(path) is not None]
    stay = [(name, path) for name, path in paths if _deepest(path) is None]
    yield from (Edit(*source.span(name), _OURS) for name, _ in moved)
    yield from (Note(name.lineno, what_stays(path)) for name, path in stay)
    yield from _unclear(uses)
    needed = bool(stay or uses.unclear)
    brought = False
    for alias in imported:
        ours = counterpart(alias.name)
        if ours is not None and not (needed and alias.name == package):
            yield Edit(*source.span(alias), ours)
            brought = True
        elif ours is None:
            yield Note(alias.lineno, what_stays(alias.name))
    kept = [alias for alias in imported if counterpart(alias.name) is None or (needed and alias.name == package)]
    if needed and not kept:
        yield Edit(*source.span(imported[0])[:1] * 2, f"{package}, ")
    if moved and not brought:
        yield Edit(*source.span(kept[0])[1:] * 2, f", {_OURS}")


def _moved_alias(source: Source, parents: dict[int, ast.AST], alias: ast.alias, known_as: str) -> Iterator[Edit | Note]:
    uses = Uses(source.tree, known_as)
    paths = [(name, _path(name, parents, alias.name)) for name in uses.of_import]
    stay = [(name, path) for name, path in paths if _deepest(path) is None]
    ours = counterpart(alias.name)
    if ours is None or stay or uses.unclear:
        yield from (Note(name.lineno, what_stays(path)) for name, path in stay)
        yield from _unclear(uses)
        because = "" if ours is None else f", as '{known_as}' is used for what is not in Spaniel"
        yield Note(alias.lineno, f"'import {alias.name} as {known_as}' stays as it is{because}.")
        return
    yield Edit(*source.span(alias), f"{ours} as {known_as}")


def _unclear(uses: Uses) -> Iterator[Note]:
    for name in uses.unclear:
        yield Note(name.lineno, f"'{uses.name}' may be the module or another value here; it stays as it is.")


def _path(name: ast.Name, parents: dict[int, ast.AST], start: str) -> str:
    """Return the dotted path that begins with a name, such as ``haystack.components.joiners``."""
    path, node = start, parents.get(id(name))
    while isinstance(node, ast.Attribute):
        path, node = f"{path}.{node.attr}", parents.get(id(node))
    return path


def _deepest(path: str) -> str | None:
    """Return our name for a path, of which the end may be an attribute of what a name stands for."""
    parts = path.split(".")
    prefixes = list(accumulate(parts, "{}.{}".format))
    ours = [counterpart(prefix) for prefix in prefixes]
    if ours[-1] is not None:
        return ours[-1]
    inside_a_class = any(found is not None and part[:1].isupper() for found, part in zip(ours, parts, strict=True))
    return ours[0] if inside_a_class else None
