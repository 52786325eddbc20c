"""Tags of the template languages in Markdown files: Liquid, Jinja, Hugo's shortcodes."""

import re

_TAGS = (
    *("assign", "autoescape", "block", "break", "call", "capture", "case", "comment", "continue", "cycle", "decrement"),
    *(
        "do",
        "echo",
        "elif",
        "else",
        "elsif",
        "extends",
        "filter",
        "for",
        "from",
        "gist",
        "highlight",
        "if",
        "ifchanged",
    ),
    *(
        "import",
        "include",
        "include_relative",
        "includeblock",
        "increment",
        "layout",
        "link",
        "liquid",
        "load",
        "macro",
    ),
    *(
        "now",
        "paginate",
        "post_url",
        "raw",
        "render",
        "set",
        "tablerow",
        "tab",
        "tabs",
        "trans",
        "unless",
        "url",
        "verbatim",
    ),
    *("when", "with", "content-ref", "hint", "embed", "code", "stepper", "step", "swagger", "file", "youtube", "note"),
)
_NAME = rf"(?:end)?(?:{'|'.join(_TAGS)})(?![\w-])"
_LIQUID = rf"\{{%-?\s*+{_NAME}[^%{{}}]*+(?:\{{\{{[^{{}}]*+\}}\}}[^%{{}}]*+)*+-?%\}}"
_SHORTCODE = r"\{\{(?:<[^<>{}]*+>|%[^%{}]*+%)\}\}"
_TAG = re.compile(rf"{_LIQUID}|{_SHORTCODE}")
_LINE = re.compile(rf"(?:(?:{_LIQUID}|{_SHORTCODE})[ \t]*+)+$")
_PLACEHOLDER = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
_WINDOW = 2_000  # characters of a tag

# Addresses that a template writes, and the target they stand for.
_TARGETS = (
    (re.compile(r"\{%-?\s*link\s+([^\s%]+)\s*-?%\}"), r"/\1"),
    (re.compile(r"\{\{[<%]\s*(?:rel)?ref\s+[\"']?([^\"'\s<>%]+)[\"']?[^<>{}]*[>%]\}\}"), r"\1"),
    (
        re.compile(r"\{\{-?\s*[\"']([^\"']*)[\"']\s*\|\s*(?:relative_url|absolute_url|url|relURL|absURL)\s*-?\}\}"),
        r"\1",
    ),
    (re.compile(r"\{\{-?\s*(?:site|page|config)\.(?:base_?url|url|site_url)\s*-?\}\}"), ""),
)


def match_tag(text: str, start: int) -> int:
    """Return the end of the template tag at an offset, or 0.

    >>> match_tag("{% raw %}x", 0), match_tag("{% of all %}", 0), match_tag("{{< note >}}", 0)
    (9, 0, 12)
    """
    found = _TAG.match(text, start, start + _WINDOW)
    return found.end() if found else 0


def match_output(text: str, start: int) -> int:
    """Return the end of ``{{ output }}`` at an offset, or 0."""
    end = text.find("}}", start, start + _WINDOW)
    return end + 2 if end >= 0 else 0


def is_template_line(text: str) -> bool:
    """Return if a line has template tags only.

    >>> is_template_line("{% if a %}{% include b.html %}"), is_template_line("{% if a %} b")
    (True, False)
    """
    return _LINE.match(text[:_WINDOW]) is not None


def match_placeholder(text: str, start: int, end: int) -> int:
    """Return the end of a template's expression or tag at an offset of a link's destination, or 0."""
    found = _PLACEHOLDER.match(text, start, min(end, start + _WINDOW))
    return found.end() if found else 0


def expand_target(target: str) -> str:
    """Return the target of a link with the parts that a template writes; "" if that can't be known.

    >>> expand_target("{{ site.baseurl }}{% link _docs/a.md %}"), expand_target('{{< ref "a.md#b" >}}')
    ('/_docs/a.md', 'a.md#b')
    >>> expand_target("{{ page.next }}")
    ''
    """
    if "{{" not in target and "{%" not in target:
        return target
    for pattern, replacement in _TARGETS:
        target = pattern.sub(replacement, target)
    return "" if "{{" in target or "{%" in target else target.replace("//", "/") if "://" not in target else target
