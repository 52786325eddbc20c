"""The texts of a file: docstrings, comments, messages and names, each with its line."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeGuard

Kind = Literal["docstring", "parameter", "comment", "message", "name", "function", "page"]


@dataclass(frozen=True)
class Text:
    """A piece of prose, or a name.

    :param line: counted from 1.
    :param words: the text as written.
    """

    kind: Kind
    line: int
    words: str


_PARAMETER = re.compile(r"^\s*:(?:param|returns?|yields?)\b[^:]*:\s*(.*)")
_RUST_NAME = re.compile(r"\b(?:fn|struct|enum|trait|const|static|mod|type)\s+(\w+)")
_CODE = re.compile(r"``[^`]*``|`[^`]*`")


def texts_of_python(source: str) -> Iterator[Text]:
    """Yield the texts of a Python file."""
    tree = ast.parse(source)
    documentation = set()
    for node in ast.walk(tree):
        yield from _names(node)
        body = getattr(node, "body", None)
        for statement in body if isinstance(body, list) else ():
            if isinstance(statement, ast.Expr) and _is_text(statement.value):
                documentation.add(statement.value)
                yield from _docstring(statement.value)
    for node in ast.walk(tree):
        if _is_text(node) and node not in documentation and " " in str(node.value):
            yield Text("message", node.lineno, str(node.value))
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield Text("comment", token.start[0], token.string.lstrip("#! "))


def _names(node: ast.AST) -> Iterator[Text]:
    match node:
        case ast.ClassDef():
            yield Text("name", node.lineno, node.name)
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            yield Text("name" if _is_noun(node) else "function", node.lineno, node.name)
            for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
                yield Text("name", argument.lineno, argument.arg)
        case ast.Name(ctx=ast.Store()):
            yield Text("name", node.lineno, node.id)


def texts_of_rust(source: str) -> Iterator[Text]:
    """Yield the comments and names of a Rust file; a block of ``///`` lines is a docstring."""
    before = ""
    for number, line in enumerate(source.splitlines(), 1):
        code, mark, comment = line.partition("//")
        if mark and not code.strip():
            opening = comment[:1] in "/!" and comment[:1] != ""
            kind: Kind = "docstring" if opening and before != comment[:1] else "comment"
            before = comment[:1] if opening else ""
            yield Text(kind, number, comment.lstrip("/! "))
            continue
        before = ""
        if mark and not re.search(r'"[^"]*$', code):
            yield Text("comment", number, comment.strip())
        for match in _RUST_NAME.finditer(code):
            yield Text("name", number, match[1])


def texts_of_markdown(source: str) -> Iterator[Text]:
    """Yield the lines of a page that are not code."""
    fenced = False
    for number, line in enumerate(source.splitlines(), 1):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced:
            yield Text("page", number, _CODE.sub("`x`", line))


def _docstring(node: ast.Constant) -> Iterator[Text]:
    kind: Kind = "docstring"
    in_example = False
    for offset, line in enumerate(str(node.value).splitlines()):
        in_example = bool(line.strip()) and (in_example or line.strip().startswith(">>>"))
        if in_example:
            continue
        if found := _PARAMETER.match(line):
            yield Text("parameter", node.lineno + offset, _CODE.sub("`x`", found[1]))
        elif line.strip():
            yield Text(kind, node.lineno + offset, _CODE.sub("`x`", line.strip()))
        kind = "comment"


def _is_noun(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    marks = [ast.unparse(mark) for mark in node.decorator_list]
    return any("property" in mark or "fixture" in mark or mark.endswith(".setter") for mark in marks)


def _is_text(node: ast.AST) -> TypeGuard[ast.Constant]:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
