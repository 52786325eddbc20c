"""Names of Haystack inside the texts of a program: a text that is one, as for ``patch``, and the types of YAML."""

import ast
import re
from collections.abc import Callable, Iterator
from typing import Any

from spaniel.core.haystack_names import PACKAGES
from spaniel.migration.counterparts import counterpart
from spaniel.migration.edits import Edit
from spaniel.migration.notes import Note
from spaniel.migration.source import Source

_NAME = re.compile(rf"\b(?:{'|'.join(sorted(PACKAGES, key=len, reverse=True))})(?:\.\w+)+")
_TYPE_OF_YAML = re.compile(rf"\btype[\"']?:\s+[\"']?({_NAME.pattern})")
_PLACES = re.compile(r"(?:haystack_\w+|haystack\.(?:components|core|dataclasses|document_stores|utils))\.")


def moved_texts(source: Source) -> Iterator[Edit | Note]:
    """Yield the changes of names in texts, and a note for each that stays and is plainly one of Haystack.

    A whole text is taken for a name from three parts on; one of two, such as ``haystack.Document``, may be anything, but in an
    annotation it is a type.
    """
    formatted = _below(source.tree, lambda node: [node] if isinstance(node, ast.JoinedStr) else [])
    annotations = _below(source.tree, lambda node: [getattr(node, name, None) for name in ("annotation", "returns")])
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in formatted:
            start, end = source.span(node)
            for place, name in _names(source.text[start:end], node.value, is_annotation=id(node) in annotations):
                if (ours := counterpart(name)) is not None:
                    yield Edit(start + place, start + place + len(name), ours)
                elif _PLACES.match(name):
                    yield Note(
                        source.line_of(start + place), f"'{name}' in a text is not in Spaniel, and stays as it is."
                    )


def _below(tree: ast.AST, roots: Callable[[ast.AST], list[Any]]) -> set[int]:
    """Return the identities of all nodes below some."""
    return {
        id(part)
        for node in ast.walk(tree)
        for root in roots(node)
        if isinstance(root, ast.AST)
        for part in ast.walk(root)
    }


def _names(written: str, value: str, *, is_annotation: bool) -> Iterator[tuple[int, str]]:
    """Yield the names in a text as it is written in the program, and where they begin."""
    if is_annotation:
        yield from ((found.start(), found[0]) for found in _NAME.finditer(written))
    elif _NAME.fullmatch(value):
        if value.count(".") > 1 and value in written:
            yield written.index(value), value
    else:
        yield from ((found.start(1), found[1]) for found in _TYPE_OF_YAML.finditer(written))
