"""Units of Python code with their lines: functions, methods, classes, imports, statements."""

import ast
import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from spaniel.text.decoding import replace_surrogates

CodeUnitKind = Literal[
    "module_docstring", "imports", "function", "class", "class_header", "method", "nested_class", "statement"
]
_Named = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True, slots=True)
class CodeUnit:
    """An indivisible span of code.

    :param text: its lines, with the comments and blank lines above.
    :param kind: its kind.
    :param start_line: the first line of the code itself, from 1.
    :param end_line: its last line.
    :param name: the name of the function or class.
    :param class_name: the name of the top-level class that contains it.
    :param class_lines: the head of that class: decorators, ``class`` and all lines before its body.
    :param decorators: as code, without ``@``.
    :param docstring: the docstring that was removed from the text.
    """

    text: str
    kind: CodeUnitKind
    start_line: int
    end_line: int
    name: str | None = None
    class_name: str | None = None
    class_lines: str = ""
    decorators: tuple[str, ...] = ()
    docstring: str | None = None


@dataclass(slots=True)
class _NodeSpan:
    """The lines of a syntax node that become a unit, up to `end`."""

    kind: CodeUnitKind
    start: int
    end: int
    node: ast.stmt
    owner: ast.ClassDef | None = None


def parse_code_units(source: str, *, remove_docstrings: bool = False) -> list[CodeUnit]:
    r"""Return the units of Python code, in order; joined, their texts are the code.

    >>> units = parse_code_units("import os\n\ndef f():\n    pass\n")
    >>> [(unit.kind, unit.start_line, unit.text) for unit in units]
    [('imports', 1, 'import os\n'), ('function', 3, '\ndef f():\n    pass\n')]
    """
    # Lines as the parser counts them: str.splitlines would also split at form feeds.
    lines = list(io.StringIO(source, newline=""))
    spans = list(_find_spans(ast.parse(replace_surrogates(source)).body))
    if not spans:
        return [CodeUnit(source, "statement", 1, len(lines))] if lines else []
    spans[-1].end = max(len(lines), spans[-1].end)
    units = []
    done = 0
    for span in spans:
        if span.end <= done:  # a second statement on a line
            continue
        units.append(_build_unit(span, lines, done, remove_docstrings=remove_docstrings))
        done = span.end
    return units


def _find_spans(body: list[ast.stmt]) -> Iterator[_NodeSpan]:
    imports: _NodeSpan | None = None
    for index, node in enumerate(body):
        start, end = _first_line(node), _last_line(node)
        if isinstance(node, ast.Import | ast.ImportFrom):
            if imports is None:
                imports = _NodeSpan("imports", start, end, node)
            imports.end = end
            continue
        if imports is not None:
            yield imports
            imports = None
        if isinstance(node, ast.ClassDef):
            yield from _find_class_spans(node)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield _NodeSpan("function", start, end, node)
        elif index == 0 and _is_text(node):
            yield _NodeSpan("module_docstring", start, end, node)
        else:
            yield _NodeSpan("statement", start, end, node)
    if imports is not None:
        yield imports


def _find_class_spans(owner: ast.ClassDef) -> Iterator[_NodeSpan]:
    """Yield the class as a whole, or its head and members; the last member extends to its end."""
    start, end = _first_line(owner), _last_line(owner)
    members = [node for node in owner.body if isinstance(node, _Named)]
    if not members:
        yield _NodeSpan("class", start, end, owner, owner)
        return
    yield _NodeSpan("class_header", start, _first_line(members[0]) - 1, owner, owner)
    for member in members:
        kind: CodeUnitKind = "nested_class" if isinstance(member, ast.ClassDef) else "method"
        yield _NodeSpan(kind, _first_line(member), end if member is members[-1] else _last_line(member), member, owner)


def _build_unit(span: _NodeSpan, lines: list[str], done: int, *, remove_docstrings: bool) -> CodeUnit:
    node, owner = span.node, span.owner
    name: str | None = None
    decorators: tuple[str, ...] = ()
    docstring: str | None = None
    docstring_lines = range(0)
    if isinstance(node, _Named):
        name = node.name
        decorators = tuple(ast.unparse(decorator) for decorator in node.decorator_list)
        if remove_docstrings:
            docstring_lines = _find_docstring_lines(node, lines)
            docstring = ast.get_docstring(node) if docstring_lines else None
    return CodeUnit(
        text="".join(lines[index] for index in range(done, span.end) if index not in docstring_lines),
        kind=span.kind,
        start_line=span.start,
        end_line=span.end,
        name=name,
        class_name=owner.name if owner else None,
        class_lines="".join(lines[_first_line(owner) - 1 : _first_line(owner.body[0]) - 1]) if owner else "",
        decorators=decorators,
        docstring=docstring,
    )


def _find_docstring_lines(node: _Named, lines: list[str]) -> range:
    """Return the indexes of the lines of the docstring; none if they contain other code."""
    text = node.body[0]
    if not _is_text(text) or not ast.get_docstring(node):
        return range(0)
    first, last = text.lineno - 1, _last_line(text) - 1
    before = lines[first].encode("utf-8", "surrogatepass")[: text.col_offset]
    after = lines[last].encode("utf-8", "surrogatepass")[text.end_col_offset :].strip()
    alone = not before.strip() and (not after or after.startswith(b"#"))
    return range(first, last + 1) if alone else range(0)


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _first_line(node: ast.stmt) -> int:
    if isinstance(node, _Named) and node.decorator_list:
        return node.decorator_list[0].lineno
    return node.lineno


def _last_line(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno
