"""Text that is safe to print: what files hold must not steer the terminal, or look like what Spaniel says."""

import re

# Tab and line feed may stay. What turns the direction of writing, or ends a line in some terminals, may not.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_BREAK = re.compile(r"[\t\n]")


def plain(text: str) -> str:
    r"""Return a text that can be printed: control characters, and bytes that are no characters, become question marks.

    >>> plain("a\x1b[31mb")
    'a?[31mb'
    """
    return _CONTROL.sub("?", text).encode("utf-8", "replace").decode("utf-8")


def plain_line(text: str) -> str:
    r"""Return a name or heading that can be printed: as `plain` does, and line feeds and tabs become question marks too.

    >>> plain_line("a.md\n2. b.md")
    'a.md?2. b.md'
    """
    return _BREAK.sub("?", plain(text))


def plain_json(text: str) -> str:
    r"""Return JSON that can be printed: control characters become escapes, so it means the same.

    >>> plain_json('"a\u202eb"')
    '"a\\u202eb"'
    """
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
