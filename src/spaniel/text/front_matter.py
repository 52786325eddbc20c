"""The front matter of a text: YAML between two lines of three hyphens at the top."""

import re
from datetime import date
from typing import NamedTuple

from spaniel.json_types import Json, JsonObject

_BLOCK = re.compile(r"\A---[ \t]*\n(?P<fields>.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_FIELD = re.compile(r"^[\w\"'-][^:\n]*:(?:\s|$)", re.MULTILINE)
_TITLE = re.compile(r"""^title:[ \t]*(?P<quote>["']?)(?P<title>.+?)(?P=quote)[ \t]*$""", re.MULTILINE)
_MAX_CHARACTERS = 65_536
_MAX_DEPTH = 20
# Keys written by converters, ignored in a front matter.
_RESERVED = frozenset(
    {
        "path",
        "headings",
        "heading_slugs",
        "references",
        "code_blocks",
        "source_lines",
        "source_pages",
        "reference_lines",
    }
)


class FrontMatter(NamedTuple):
    """The fields of a front matter as JSON values, its end in the text, and an error, if any."""

    fields: JsonObject
    end: int
    problem: str = ""


def read_front_matter(text: str) -> FrontMatter:
    r"""Return the front matter of a text.

    Dates are formatted in ISO 8601. Keys that begin with ``__``, and those written by converters,
    are left out. Malformed YAML still yields its ``title:`` line. A block without any ``key:
    value`` line is part of the text.

    >>> read_front_matter("---\ntitle: Dogs\ndate: 2024-05-01\n---\nThey bark.\n")
    FrontMatter(fields={'title': 'Dogs', 'date': '2024-05-01'}, end=37, problem='')
    """
    block = _BLOCK.match(text)
    if block is None:
        return FrontMatter({}, 0)
    source = block["fields"]
    try:
        fields = _load(source)
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
    kept = {key: value for key, value in fields.items() if not key.startswith("__") and key not in _RESERVED}
    return FrontMatter(kept, block.end())


def _load(source: str) -> Json:
    """Return the YAML as JSON; ValueError for malformed, deeply nested or aliased values."""
    import yaml

    if len(source) > _MAX_CHARACTERS:
        raise ValueError(f"it has more than {_MAX_CHARACTERS:,} characters")
    try:
        events = list(yaml.parse(source, Loader=yaml.SafeLoader))
        if any(isinstance(event, yaml.AliasEvent) for event in events):  # aliases can expand to gigabytes
            raise ValueError("it has an alias, such as *name")
        return _to_json(yaml.safe_load(source), 0)
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError(" ".join(str(error).split())) from error


def _to_json(value: object, depth: int) -> Json:
    if depth > _MAX_DEPTH:
        raise ValueError(f"it is nested more than {_MAX_DEPTH} levels deep")
    if isinstance(value, dict):
        return {str(_to_json(key, depth + 1)): _to_json(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_to_json(item, depth + 1) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted((_to_json(item, depth + 1) for item in value), key=str)
    if isinstance(value, date):  # or datetime
        return value.isoformat()
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)
