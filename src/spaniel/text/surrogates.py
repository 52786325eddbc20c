"""Lone surrogates: code points that a Python string may hold, and Unicode text may not."""

import re

_SURROGATE = re.compile("[\ud800-\udfff]")


def replace_surrogates(text: str) -> str:
    r"""Return the text with U+FFFD in the place of each lone surrogate, so that it can be encoded; its length stays.

    >>> replace_surrogates("a\ud800") == "a\ufffd"
    True
    """
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)
