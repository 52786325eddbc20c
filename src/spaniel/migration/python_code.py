"""A program that was written for Haystack, with Spaniel's names."""

import ast
import difflib
from typing import NamedTuple

from spaniel.core.haystack_names import PACKAGES, is_haystack_name
from spaniel.errors import MigrationError
from spaniel.migration.edits import Edit, edited
from spaniel.migration.imports import moved_from_import
from spaniel.migration.modules import moved_modules
from spaniel.migration.notes import Note
from spaniel.migration.source import Source, parsed
from spaniel.migration.texts import moved_texts


class MigratedCode(NamedTuple):
    """What became of a program.

    :param before: its text.
    :param after: its text with our names; the same where there is nothing to change.
    :param encoding: of its file.
    :param notes: what stays Haystack's, by line.
    """

    before: str
    after: str
    encoding: str
    notes: tuple[Note, ...]

    def diff(self, name: str) -> str:
        """Return the change as a unified diff.

        :param name: what the file is called in it.
        """
        lines = difflib.unified_diff(
            self.before.splitlines(), self.after.splitlines(), f"a/{name}", f"b/{name}", lineterm=""
        )
        return "\n".join(lines)


def migrate_code(data: bytes) -> MigratedCode:
    """Return a program with Spaniel's names in the place of Haystack's, where Spaniel has what they name.

    Imports are changed, what is reached through them, and texts that are a dotted name (as for ``patch``) or hold the types of
    saved pipelines. All else stays as it is, to the last space. The program is not run.

    :param data: the bytes of its file.
    :raises MigrationError: it is no Python.

    >>> migrate_code(b"from haystack import Document  # one passage").after
    'from spaniel import Document  # one passage'
    """
    source = Source(data)
    if not any(package in source.text for package in PACKAGES):
        return MigratedCode(source.text, source.text, source.encoding, ())
    found: list[Edit | Note] = [*moved_modules(source), *moved_texts(source)]
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ImportFrom) and not node.level and is_haystack_name(node.module or ""):
            found += moved_from_import(source, node)
    after = edited(source.text, (each for each in found if isinstance(each, Edit)))
    try:
        parsed(after)
    except SyntaxError as error:
        raise MigrationError(
            f"line {error.lineno}: the program would not be Python any more; change it by hand."
        ) from error
    notes = sorted({each for each in found if isinstance(each, Note)})
    return MigratedCode(source.text, after, source.encoding, tuple(notes))
