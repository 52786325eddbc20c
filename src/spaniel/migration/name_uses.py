"""Uses of an imported name in a program; a variable may have the same name in another scope."""

import ast
from collections.abc import Iterator

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_SCOPES = (*_FUNCTIONS, *_COMPREHENSIONS, ast.ClassDef)
_IMPORTED, _OTHER = "imported", "other"


class Uses:
    """The uses of a name in a program: those that refer to an import, and those that may."""

    def __init__(self, tree: ast.Module, name: str) -> None:
        self.name = name
        self.of_import: list[ast.Name] = []
        self.unclear: list[ast.Name] = []
        self._visit(tree, [])

    def _visit(self, scope: ast.AST, around: list[tuple[ast.AST, set[str]]]) -> None:
        scopes = [*around, (scope, set(self._bindings(scope)))]
        for node in _nodes_of(scope):
            if isinstance(node, ast.Name) and node.id == self.name and isinstance(node.ctx, ast.Load):
                self._classify(node, scopes)
            if isinstance(node, _SCOPES):
                self._visit(node, scopes)

    def _classify(self, node: ast.Name, scopes: list[tuple[ast.AST, set[str]]]) -> None:
        for number, (scope, bindings) in enumerate(reversed(scopes)):
            if not bindings or (number and isinstance(scope, ast.ClassDef)):  # a method does not see names of its class
                continue
            if bindings == {_IMPORTED}:
                self.of_import.append(node)
            elif _IMPORTED in bindings:
                self.unclear.append(node)
            return

    def _bindings(self, scope: ast.AST) -> Iterator[str]:
        if isinstance(scope, _FUNCTIONS):
            arguments = scope.args
            every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
            if any(argument is not None and argument.arg == self.name for argument in every):
                yield _OTHER
        for node in _nodes_of(scope):
            if isinstance(node, ast.Import):
                yield from (_IMPORTED for alias in node.names if _local_name(alias) == self.name)
            elif isinstance(node, (ast.Global, ast.Nonlocal)) and self.name in node.names:
                yield from (_IMPORTED, _OTHER)  # bound in another scope
            elif self.name in _other_bindings(node):
                yield _OTHER


def _local_name(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def _other_bindings(node: ast.AST) -> tuple[str | None, ...]:
    if isinstance(node, ast.ImportFrom):
        return tuple(map(_local_name, node.names))
    if isinstance(node, ast.Name):
        return () if isinstance(node.ctx, ast.Load) else (node.id,)
    if isinstance(node, ast.alias):
        return ()
    return getattr(node, "name", None), getattr(node, "rest", None)  # def, class, except, match


def _nodes_of(scope: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a scope without nested scopes, but with their heads."""
    waiting = list(_body(scope))
    while waiting:
        node = waiting.pop()
        yield node
        waiting += _head(node) if isinstance(node, _SCOPES) else ast.iter_child_nodes(node)


def _body(scope: ast.AST) -> Iterator[ast.AST]:
    if isinstance(scope, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
        yield from scope.body
    elif isinstance(scope, ast.Lambda):
        yield scope.body
    elif isinstance(scope, _COMPREHENSIONS):
        for number, generator in enumerate(scope.generators):
            yield from (generator.target, *generator.ifs, *([generator.iter] if number else ()))
        yield from (scope.key, scope.value) if isinstance(scope, ast.DictComp) else (scope.elt,)
    else:
        yield from ast.iter_child_nodes(scope)


def _head(scope: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts evaluated in the outer scope, such as decorators, bases and defaults."""
    if isinstance(scope, _COMPREHENSIONS):
        yield scope.generators[0].iter
        return
    inside = {id(node) for node in _body(scope)}
    yield from (node for node in ast.iter_child_nodes(scope) if id(node) not in inside)
