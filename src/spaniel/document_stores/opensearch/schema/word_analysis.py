"""The analyzers of an index with searched fields, of the server's parts (docs/opensearch-words.md)."""

from collections.abc import Mapping

from spaniel.json_types import Json, JsonObject

EXACT = "spaniel_words"
"""The analyzer of texts that keeps each word as it is written; it adds the pieces of identifiers."""
QUERY = "spaniel_query"
"""The analyzer of query words, and of parts of them, which are not taken apart again."""
CJK = "cjk"
_FILE_NAME = "spaniel_file_name"

_SNOWBALL = [
    "Arabic",
    "Armenian",
    "Basque",
    "Catalan",
    "Danish",
    "Dutch",
    "English",
    "Estonian",
    "Finnish",
    "French",
    "German",
    "Hungarian",
    "Indonesian",
    "Irish",
    "Italian",
    "Lithuanian",
    "Nepali",
    "Norwegian",
    "Portuguese",
    "Romanian",
    "Russian",
    "Serbian",
    "Spanish",
    "Swedish",
    "Tamil",
    "Turkish",
    "Yiddish",
]
_FOLDED = frozenset({"catalan", "dutch", "english", "french", "indonesian", "italian", "portuguese", "romanian"})
_SPANISH_ACCENTS = {"á": "a", "é": "e", "í": "i", "ó": "o", "[úü]": "u"}  # ñ stays apart
_GREEK = {"type": "lowercase", "language": "greek"}

_FILTERS: JsonObject = {
    "spaniel_pieces": {
        "type": "word_delimiter_graph",
        "preserve_original": True,
        "catenate_all": True,
        "generate_number_parts": False,
        "split_on_numerics": False,
        "stem_english_possessive": False,
    },
    **{f"spaniel_stem_{name.lower()}": {"type": "snowball", "language": name} for name in _SNOWBALL},
    "spaniel_stem_czech": {"type": "stemmer", "language": "czech"},
    "spaniel_stem_greek": {"type": "stemmer", "language": "greek"},
    "spaniel_greek": _GREEK,
    **{
        f"spaniel_spanish_{plain}": {"type": "pattern_replace", "pattern": accented, "replacement": plain}
        for accented, plain in _SPANISH_ACCENTS.items()
    },
}

STEMS: Mapping[str, list[str]] = {
    **{
        name.lower(): [f"spaniel_stem_{name.lower()}", *(["asciifolding"] if name.lower() in _FOLDED else [])]
        for name in _SNOWBALL
    },
    "czech": ["spaniel_stem_czech"],
    "greek": ["spaniel_greek", "spaniel_stem_greek"],
    "persian": ["persian_normalization"],
}
"""The token filters that stem words, by language; the server has none for the others."""
STEMS["spanish"].extend(f"spaniel_spanish_{plain}" for plain in _SPANISH_ACCENTS.values())

_WORD = r"[\p{L}\p{N}]"
_CHARACTERS = [
    *(f"\\u{code:04X}=>" for code in (0xAD, 0x200B, 0x200D, 0x2060, 0xFEFF)),
    *("ß=>ss", "ẞ=>ss", "’=>'", "ʼ=>'", "＇=>'"),  # noqa: RUF001 (apostrophes)
]
_MARKS_OF_VOWELS = r"[\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u064B-\u065F\u0670\u0640]"
_CLUSTER = r"([\u0E00-\u0EFF\u1000-\u109F\u1780-\u17FF]\p{M}*)"
_BEFORE, _BEHIND = rf"(?<!{_WORD})", rf"(?!{_WORD})"
_PATTERNS: Mapping[str, tuple[str, str]] = {
    "vowel_marks": (_MARKS_OF_VOWELS, ""),
    "clusters": (_CLUSTER, "$1 "),
    "thousands": (r"(?<=\p{N}),(?=\p{N}{3}(?!\p{N}))", ""),
    "initials": (rf"(?<={_BEFORE}\p{{L}})\.(?=\p{{L}}{_BEHIND})", ""),
    "endings": (rf"(?<=\p{{L}})'(?:s|ll|re|ve|d|m){_BEHIND}", ""),
    "elisions": (rf"(?i){_BEFORE}([cdjlmnst]|qu)'(?=\p{{L}})", "$1 "),
    "apostrophes": (r"(?<=\p{L})'(?=\p{L})", ""),
    "acronyms": (r"(?<=\p{Lu})(?=\p{Lu}\p{Ll}{2})", "_"),
    "hyphens": (r"(?<=\p{L})-(?=[\p{L}\p{N}])", "_"),
    "pluses": (rf"{_BEFORE}([A-Za-z])\+\+", "$1 $1plusplus "),
    "sharps": (rf"{_BEFORE}([A-Za-z])#", "$1 $1sharp "),
    "dots": (rf"(?i)(?<![\p{{L}}\p{{N}}.])\.(net){_BEHIND}", " $1 dot$1"),
    "ands": (rf"{_BEFORE}(\p{{L}})&(\p{{L}}){_BEHIND}", "$1 $2 $1and$2"),
    "only_pluses": (r"\+\+", "plusplus"),
    "only_sharps": ("#", "sharp"),
    "only_dots": (r"^\.", "dot"),
    "only_ands": ("&", "and"),
    "folders": (r"^.*/|\.[^./]*$", ""),
}
_NORMALISED = ["characters", "vowel_marks", "clusters", "thousands", "initials"]
_IN_TEXTS = ["endings", "elisions", "apostrophes", "acronyms", "hyphens", "pluses", "sharps", "dots", "ands"]
_IN_QUERIES = ["apostrophes", "only_pluses", "only_sharps", "only_dots", "only_ands"]


def make_analysis() -> JsonObject:
    """Return the setting ``analysis`` of an index, with the analyzers of all languages."""
    analyzers: JsonObject = {}
    for name, stems in {"": [], **{f"_{language}": filters for language, filters in STEMS.items()}}.items():
        texts = ["spaniel_pieces", "flatten_graph", *_BASE, *stems, "remove_duplicates"]
        analyzers[f"{EXACT}{name}"] = _analyzer([*_NORMALISED, *_IN_TEXTS], texts)
        analyzers[f"{QUERY}{name}"] = _analyzer([*_NORMALISED, *_IN_QUERIES], [*_BASE, *stems])
        analyzers[f"{_FILE_NAME}{name}"] = _analyzer(["folders", *_NORMALISED, *_IN_TEXTS], texts)
    cjk = [*_BASE, "cjk_bigram"]
    analyzers[f"{EXACT}_{CJK}"] = analyzers[f"{QUERY}_{CJK}"] = _analyzer(_NORMALISED, cjk)
    analyzers[f"{_FILE_NAME}_{CJK}"] = _analyzer(["folders", *_NORMALISED], cjk)
    characters: JsonObject = {f"spaniel_{name}": _replacement(*rule) for name, rule in _PATTERNS.items()}
    characters["spaniel_characters"] = {"type": "mapping", "mappings": _CHARACTERS}
    return {"analyzer": analyzers, "filter": _FILTERS, "char_filter": characters}


_BASE = ["cjk_width", "decimal_digit", "lowercase"]


def _analyzer(character_filters: list[str], filters: list[str]) -> JsonObject:
    names: list[Json] = [f"spaniel_{name}" for name in character_filters]
    return {"type": "custom", "tokenizer": "standard", "char_filter": names, "filter": filters}


def _replacement(pattern: str, replacement: str) -> JsonObject:
    return {"type": "pattern_replace", "pattern": pattern, "replacement": replacement}


def make_word_fields(language: str | None, *, file_name: bool = False) -> JsonObject:
    """Return the mapping of a text whose words are searched: as written, or by their stems.

    :param language: of the stems; ``cjk``: pairs of characters; None: as written.
    :param file_name: only the last part of a path, without its suffix.
    """
    suffix = "" if language is None else f"_{language}"
    options: JsonObject = {} if language is None else {"index_options": "freqs"}
    base = _FILE_NAME if file_name else EXACT
    return {"type": "text", "analyzer": f"{base}{suffix}", "search_analyzer": f"{QUERY}{suffix}", **options}


def has_stems(language: str) -> bool:
    """Return True if the server finds other forms of words of a language, or pairs of characters."""
    return language == CJK or language in STEMS
