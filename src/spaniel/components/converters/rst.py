"""reStructuredText files as documents, and their labels."""

import re
from dataclasses import replace

from spaniel.components.converters._file_converter import TextConverter
from spaniel.core.component import component
from spaniel.text.converted_text import ConvertedText
from spaniel.text.headings import find_structure
from spaniel.text.link_resolver import normalize_label
from spaniel.text.plain_text import convert_text
from spaniel.text.slugs import docutils_slug, unique_slugs

__all__ = ["RSTToDocument", "convert_rst", "find_labels"]

_MAX_CHARACTERS = 2_000_000  # a larger file is read as plain text, which needs no tree in memory
_MAX_LINE = 20_000  # docutils' patterns are slow on longer lines
_DOCUTILS_BUGS = (RecursionError, ValueError, AssertionError, AttributeError, IndexError, KeyError, TypeError)
_SEVERE = 4  # docutils lost a part of the file, such as a heading of an unexpected level
_HEADER_TITLE = re.compile(r"\A(?:[\w-]+:.*\n(?:[ \t].*\n)*)*?Title:[ \t]*(?P<title>.+)")  # as in PEPs
_LABEL = re.compile(
    r"^\.\. _(?:`(?P<quoted>[^`\n]+)`|(?P<name>(?![_ ])(?:\\:|[^:\n`]|:(?=\S))+)):[ \t]*(?:\n|\Z)(?![ \t]+\S)",
    re.MULTILINE,
)
_EXTERNAL = re.compile(
    r"(?:[ \t]*\n|\.\. _[^\n]*:[ \t]*\n(?![ \t]+\S))*\.\. _[^\n]*:(?:[ \t]+|\n[ \t]+)\S"
)  # the label is an alias of that address
# Allowed between a label and its heading: blank lines, labels, comments, directives without output.
_BETWEEN = re.compile(
    r"(?:[ \t]*\n|\.\.[ ]_[^\n]*:[ \t]*(?:\n(?![ \t]+\S)|\Z)"
    r"|\.\.[ ](?!_|\[|\||(?!index|(?:py:)?(?:current)?module|highlight|default-domain)[\w:-]+::)[^\n]*(?:\n|\Z)(?:[ \t]+[^\n]+\n|[ \t]*\n(?=[ \t]))*)*"
)


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
    if len(text) > _MAX_CHARACTERS or max(map(len, text.splitlines()), default=0) > _MAX_LINE:
        return convert_text(text)
    from docutils import nodes

    from spaniel.components.converters._rst_parser import parse
    from spaniel.components.converters._rst_writer import RSTWriter

    try:
        document = parse(text)
        if any(message["level"] >= _SEVERE for message in document.findall(nodes.system_message)):
            return convert_text(text)
        writer = RSTWriter(document)
        writer.write_children(document)
    except _DOCUTILS_BUGS:
        return convert_text(text)
    converted = writer.builder.build()
    header = _HEADER_TITLE.match(text)
    return replace(
        converted,
        title=header["title"].strip() if header else None,
        references=[writer.resolve(reference, converted) for reference in converted.references],
    )


def find_labels(text: str, path: str) -> dict[str, str]:
    r"""Return the address of each label of a file, for `LinkResolver`, without parsing the file.

    The addresses have the slugs of `convert_rst`: a label above a heading names its section, any
    other label the section around it. Keys with a ``#`` are the ids on the page built from the
    file, if they differ from its slugs.

    >>> find_labels(".. _intro:\n\nWelcome\n=======\n", "start.rst")
    {'intro': 'start.rst#intro', 'start.rst#welcome': 'start.rst#intro'}
    """
    if ".. _" not in text:
        return {}
    headings = find_structure(text, marks=False).headings
    above: list[list[str]] = [[] for _ in headings]  # the labels above each heading
    inside: list[tuple[str, int]] = []
    starts = {heading.start: index for index, heading in enumerate(headings)}
    current = -1
    for match in _LABEL.finditer(text):
        label = (match["quoted"] or match["name"]).replace("\\", "")
        if _EXTERNAL.match(text, match.end()):
            continue
        between = _BETWEEN.match(text, match.end())
        heading = starts.get(between.end() if between else match.end())
        while current + 1 < len(headings) and headings[current + 1].start <= match.start():
            current += 1
        if heading is None:
            inside.append((label, current))
        else:
            above[heading].append(label)
    titles = [heading.title for heading in headings]
    slugs = unique_slugs(docutils_slug(own[0] if own else title) for title, own in zip(titles, above, strict=True))
    addresses = [f"{path}#{slug}" for slug in slugs]
    named = [(label, addresses[index] if index >= 0 else path) for label, index in inside]
    named += [(label, address) for labels, address in zip(above, addresses, strict=True) for label in labels]
    found = {normalize_label(label): address for label, address in named}
    # A page built from the file has the ids of its titles and labels, used by links to the page.
    own = set(addresses)
    for name, address in [*zip(titles, addresses, strict=True), *named]:
        if (built := f"{path}#{docutils_slug(name)}") not in own:
            found.setdefault(built, address)
    return found
