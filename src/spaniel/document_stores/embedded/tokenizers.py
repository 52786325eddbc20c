"""Tokenizers of the keyword index by regular expression."""

import re
import unicodedata
from collections.abc import Callable

Tokenizer = Callable[[str], list[str]]

_KANA_AND_HANGUL = (
    ("\u1100", "\u11ff"),  # Hangul Jamo
    ("\ua960", "\ua97f"),  # Hangul Jamo Extended-A
    ("\ud7b0", "\ud7ff"),  # Hangul Jamo Extended-B
    ("\u3130", "\u318f"),  # Hangul Compatibility Jamo
    ("\uac00", "\ud7af"),  # Hangul Syllables
    ("\u3041", "\u3096"),  # Hiragana
    ("\u30a1", "\u30fa"),  # Katakana
    ("\u30fc", ""),  # the prolonged sound mark
    ("\u31f0", "\u31ff"),  # Katakana Phonetic Extensions
)
_IDEOGRAPHS = (("\u3400", "\u4dbf"), ("\u4e00", "\u9fff"), ("\uf900", "\ufaff"))
_HALF_WIDTH = (("\uff66", "\uff9f"), ("\uffa0", "\uffdc"))


def _character_class() -> str:
    def escape(character: str) -> str:
        return f"\\u{ord(character):04x}"

    ranges = (*_KANA_AND_HANGUL, *_IDEOGRAPHS, *_HALF_WIDTH)
    return "".join(f"{escape(first)}-{escape(last)}" if last else escape(first) for first, last in ranges)


DEFAULT_REGEX = rf"[^\W{_character_class()}]+|[{_character_class()}]"
"""Haystack's pattern: words, and single Chinese, Japanese and Korean characters."""

_GROUP_SEPARATOR = "\0"


def regex_tokenizer(pattern: str) -> Tokenizer | None:
    """Return the tokenizer of a regular expression, or None if it equals the engine's own.

    The expression is applied to the text in lower case and NFC, as in Haystack. Tokens are then
    casefolded, so that ``Straße`` matches ``STRASSE``.

    >>> regex_tokenizer("[a-z]+")("Two Words")
    ['two', 'words']
    """
    if pattern == DEFAULT_REGEX:
        return None
    try:
        return pattern_tokenizer(re.compile(pattern))
    except re.error as error:
        raise ValueError(f"bm25_tokenization_regex {pattern!r} is not a regular expression: {error}.") from error


def pattern_tokenizer(pattern: re.Pattern[str]) -> Tokenizer:
    """Return the tokenizer of a compiled regular expression, which is applied as in Haystack."""
    findall = pattern.findall

    def tokenize(text: str) -> list[str]:
        found = findall(unicodedata.normalize("NFC", text.lower()))
        tokens = (token if isinstance(token, str) else _GROUP_SEPARATOR.join(token) for token in found)
        return [unicodedata.normalize("NFC", token.casefold()) for token in tokens]

    return tokenize


def make_tokenizer(analyzer: re.Pattern[str] | Tokenizer | None, regex: str) -> Tokenizer | None:
    """Return the tokenizer of an analyzer, or else of `regex`; None if it is the engine's own."""
    if analyzer is None:
        return regex_tokenizer(regex)
    return pattern_tokenizer(analyzer) if isinstance(analyzer, re.Pattern) else analyzer
