"""reStructuredText files as documents, and their labels."""

import re
from dataclasses import replace

from spaniel.components.converters._file_converter import TextConverter
from spaniel.core.component import component
from spaniel.text.converted_text import ConvertedText
from spaniel.text.plain_text import convert_text

__all__ = ["RSTToDocument", "convert_rst", "find_labels", "list_labels"]

_MAX_CHARACTERS = 2_000_000  # a larger file is read as plain text, which needs no tree in memory
_MAX_LINE = 20_000  # docutils' patterns are slow on longer lines
_DOCUTILS_BUGS = (RecursionError, ValueError, AssertionError, AttributeError, IndexError, KeyError, TypeError)
_HEADER_TITLE = re.compile(r"\A(?:[\w-]+:.*\n(?:[ \t].*\n)*)*?Title:[ \t]*(?P<title>.+)")  # as in PEPs


@component
class RSTToDocument(TextConverter):
    r"""Converts reStructuredText files to plain text, with headings and links in the metadata.

    :param encoding: encoding of the files; the default detects it. ``meta["encoding"]`` of a source
        takes precedence.
    :param store_full_path: keep the whole path in ``meta["file_path"]`` instead of the file's name.

    >>> from spaniel.dataclasses import ByteStream
    >>> document = RSTToDocument().run([ByteStream.from_string("Guide\n=====\n\nSee ``this``.")])["documents"][0]
    >>> document.content, document.meta["headings"]
    ('Guide\n\nSee this.', [[1, 'Guide', 0]])
    """

    def _convert_text(self, text: str) -> ConvertedText:
        return convert_rst(text)


def convert_rst(text: str) -> ConvertedText:
    r"""Return the plain text of a reStructuredText file with its headings and links.

    Sphinx sources are read without Sphinx: the text of every role stays, ``:ref:``, ``:doc:``,
    ``:pep:`` and ``:rfc:`` are links; the body of a directive stays, a ``toctree`` links its files.
    Other files are never included, raw output is dropped. A file that docutils cannot read as a
    whole is kept as plain text.

    >>> converted = convert_rst("Guide\n=====\n\nSee :doc:`the manual </api>` and ``run()``.")
    >>> converted.text
    'Guide\n\nSee the manual and run().'
    >>> converted.references
    [Reference(start=11, end=21, target=':doc:/api')]
    """
    text = text.replace("\0", "\ufffd")
    if len(text) > _MAX_CHARACTERS or max(map(len, text.splitlines()), default=0) > _MAX_LINE:
        return convert_text(text)
    from spaniel.components.converters._rst_lines import find_lines
    from spaniel.components.converters._rst_parser import parse
    from spaniel.components.converters._rst_writer import RSTWriter

    try:
        document = parse(text)
        writer = RSTWriter(document, find_lines(document, text))
        writer.write_children(document)
        converted = writer.build()
    except _DOCUTILS_BUGS:
        return convert_text(text)
    header = _HEADER_TITLE.match(text)
    return replace(converted, title=header["title"].strip() if header else None)


def find_labels(text: str, path: str) -> dict[str, str]:
    r"""Return the address of each label and object of a file, for `LinkResolver`.

    A label above a heading names its section, any other label the section around it. Keys with a
    ``#`` are the ids on the page built from the file, if they differ from its slugs.

    >>> find_labels(".. _intro:\n\nWelcome\n=======\n", "start.rst")
    {'intro': 'start.rst#intro', 'start.rst#welcome': 'start.rst#intro'}
    """
    return list_labels(convert_rst(text), path)


def list_labels(converted: ConvertedText, path: str) -> dict[str, str]:
    """Return the addresses of a file's labels, and of the anchors beside its slugs."""
    own = set(converted.slugs)
    names = {
        **converted.labels,
        **{f"{path}#{name}": slug for name, slug in converted.aliases.items() if name not in own},
    }
    return {name: f"{path}#{slug}" if slug else path for name, slug in names.items()}
