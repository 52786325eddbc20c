"""Bytes as text: byte order marks, declared encodings, guesses."""

import codecs
import gzip
import io
import re
import unicodedata

from spaniel.errors import ConversionError
from spaniel.text.declared_encoding import decode_as, find_comment_encoding, find_page_encoding, has_page_suffix

_BOMS = (  # UTF-32 first: its mark begins with UTF-16's
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_WIDE = ("utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be")
_SAMPLE = 65536  # bytes that decide between text and binary, and guess the encoding
_CONTROL = bytes(set(range(32)) - {7, 8, 9, 10, 12, 13, 27})
_MAX_CONTROL = 0.02
_MAX_DAMAGE = 0.05  # share of the characters that are not ASCII
_MIN_COMMON = 0.02  # share of ASCII and punctuation in UTF-16 and UTF-32 without a byte order mark
_COMMON = re.compile("[\\t\\n\\r -~\u3001\u3002\uff0c]")
_UNASSIGNED = frozenset({"Cn", "Co", "Cs"})
_FOREIGN_LINE = re.compile(rb"[^\n]{0,200}[\x80-\xff][^\n]{0,200}")
_MAX_SEARCHED = 10_000_000
_SAMPLE_LINES = 200
_UNLIKELY_IN_CP1252 = re.compile(
    "[A-Za-z][\u00a1-\u00a6\u00a8-\u00ac\u00ae\u00af\u00b1-\u00b6\u00b8-\u00bf][A-Za-z]|[\u0080-\u024f]{4}"
)
_CYRILLIC = ("cp1251", "koi8-u", "cp866", "iso8859-5")
_FREQUENT_IN_CYRILLIC = re.compile("[\u0430\u0432-\u0435\u0438\u043a-\u0443\u0456]")
_MIN_FREQUENT = 0.65  # in Slavic languages it is 0.75
_LINE_END = re.compile("\r\n?")
_SURROGATE = re.compile("[\ud800-\udfff]")


def decode(data: bytes, name: str = "the file", *, is_page: bool | None = None) -> str:
    r"""Return the text of a file, without a byte order mark, with ``\n`` as the line end.

    The order is: byte order mark, UTF-16 or UTF-32 without one, the declaration of an HTML page,
    UTF-8, another declaration, a guess. Damaged characters become U+FFFD.

    :param is_page: the file is HTML, where ``<meta charset>`` is a declaration; None decides by the
        suffix of its name.
    :raises ConversionError: the file is binary.

    >>> decode("\ufeffa\r\nb".encode("utf-16"))
    'a\nb'
    """
    text = _decode(data, name, has_page_suffix(name) if is_page is None else is_page)
    if "\r" in text:
        text = _LINE_END.sub("\n", text)
    return text.removeprefix("\ufeff")


def open_text(data: io.BufferedReader | io.BytesIO | gzip.GzipFile, name: str = "the file") -> io.TextIOWrapper:
    r"""Return a file as text to read line by line, with unchanged line ends.

    Its first bytes decide on the encoding, as in `decode`. Damaged bytes in a UTF-8 text become
    lone surrogates.

    >>> open_text(io.BytesIO(b"one\ntwo")).readline()
    'one\n'
    """
    encoding = detect_encoding(data.read(_SAMPLE), name)
    data.seek(0)
    errors = "surrogateescape" if encoding.startswith("utf-8") else "replace"
    return io.TextIOWrapper(data, encoding, errors, newline="")


def detect_encoding(sample: bytes, name: str = "the file") -> str:
    r"""Return the encoding of a file by its first bytes.

    >>> detect_encoding("Caf\xe9".encode("cp1252"))
    'cp1252'
    """
    if (wide := _detect_wide(sample, name)) is not None:
        return wide
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample, final=len(sample) < _SAMPLE)
    except UnicodeDecodeError:
        if not _is_damaged_utf_8(sample.decode("utf-8", "replace")):
            return _guess_encoding(sample)
    return "utf-8"


def _detect_wide(data: bytes, name: str) -> str | None:
    """Return the encoding of a file with a byte order mark or in UTF-16 or UTF-32, else None."""
    if marked := next((encoding for bom, encoding in _BOMS if data.startswith(bom)), None):
        return marked
    sample = data[:_SAMPLE]
    if b"\0" in sample:
        best = max(_WIDE, key=lambda encoding: _rate_wide(sample, encoding))
        if _rate_wide(sample, best) >= _MIN_COMMON:
            return best
    if b"\0" in data or len(sample) - len(sample.translate(None, _CONTROL)) > _MAX_CONTROL * len(sample):
        raise ConversionError(f"{name} is binary, not text.")
    return None


def _rate_wide(sample: bytes, encoding: str) -> float:
    """Return the share of ASCII and punctuation in a text; 0 if it is not a text."""
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(sample, final=len(sample) < _SAMPLE)
    except UnicodeDecodeError:
        return 0.0
    kinds = {character: unicodedata.category(character) for character in set(text)}
    if any(kind in _UNASSIGNED or (kind == "Cc" and not character.isspace()) for character, kind in kinds.items()):
        return 0.0
    return len(_COMMON.findall(text)) / max(len(text), 1)


def _is_damaged_utf_8(text: str) -> bool:
    foreign = sum(not character.isascii() for character in text)
    return text.count("\ufffd") <= _MAX_DAMAGE * foreign


def _decode(data: bytes, name: str, is_page: bool) -> str:
    if (wide := _detect_wide(data, name)) is not None:
        return data.decode(wide, "replace")
    if is_page and (declared := find_page_encoding(data)) is not None:
        return decode_as(data, declared)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    if (declared := find_comment_encoding(data)) is not None:
        return decode_as(data, declared)
    damaged = data.decode("utf-8", "replace")
    return damaged if _is_damaged_utf_8(damaged) else data.decode(_guess_encoding(data), "replace")


def _guess_encoding(data: bytes) -> str:
    """Return the likeliest encoding. Bytes that fit none are Western European."""
    from charset_normalizer import from_bytes

    sample = b"\n".join(_FOREIGN_LINE.findall(data[:_MAX_SEARCHED])[:_SAMPLE_LINES]) or data[:_SAMPLE]
    # Short Latin texts fit a dozen code pages equally well, so the common code page is tried first:
    # no sign is inside of a word, as Polish or Turkish letters would become, and no word is all
    # accents, as Cyrillic or Chinese would.
    try:
        if _UNLIKELY_IN_CP1252.search(sample.decode("cp1252")) is None:
            return "cp1252"
    except UnicodeDecodeError:
        pass
    best = max(_CYRILLIC, key=lambda encoding: _rate_cyrillic(sample, encoding))
    if _rate_cyrillic(sample, best) >= _MIN_FREQUENT:
        return best
    guess = from_bytes(sample[:_SAMPLE]).best()
    return "cp1252" if guess is None else guess.encoding


def _rate_cyrillic(sample: bytes, encoding: str) -> float:
    """Return the share of frequent Cyrillic letters in the characters that are not ASCII."""
    foreign = [character for character in sample.decode(encoding, "replace") if not character.isascii()]
    return len(_FREQUENT_IN_CYRILLIC.findall("".join(foreign))) / max(len(foreign), 1)


def replace_surrogates(text: str) -> str:
    r"""Return the text with each lone surrogate replaced by U+FFFD, so that it can be encoded.

    >>> replace_surrogates("a\ud800") == "a\ufffd"
    True
    """
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)
