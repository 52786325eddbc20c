"""The front matter of a text: YAML between two lines of three hyphens at its very top."""

import re
from datetime import date
from typing import Any, NamedTuple

_BLOCK = re.compile(r"\A---[ \t]*\n(?P<fields>.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_FIELD = re.compile(r"^[\w\"'-][^:\n]*:(?:\s|$)", re.MULTILINE)
_TITLE = re.compile(r"""^title:[ \t]*(?P<quote>["']?)(?P<title>.+?)(?P=quote)[ \t]*$""", re.MULTILINE)
_LONGEST = 65_536  # characters
_DEEPEST = 20
# What converters write; a file does not say these about itself.
_RESERVED = frozenset({"path", "headings", "heading_slugs", "references", "code_blocks"})


class FrontMatter(NamedTuple):
    """The fields of a front matter, as data that JSON can hold; where the text after it begins; what is wrong with it."""

    fields: dict[str, Any]
    end: int
    problem: str = ""


def read_front_matter(text: str) -> FrontMatter:
    r"""Return what stands in the front matter of a text.

    Dates are written as in ISO 8601. Keys that begin with ``__``, and those that converters write, are left out. What is
    no YAML still gives its ``title:`` line. A block without any ``key: value`` line is no front matter but text.

    :param text: line ends are ``\n``.

    >>> read_front_matter("---\ntitle: Dogs\ndate: 2024-05-01\n---\nThey bark.\n")
    FrontMatter(fields={'title': 'Dogs', 'date': '2024-05-01'}, end=37, problem='')
    """
    block = _BLOCK.match(text)
    if block is None:
        return FrontMatter({}, 0)
    source = block["fields"]
    try:
        fields = _loaded(source)
    except ValueError as error:
        if not _FIELD.search(source):
            return FrontMatter({}, 0)
        title = _TITLE.search(source)
        kept = {"title": title["title"].strip()} if title else {}
        return FrontMatter(kept, block.end(), f"the front matter is left out: {error}")
    if fields is None:
        return FrontMatter({}, block.end())
    if not isinstance(fields, dict):
        return FrontMatter({}, 0)
    return FrontMatter({key: value for key, value in fields.items() if _is_free(key)}, block.end())


def _is_free(key: str) -> bool:
    return not key.startswith("__") and key not in _RESERVED


def _loaded(source: str) -> Any:
    """Return the YAML as data that JSON can hold.

    :raises ValueError: it is malformed, too long or too deep, or repeats a part of itself by an alias.
    """
    import yaml

    if len(source) > _LONGEST:
        raise ValueError(f"it has more than {_LONGEST:,} characters")
    try:
        events = list(yaml.parse(source, Loader=yaml.SafeLoader))
        if any(isinstance(event, yaml.AliasEvent) for event in events):  # they can stand for gigabytes
            raise ValueError("it has an alias, such as *name")
        return _plain(yaml.safe_load(source), 0)
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError(" ".join(str(error).split())) from error


def _plain(value: Any, depth: int) -> Any:
    if depth > _DEEPEST:
        raise ValueError(f"it is nested more than {_DEEPEST} levels deep")
    if isinstance(value, dict):
        return {str(_plain(key, depth + 1)): _plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item, depth + 1) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted((_plain(item, depth + 1) for item in value), key=str)
    if isinstance(value, date):  # datetime is one
        return value.isoformat()
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)
