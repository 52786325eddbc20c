"""Units of Python code: functions, methods, classes, imports and other statements, with the lines they stand on."""

import ast
import io
from collections.abc import Iterator
from dataclasses import dataclass

from spaniel.text.decoding import replace_surrogates

_Named = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True, slots=True)
class CodeUnit:
    """A stretch of code that is not divided.

    :param text: its lines, from after the unit before it: with the comments and blank lines above.
    :param kind: ``module_docstring``, ``imports``, ``function``, ``class``, ``class_header``, ``method``, ``nested_class`` or
        ``statement``.
    :param start_line: the line where the code itself begins, from 1.
    :param end_line: its last line.
    :param name: of the function or class.
    :param class_name: of the class of the module that it belongs to.
    :param class_lines: how that class begins: decorators, ``class`` and all until its body.
    :param decorators: as code, without ``@``.
    :param docstring: what was taken out of the text.
    """

    text: str
    kind: str
    start_line: int
    end_line: int
    name: str | None = None
    class_name: str | None = None
    class_lines: str = ""
    decorators: tuple[str, ...] = ()
    docstring: str | None = None


@dataclass(slots=True)
class _Part:
    """What becomes a unit: the code of a node and the lines until `end`."""

    kind: str
    start: int
    end: int
    node: ast.stmt
    owner: ast.ClassDef | None = None


def code_units(source: str, *, take_docstrings: bool = False) -> list[CodeUnit]:
    r"""Return the units of Python code, in order; joined, their texts are the code.

    :param source: the code. It is parsed, never run. In a docstring that is taken out, U+FFFD stands for a lone surrogate.
    :param take_docstrings: take the docstrings of functions and classes out of the texts.
    :raises SyntaxError: it is no Python.

    >>> [(unit.kind, unit.start_line, unit.text) for unit in code_units("import os\n\ndef f():\n    pass\n")]
    [('imports', 1, 'import os\n'), ('function', 3, '\ndef f():\n    pass\n')]
    """
    # Lines as the parser counts them: str.splitlines would also count form feeds.
    lines = list(io.StringIO(source, newline=""))
    parts = list(_parts(ast.parse(replace_surrogates(source)).body))
    if not parts:
        return [CodeUnit(source, "statement", 1, len(lines))] if lines else []
    parts[-1].end = max(len(lines), parts[-1].end)
    units = []
    done = 0
    for part in parts:
        if part.end <= done:  # a second statement on a line
            continue
        units.append(_unit(part, lines, done, take_docstrings=take_docstrings))
        done = part.end
    return units


def _parts(body: list[ast.stmt]) -> Iterator[_Part]:
    imports: _Part | None = None
    for index, node in enumerate(body):
        start, end = _first_line(node), _last_line(node)
        if isinstance(node, ast.Import | ast.ImportFrom):
            if imports is None:
                imports = _Part("imports", start, end, node)
            imports.end = end
            continue
        if imports is not None:
            yield imports
            imports = None
        if isinstance(node, ast.ClassDef):
            yield from _parts_of_class(node)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield _Part("function", start, end, node)
        elif index == 0 and _is_text(node):
            yield _Part("module_docstring", start, end, node)
        else:
            yield _Part("statement", start, end, node)
    if imports is not None:
        yield imports


def _parts_of_class(owner: ast.ClassDef) -> Iterator[_Part]:
    """Yield the class as a whole, or its head and its members. What follows the last member belongs to that."""
    start, end = _first_line(owner), _last_line(owner)
    members = [node for node in owner.body if isinstance(node, _Named)]
    if not members:
        yield _Part("class", start, end, owner, owner)
        return
    yield _Part("class_header", start, _first_line(members[0]) - 1, owner, owner)
    for member in members:
        kind = "nested_class" if isinstance(member, ast.ClassDef) else "method"
        yield _Part(kind, _first_line(member), end if member is members[-1] else _last_line(member), member, owner)


def _unit(part: _Part, lines: list[str], done: int, *, take_docstrings: bool) -> CodeUnit:
    node, owner = part.node, part.owner
    name: str | None = None
    decorators: tuple[str, ...] = ()
    docstring: str | None = None
    taken = range(0)
    if isinstance(node, _Named):
        name = node.name
        decorators = tuple(ast.unparse(decorator) for decorator in node.decorator_list)
        if take_docstrings:
            taken = _lines_of_docstring(node, lines)
            docstring = ast.get_docstring(node) if taken else None
    return CodeUnit(
        text="".join(lines[index] for index in range(done, part.end) if index not in taken),
        kind=part.kind,
        start_line=part.start,
        end_line=part.end,
        name=name,
        class_name=owner.name if owner else None,
        class_lines="".join(lines[_first_line(owner) - 1 : _first_line(owner.body[0]) - 1]) if owner else "",
        decorators=decorators,
        docstring=docstring,
    )


def _lines_of_docstring(node: _Named, lines: list[str]) -> range:
    """Return the indexes of the lines that hold the docstring and no other code; none where there is no such docstring."""
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
