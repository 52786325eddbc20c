"""Where the labels of a reStructuredText file lead, found without parsing the file."""

import re

from spaniel.text.headings import find_structure
from spaniel.text.link_resolver import normalized_label
from spaniel.text.slugs import docutils_slug, unique_slugs

_LABEL = re.compile(
    r"^\.\. _(?:`(?P<quoted>[^`\n]+)`|(?P<name>(?![_ ])(?:\\:|[^:\n`]|:(?=\S))+)):[ \t]*(?:\n|\Z)(?![ \t]+\S)",
    re.MULTILINE,
)
_EXTERNAL = re.compile(
    r"(?:[ \t]*\n|\.\. _[^\n]*:[ \t]*\n(?![ \t]+\S))*\.\. _[^\n]*:(?:[ \t]+|\n[ \t]+)\S"
)  # it shares that address
# What may stand between a label and its heading: blank lines, labels, comments, directives that show nothing.
_BETWEEN = re.compile(
    r"(?:[ \t]*\n|\.\.[ ]_[^\n]*:[ \t]*(?:\n(?![ \t]+\S)|\Z)"
    r"|\.\.[ ](?!_|\[|\||(?!index|(?:py:)?(?:current)?module|highlight|default-domain)[\w:-]+::)[^\n]*(?:\n|\Z)(?:[ \t]+[^\n]+\n|[ \t]*\n(?=[ \t]))*)*"
)


def rst_labels(text: str, path: str) -> dict[str, str]:
    r"""Return what each label of a file stands for, for `LinkResolver`.

    The addresses have the slugs of `convert_rst`: a label right above a heading names its section, another one stands for the
    section that it is in.

    Keys with a ``#`` are ids of the page that is built from the file, where they differ from its sections' slugs.

    :param text: the source of the file.
    :param path: its path in the folder.

    >>> rst_labels(".. _intro:\n\nWelcome\n=======\n", "start.rst")
    {'intro': 'start.rst#intro', 'start.rst#welcome': 'start.rst#intro'}
    """
    if ".. _" not in text:
        return {}
    headings = find_structure(text, marks=False).headings
    above: list[list[str]] = [[] for _ in headings]  # the labels right above each heading
    inside: list[tuple[str, int]] = []
    starts = {heading.start: at for at, heading in enumerate(headings)}
    at = -1
    for match in _LABEL.finditer(text):
        label = (match["quoted"] or match["name"]).replace("\\", "")
        if _EXTERNAL.match(text, match.end()):
            continue
        between = _BETWEEN.match(text, match.end())
        heading = starts.get(between.end() if between else match.end())
        while at + 1 < len(headings) and headings[at + 1].start <= match.start():
            at += 1
        if heading is None:
            inside.append((label, at))
        else:
            above[heading].append(label)
    slugs = section_slugs([(heading.title, names) for heading, names in zip(headings, above, strict=True)])
    addresses = [f"{path}#{slug}" for slug in slugs]
    named = [(label, addresses[at] if at >= 0 else path) for label, at in inside]
    named += [(label, address) for labels, address in zip(above, addresses, strict=True) for label in labels]
    found = {normalized_label(label): address for label, address in named}
    # Pages built from the file have the ids of titles and labels too, so links to these pages use them.
    ids = [(heading.title, address) for heading, address in zip(headings, addresses, strict=True)] + named
    own = set(addresses)
    for name, address in ids:
        if (built := f"{path}#{docutils_slug(name)}") not in own:
            found.setdefault(built, address)
    return found


def section_slugs(sections: list[tuple[str, list[str]]]) -> list[str]:
    """Return the slugs of sections, each given by its title and the labels right above it: the first label, else the title."""
    return unique_slugs(docutils_slug(names[0] if names else title) for title, names in sections)
