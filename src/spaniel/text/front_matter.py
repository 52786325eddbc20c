"""The front matter of a text: YAML between lines of ``---``, or TOML between lines of ``+++``."""

import re
import tomllib
from collections.abc import Callable
from datetime import date, time
from typing import NamedTuple

from spaniel.json_types import Json, JsonObject

_BLOCK = re.compile(
    r"\A(?:---[ \t]*\n(?P<yaml>.*?)^(?:---|\.\.\.)|\+\+\+[ \t]*\n(?P<toml>.*?)^\+\+\+)[ \t]*(?:\n|\Z)",
    re.DOTALL | re.MULTILINE,
)
_FIELD = re.compile(r"^[\w\"'-][^:=\n]*(?::(?:\s|$)|=)", re.MULTILINE)
_TITLE = re.compile(r"^title[ \t]*[:=][ \t]*(?P<title>\S.*)$", re.MULTILINE)
_MAX_CHARACTERS = 65_536
_MAX_DEPTH = 20
_TOO_DEEP = f"it is nested more than {_MAX_DEPTH} levels deep"
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
    are left out. Malformed YAML or TOML still yields its title. A block without any field is part
    of the text.

    >>> read_front_matter("---\ntitle: Dogs\ndate: 2024-05-01\n---\nThey bark.\n")
    FrontMatter(fields={'title': 'Dogs', 'date': '2024-05-01'}, end=37, problem='')
    >>> read_front_matter('+++\ntitle = "Dogs"\n+++\nThey bark.\n').fields
    {'title': 'Dogs'}
    """
    block = _BLOCK.match(text)
    if block is None:
        return FrontMatter({}, 0)
    source = block["toml"] if block["yaml"] is None else block["yaml"]
    try:
        fields = _load(source, _load_toml if block["yaml"] is None else _load_yaml)
    except ValueError as error:
        if not _FIELD.search(source):
            return FrontMatter({}, 0)
        title = _TITLE.search(source)
        kept = {"title": _unquote(title["title"].strip())} if title else {}
        return FrontMatter(kept, block.end(), f"the front matter is left out: {error}")
    if fields is None:
        return FrontMatter({}, block.end())
    if not isinstance(fields, dict):
        return FrontMatter({}, 0)
    kept = {key: value for key, value in fields.items() if not key.startswith("__") and key not in _RESERVED}
    return FrontMatter(kept, block.end())


def _unquote(title: str) -> str:
    return title[1:-1] if len(title) > 1 and title[0] == title[-1] and title[0] in "\"'" else title


def _load(source: str, load: Callable[[str], object]) -> Json:
    """Return the fields as JSON; ValueError for malformed, deeply nested or aliased values."""
    if len(source) > _MAX_CHARACTERS:
        raise ValueError(f"it has more than {_MAX_CHARACTERS:,} characters")
    try:
        return _to_json(load(source), 0)
    except RecursionError as error:
        raise ValueError(_TOO_DEEP) from error


def _load_toml(source: str) -> object:
    return tomllib.loads(source)


def _load_yaml(source: str) -> object:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # written in C where PyYAML was built with libyaml
    try:
        depth = 0
        for event in yaml.parse(source, Loader=loader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > _MAX_DEPTH:  # each level costs the parser a pass over the ones above
                raise ValueError(_TOO_DEEP)
            if isinstance(event, yaml.AliasEvent):  # aliases can expand to gigabytes
                raise ValueError("it has an alias, such as *name")
        return yaml.load(source, Loader=loader)  # noqa: S506 (a safe loader)
    except yaml.YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from error


def _to_json(value: object, depth: int) -> Json:
    if depth > _MAX_DEPTH:
        raise ValueError(_TOO_DEEP)
    if isinstance(value, dict):
        return {str(_to_json(key, depth + 1)): _to_json(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_to_json(item, depth + 1) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted((_to_json(item, depth + 1) for item in value), key=str)
    if isinstance(value, (date, time)):  # or datetime
        return value.isoformat()
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)
