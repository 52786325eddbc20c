"""Bytes as text: byte order marks, declared encodings, guesses."""

import codecs
import gzip
import io
import re

from spaniel.errors import ConversionError

_BOMS = (  # UTF-32 first: its mark begins with UTF-16's
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARED = re.compile(rb"(?:charset\s*=\s*[\"']?|encoding\s*=\s*[\"']|coding[:=]\s*)([A-Za-z0-9_.:-]+)")
_HEAD = 2048  # bytes that may contain a declaration
_SAMPLE = 65536  # bytes that decide between text and binary, and guess the encoding
_CONTROL = bytes(set(range(32)) - {7, 8, 9, 10, 12, 13, 27})
_MAX_CONTROL = 0.02
_MAX_DAMAGE = 0.05  # share of the characters that are not ASCII
_FOREIGN_LINE = re.compile(rb"[^\n]{0,200}[\x80-\xff][^\n]{0,200}")
_MAX_SEARCHED = 10_000_000
_SAMPLE_LINES = 200
_UNLIKELY_IN_CP1252 = re.compile(
    "[A-Za-z][\u00a1-\u00a6\u00a8-\u00ac\u00ae\u00af\u00b1-\u00b6\u00b8-\u00bf][A-Za-z]|[\u0080-\u024f]{4}"
)
_LINE_END = re.compile("\r\n?")
_SURROGATE = re.compile("[\ud800-\udfff]")


def decode(data: bytes, name: str = "the file") -> str:
    r"""Return the text of a file, without a byte order mark, with ``\n`` as the line end.

    The order is: byte order mark, UTF-8, a declaration in the first lines (``charset=``,
    ``coding:``), a guess. A few damaged characters in a UTF-8 text become U+FFFD.

    >>> decode("\ufeffa\r\nb".encode("utf-16"))
    'a\nb'
    """
    text = _decode(data, name)
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
    if (marked := _detect_bom(sample)) is not None:
        return marked
    _reject_binary(sample, name)
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample, final=len(sample) < _SAMPLE)
    except UnicodeDecodeError:
        if not _is_damaged_utf_8(sample.decode("utf-8", "replace")):
            return _guess_encoding(sample, name)
    return "utf-8"


def _detect_bom(data: bytes) -> str | None:
    return next((encoding for bom, encoding in _BOMS if data.startswith(bom)), None)


def _reject_binary(data: bytes, name: str) -> None:
    sample = data[:_SAMPLE]
    if b"\0" in data or len(sample) - len(sample.translate(None, _CONTROL)) > _MAX_CONTROL * len(sample):
        raise ConversionError(f"{name} is binary, not text.")


def _is_damaged_utf_8(text: str) -> bool:
    foreign = sum(not character.isascii() for character in text)
    return text.count("\ufffd") <= _MAX_DAMAGE * foreign


def _decode(data: bytes, name: str) -> str:
    if (marked := _detect_bom(data)) is not None:
        return data.decode(marked, "replace")
    _reject_binary(data, name)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    if (declared := _decode_as_declared(data)) is not None:
        return declared
    damaged = data.decode("utf-8", "replace")
    if _is_damaged_utf_8(damaged):
        return damaged
    return data.decode(_guess_encoding(data, name), "replace")


def _decode_as_declared(data: bytes) -> str | None:
    match = _DECLARED.search(data, 0, _HEAD)
    try:
        return data.decode(match.group(1).decode("ascii")) if match else None
    except (LookupError, UnicodeError):
        return None


def _guess_encoding(data: bytes, name: str) -> str:
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
    best = from_bytes(sample[:_SAMPLE]).best()
    if best is None:
        raise ConversionError(f"{name} is in an unknown text encoding. Save it as UTF-8.")
    return best.encoding


def replace_surrogates(text: str) -> str:
    r"""Return the text with each lone surrogate replaced by U+FFFD, so that it can be encoded.

    >>> replace_surrogates("a\ud800") == "a\ufffd"
    True
    """
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)
