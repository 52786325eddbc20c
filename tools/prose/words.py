"""The rules: words and phrases that the project does not use, with the remedy for each."""

import re
from dataclasses import dataclass

QUESTION_WORDS = frozenset({"what", "which", "where", "whether", "how", "who", "whose"})
"""Words that open no docstring and no description of a parameter: name the thing."""


@dataclass(frozen=True)
class Rule:
    """A pattern that prose must not match.

    :param pattern: matched anywhere in a text, in any case.
    :param remedy: one phrase for the reader of the finding.
    """

    pattern: re.Pattern[str]
    remedy: str


def _rule(pattern: str, remedy: str) -> Rule:
    return Rule(re.compile(pattern, re.IGNORECASE), remedy)


EVERYWHERE = (
    _rule(r"\b(un)?told\b|\btells? (?:of|apart)\b", "say 'report', 'raise', 'list', 'distinguish'"),
    _rule(r"\bwho(m)?ever\b|\bwhosoever\b", "name the caller"),
    _rule(r"\banew\b", "say 'again'"),
    _rule(r"\b(?:its|their) kin\b|\baffair\b", "say 'related', 'decided by'"),
    _rule(r"\bdoors?\b", "say 'component' or 'knowledge base API'"),
    _rule(r"\btwins?\b", "say 'async method' or 'counterpart'"),
    _rule(r"\bso many\b|\bas many .{1,30} as\b", "say 'num_', 'up to', 'per'"),
    _rule(r"\b(?:be|is|are) gone on with\b", "say 'resumable', 'continues'"),
    _rule(r"(?<!there )\b(?:is|are|was|were) no (?!longer\b|more\b|one\b)\w", "say 'is not a'"),
    _rule(
        r"\bone (?:(?!and\b|with\b|of\b|that\b|is\b|as\b|for\b|in\b|to\b|from\b|has\b|or\b|by\b|at\b|on\b)[\w-]+ )?an? (?!time\b)\w",
        "say 'per'",
    ),
    _rule(
        r"\b(?:have|has|having|take|takes|in|let others have) (?:the |its |their |a )?turns?\b",
        "say 'lock', 'in order'",
    ),
)
"""Rules for every text: docstrings, comments, messages and pages."""

IN_CODE = (
    _rule(r"\bwhat(?:ever)?\b", "name the thing"),
    _rule(r"\b(?:stands?|stood|standing)\b(?! for\b)", "say 'is', 'is stored', 'precedes'"),
)
"""Rules for docstrings and comments alone."""

IN_NAMES = frozenset({"told", "whoever", "anew", "what", "door", "doors", "twin", "twins", "kin", "nobody", "somebody"})
"""Words that no name contains."""

NAME_PREFIXES = ("MOST_", "LONGEST_", "FEWEST_", "FEW_")
"""Openings of constants: `MAX_` and `MIN_` say it."""

FILE_NAMES = frozenset({"several", "together", "twins", "losses", "asking", "chance", "door", "utils", "helpers"})
"""Names of modules that are not nouns of their contents."""

PARTICIPLES = frozenset(
    {
        "asked",
        "bound",
        "built",
        "chosen",
        "found",
        "given",
        "held",
        "kept",
        "known",
        "left",
        "lost",
        "made",
        "sent",
        "shown",
    }
    | {"taken", "told", "written"}
)
"""Irregular participles: a function is a verb."""

NOT_PARTICIPLES = frozenset({"embed", "exceed", "feed", "need", "proceed", "seed", "shed", "speed", "succeed"})
"""Verbs and nouns that end like a participle."""

COUNTED = ("what", "one", "told", "turn", "stand")
"""Words whose number per 1,000 the report gives."""

MAX_WHAT_PER_1000 = 3.0
"""The limit of 'what' on a page of docs/."""


def is_participle(word: str) -> bool:
    """Return if a name's first word is a participle, such as ``checked``."""
    return word in PARTICIPLES or (len(word) > 3 and word.endswith("ed") and word not in NOT_PARTICIPLES)
