r"""The operators of a query, such as ``"exact phrase"`` and ``-word`` (docs/query-syntax.md).

All but the operators is text, so every string is a query.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass

from spaniel.document_stores.types.keyword_query import Condition, ConditionKind

_MARKS = '"“”„‟'
_PART = re.compile(
    rf"""(?<!\S)[(\[{{]*                               # at the start of a word
    (?P<sign>[+-]?)
    (?:(?P<field>[^\W\d][\w.-]*):(?=[\w{_MARKS}]))?
    (?:[{_MARKS}](?P<phrase>[^{_MARKS}]*)[{_MARKS}](?=[\s.,;:!?)\]}}]|$) | (?P<word>\S+))""",
    re.VERBOSE,
)
_QUESTION_MARKS = ("?", "？", "؟")  # noqa: RUF001 (of Chinese and Arabic)
_QUOTED = re.compile(rf"[{_MARKS}][^{_MARKS}]*[{_MARKS}]")
_MIN_SENTENCE_WORDS = 8  # beside quotes; queries of key words are shorter
_CLOSING = f" \n)]}}'{_MARKS}"
_PREFIX = re.compile(r"(\w{2,})\*[.,;:!?)\]}]*")
_WORD = re.compile(r"[^\W_]")
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True)
class ParsedQuery:
    """A query, split into the text to rank by and its conditions.

    :param text: the query with operators, and all that is not ranked by, replaced by spaces: a word
        is at its place in the query.
    :param prefixes: starts of words to rank by.
    :param conditions: texts that every document must contain, or must not.
    """

    text: str
    prefixes: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()


def parse_query(query: str, fields: Collection[str] = (), searched: Collection[str] = ()) -> ParsedQuery:
    """Return a query, parsed; every string is valid.

    A question, which ends with a question mark, is text without operators: a quoted name is rarely
    a condition of its answer. So are quotes beside a sentence of eight words or more.

    :param fields: the metadata keys that a condition may name; another name is text.
    :param searched: those of them whose words documents are ranked by.

    >>> parse_query('+rust "async runtime" -tokio path:guide', fields=["path"])
    ParsedQuery(text=' rust "async runtime"                  ', prefixes=(), conditions=(Condition(kind='word', \
text='rust', field=None, is_excluded=False), Condition(kind='phrase', text='async runtime', field=None, \
is_excluded=False), Condition(kind='word', text='tokio', field=None, is_excluded=True), Condition(kind='word', \
text='guide', field='path', is_excluded=False)))
    >>> parse_query("ls -g --verbose std::vector 12:30 + - *")
    ParsedQuery(text='ls -g --verbose std::vector 12:30 + - *', prefixes=(), conditions=())
    """
    if query.rstrip(_CLOSING).endswith(_QUESTION_MARKS):
        return ParsedQuery(query)
    is_sentence = len(_QUOTED.sub(" ", query).split()) >= _MIN_SENTENCE_WORDS
    text = list(query)
    prefixes: list[str] = []
    conditions: list[Condition] = []
    at = 0
    while (match := _PART.search(query, at)) is not None:
        at = match.end()
        sign, field = match["sign"], match["field"]
        if field is not None and field not in (*fields, "content"):
            continue
        condition = _read_condition(match["word"], match["phrase"], field, sign)
        if condition is None or (is_sentence and condition.kind == "phrase" and not sign and not field):
            continue
        is_ranked = not condition.is_excluded and (field is None or field == "content" or field in searched)
        blank_to = match.start("phrase") - 1 if condition.kind == "phrase" else match.start("word")
        if not is_ranked or condition.kind == "prefix":
            blank_to = match.end()
        text[match.start() : blank_to] = " " * (blank_to - match.start())
        if is_ranked and condition.kind == "prefix":
            prefixes.append(condition.text)
        if sign or field or condition.kind == "phrase":
            conditions.append(condition)
    return ParsedQuery("".join(text), tuple(dict.fromkeys(prefixes)), tuple(dict.fromkeys(conditions)))


def _read_condition(word: str | None, phrase: str | None, field: str | None, sign: str) -> Condition | None:
    """Return the condition of a part of a query; None if it is text."""
    kind: ConditionKind
    if phrase is not None:
        kind, text = "phrase", phrase
    elif prefix := _PREFIX.fullmatch(word or ""):
        kind, text = "prefix", prefix[1]
    else:
        kind, text = "word", word or ""
    letters = len(_LETTER.findall(text))
    if not _WORD.search(text):
        return None
    if kind == "word":
        is_marked = bool(sign or field) and _WORD.match(text) is not None
        if not is_marked or letters < {"-": 2, "+": 1, "": 0}[sign]:
            return None
    return Condition(kind, text, field, sign == "-")
