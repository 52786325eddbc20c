"""Patterns of paths, as in ``.gitignore``, and the filters that they stand for."""

import re
from collections.abc import Collection, Iterable

from spaniel.json_types import Filters

_TOKEN = re.compile(r"/\*\*/|\*\*/|/\*\*|\*\*|\*|\?|\[!?\]?[^\]]*\]|.", re.DOTALL)
_WILDCARD = re.compile(r"[*?\[]")
_TRANSLATIONS = {"/**/": "/(?:.*/)?", "**/": "(?:.*/)?", "/**": "/.*", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def compile_pattern(pattern: str) -> re.Pattern[str]:
    """Return the regular expression of a pattern, for `re.Pattern.fullmatch` on a whole path.

    ``*``, ``?`` and ``[abc]`` match within a name, ``**`` across folders. A pattern without a slash
    matches at any depth, another one from the first folder on. A pattern that names a folder, so
    one without wildcards in its last name or with a slash at its end, matches all files below.

    :raises ValueError: the pattern is empty, or has a malformed range.

    >>> [path for path in ("a.md", "docs/a.md", "docs/old/a.md") if compile_pattern("docs/*.md").fullmatch(path)]
    ['docs/a.md']
    >>> [path for path in ("a.md", "docs/a.md", "docs/old/a.md") if compile_pattern("old").fullmatch(path)]
    ['docs/old/a.md']
    """
    names = pattern.removeprefix("./").strip("/")
    is_anchored = "/" in pattern.removeprefix("./").rstrip("/")
    is_folder = pattern.endswith("/")
    below = "/.+" if is_folder else "" if _WILDCARD.search(names.rpartition("/")[2]) else "(?:/.+)?"
    body = "".join(map(_translate, _TOKEN.findall(names)))
    if not names:
        raise ValueError(f"A path pattern must name files or folders, got {pattern!r}. Pass one such as 'docs/*.md'.")
    try:
        return re.compile(f"{'' if is_anchored else '(?:.*/)?'}{body}{below}", re.DOTALL)
    except re.error as error:
        raise ValueError(f"The path pattern '{pattern}' is malformed: {error}. Pass one such as '[a-z]*.md'.") from None


def _translate(token: str) -> str:
    if token in _TRANSLATIONS:
        return _TRANSLATIONS[token]
    if token.startswith("[") and token.endswith("]") and len(token) > 2:
        inner = token[1:-1].replace("\\", "\\\\").replace("[", "\\[")
        return f"(?!/)[{'^' + inner[1:] if inner.startswith('!') else inner}]"
    return re.escape(token)


def make_path_filter(path: Iterable[str], not_path: Iterable[str], known: Collection[str]) -> Filters | None:
    """Return the filter for the files that match any of `path`, if given, and none of `not_path`.

    :param known: the paths of all files.

    >>> make_path_filter(["*.md"], ["b*"], ["a.md", "b.md", "c.txt"])
    {'field': 'meta.path', 'operator': 'in', 'value': ['a.md']}
    """
    wanted, unwanted = list(map(compile_pattern, path)), list(map(compile_pattern, not_path))
    if not wanted and not unwanted:
        return None
    excluded = [name for name in known if any(pattern.fullmatch(name) for pattern in unwanted)]
    if not wanted:
        return {"field": "meta.path", "operator": "not in", "value": excluded} if excluded else None
    left = set(known) - set(excluded)
    found = [name for name in known if name in left and any(pattern.fullmatch(name) for pattern in wanted)]
    return {"field": "meta.path", "operator": "in", "value": found}
