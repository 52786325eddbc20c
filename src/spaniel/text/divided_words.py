"""Words that were divided at the end of a line, joined again."""

import re

# A hyphen at the end of a line, or U+FFFE, which pdfium writes for both.
_DIVIDED = re.compile(r"(?P<left>\w+)(?:[-\u2010\xad][ \t]*\n[ \t]*|\ufffe\n?)(?P<right>\w+)")
_WORD = re.compile(r"\w+(?:[-\u2010]\w+)*")
_LIGATURES = str.maketrans(
    {"\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl", "\ufb05": "st", "\ufb06": "st"}
)


def join_divided_words(text: str) -> str:
    r"""Return a text without ligatures and hyphens that only divide a word at a line's end.

    A hyphen stays before a capital or a digit, behind a single letter, and if the text has the word
    with it, or both halves as words but not the whole.

    >>> join_divided_words("The guide-\nlines of e-\nmail for high-\nlevel use, or a high level.")
    'The guidelines of e-mail for high-level use, or a high level.'
    """
    text = text.translate(_LIGATURES)
    if _DIVIDED.search(text):
        known = {word.lower() for word in _WORD.findall(_DIVIDED.sub(" ", text))}
        for _ in range(2):  # a word over three lines
            text = _DIVIDED.sub(lambda match: _join(match, known), text)
    return text.replace("\xad", "").replace("\ufffe", "-")


def _join(match: re.Match[str], known: set[str]) -> str:
    left, right = match["left"], match["right"]
    if not (left[-1].isalpha() and right[0].islower()):
        return match.group()
    whole, hyphenated = f"{left}{right}", f"{left}-{right}"
    if "\xad" in match.group() or whole.lower() in known:
        return whole
    is_compound = hyphenated.lower() in known or {left.lower(), right.lower()} <= known
    return hyphenated if len(left) == 1 or is_compound else whole
