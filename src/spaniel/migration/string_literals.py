"""Names of Haystack in string literals: a literal that is a name, as for ``patch``, and types in YAML."""

import ast
import re
from collections.abc import Callable, Iterator
from typing import Any

from spaniel.core.haystack_names import PACKAGES
from spaniel.migration.changes import Edit, Note
from spaniel.migration.counterparts import find_counterpart
from spaniel.migration.source import Source

_NAME = re.compile(rf"\b(?:{'|'.join(sorted(PACKAGES, key=len, reverse=True))})(?:\.\w+)+")
_TYPE_OF_YAML = re.compile(rf"\btype[\"']?:\s+[\"']?({_NAME.pattern})")
_PLACES = re.compile(r"(?:haystack_\w+|haystack\.(?:components|core|dataclasses|document_stores|utils))\.")


def migrate_string_literals(source: Source) -> Iterator[Edit | Note]:
    """Yield edits of names in string literals, and a note for each certain name without a counterpart.

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
    """Return the ids of all nodes below the roots that `roots` selects."""
    return {
        id(part)
        for node in ast.walk(tree)
        for root in roots(node)
        if isinstance(root, ast.AST)
        for part in ast.walk(root)
    }


def _names(written: str, value: str, *, is_annotation: bool) -> Iterator[tuple[int, str]]:
    """Yield the names in a literal with their offsets in its source form."""
    if is_annotation:
        yield from ((found.start(), found[0]) for found in _NAME.finditer(written))
    elif _NAME.fullmatch(value):
        if value.count(".") > 1 and value in written:
            yield written.index(value), value
    else:
        yield from ((found.start(1), found[1]) for found in _TYPE_OF_YAML.finditer(written))
