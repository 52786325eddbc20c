"""Migration of Python programs from Haystack to Spaniel."""

import ast
import difflib
from typing import NamedTuple

from spaniel.core.haystack_names import PACKAGES, is_haystack_name
from spaniel.errors import MigrationError
from spaniel.migration.changes import Edit, Note, apply_edits
from spaniel.migration.imports import migrate_from_import, migrate_module_imports
from spaniel.migration.source import Source, parse
from spaniel.migration.string_literals import migrate_string_literals


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
    found: list[Edit | Note] = [*migrate_module_imports(source), *migrate_string_literals(source)]
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
