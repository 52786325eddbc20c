"""Sphinx roles: what their text shows, and what they link to."""

import re

_TITLED = re.compile(r"(?P<title>.+?)\s*(?<!\x00)<(?P<target>[^<>]+)>\s*$", re.DOTALL)  # NUL: a backslash before it
_LINKING = {
    "ref": "ref",
    "numref": "ref",
    "any": "ref",
    "doc": "doc",
    "pep": "pep",
    "PEP": "pep",
    "rfc": "rfc",
    "RFC": "rfc",
}
_PREFIXES = {"pep": "PEP ", "rfc": "RFC "}
_PLAIN = frozenset(
    {"code", "literal", "math", "kbd", "samp", "file", "menuselection", "guilabel", "command", "program", "regexp"}
)


def role_text(role: str, content: str) -> tuple[str, str]:
    """Return the shown text of a role, and its target as `Reference` writes it ("" if it is not followed).

    >>> role_text("doc", "the guide <usage/guide>"), role_text("py:class", "~os.PathLike"), role_text("pep", "8")
    (('the guide', ':doc:usage/guide'), ('os.PathLike', ''), ('PEP 8', ':pep:8'))
    """
    if role in _PLAIN:
        return content, ""
    titled = _TITLED.match(content)
    text, target = (titled["title"], titled["target"].strip()) if titled else (content, content.strip())
    if (kind := _LINKING.get(role)) is None:
        return (text if titled else text.removeprefix("~").removeprefix("!")), ""
    if kind in _PREFIXES and not titled:
        text = _PREFIXES[kind] + content.partition("#")[0]
    return text, f":{kind}:{target}"
