"""Migration of Python programs from Haystack to Spaniel."""

import ast
import difflib
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from spaniel.core.haystack_names import PACKAGES, is_haystack_name
from spaniel.errors import MigrationError
from spaniel.migration.counterparts import find_counterpart
from spaniel.migration.imports import migrate_from_import, migrate_module_imports
from spaniel.migration.source import Edit, Note, Source, apply_edits, parse

_NAME = re.compile(rf"\b(?:{'|'.join(sorted(PACKAGES, key=len, reverse=True))})(?:\.\w+)+")
_TYPE_OF_YAML = re.compile(rf"\btype[\"']?:\s+[\"']?({_NAME.pattern})")
_PLACES = re.compile(r"(?:haystack_\w+|haystack\.(?:components|core|dataclasses|document_stores|utils))\.")


class MigratedCode(NamedTuple):
    """A migrated program.

    :param before: the original text.
    :param after: the text with our names; equal to `before` if nothing changed.
    :param encoding: encoding of the file.
    :param notes: names that are kept, by line.
    """

    before: str
    after: str
    encoding: str
    notes: tuple[Note, ...]

    def diff(self, name: str) -> str:
        """Return the change as a unified diff.

        :param name: the file name in the diff.
        """
        lines = difflib.unified_diff(
            self.before.splitlines(), self.after.splitlines(), f"a/{name}", f"b/{name}", lineterm=""
        )
        return "\n".join(lines)


def migrate_code(data: bytes) -> MigratedCode:
    """Replace the names of Haystack in a program by their counterparts in Spaniel.

    Imports are changed, uses of the imported names, and string literals that are a dotted name (as
    for ``patch``) or contain types of saved pipelines. Everything else is kept, including spaces
    and comments. The program is not run.

    :param data: the content of its file.
    :raises MigrationError: the content is not valid Python.

    >>> migrate_code(b"from haystack import Document  # one passage").after
    'from spaniel import Document  # one passage'
    """
    source = Source(data)
    if not any(package in source.text for package in PACKAGES):
        return MigratedCode(source.text, source.text, source.encoding, ())
    found: list[Edit | Note] = [*migrate_module_imports(source), *_migrate_string_literals(source)]
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ImportFrom) and not node.level and is_haystack_name(node.module or ""):
            found += migrate_from_import(source, node)
    after = apply_edits(source.text, (each for each in found if isinstance(each, Edit)))
    try:
        parse(after)
    except SyntaxError as error:
        raise MigrationError(
            f"line {error.lineno}: the result would not be valid Python; change the program by hand."
        ) from error
    notes = sorted({each for each in found if isinstance(each, Note)})
    return MigratedCode(source.text, after, source.encoding, tuple(notes))


def _migrate_string_literals(source: Source) -> Iterator[Edit | Note]:
    """Yield edits of names in string literals, and a note for each certain name without a
    counterpart.

    A literal is a name if it has three parts or more; one of two parts, such as
    ``haystack.Document``, is ambiguous, except in an annotation.
    """
    formatted = _below(source.tree, lambda node: [node] if isinstance(node, ast.JoinedStr) else [])
    annotations = _below(source.tree, lambda node: [getattr(node, name, None) for name in ("annotation", "returns")])
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in formatted:
            start, end = source.span(node)
            for place, name in _names(source.text[start:end], node.value, is_annotation=id(node) in annotations):
                if (ours := find_counterpart(name)) is not None:
                    yield Edit(start + place, start + place + len(name), ours)
                elif _PLACES.match(name):
                    yield Note(source.line_of(start + place), f"'{name}' in a string is not in Spaniel, and is kept.")


def _below(tree: ast.AST, roots: Callable[[ast.AST], list[Any]]) -> set[int]:
    every = (root for node in ast.walk(tree) for root in roots(node) if isinstance(root, ast.AST))
    return {id(part) for root in every for part in ast.walk(root)}


def _names(written: str, value: str, *, is_annotation: bool) -> Iterator[tuple[int, str]]:
    if is_annotation:
        yield from ((found.start(), found[0]) for found in _NAME.finditer(written))
    elif _NAME.fullmatch(value):
        if value.count(".") > 1 and value in written:
            yield written.index(value), value
    else:
        yield from ((found.start(1), found[1]) for found in _TYPE_OF_YAML.finditer(written))
