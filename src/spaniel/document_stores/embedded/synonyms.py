"""Synonyms of query words, in the format of Solr and Lucene."""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from spaniel._engine import KeywordIndex, query_words, stem
from spaniel.document_stores.types.keyword_query import QueryWord

SYNONYM_AMOUNT = 0.8
"""The amount of a synonym beside the 1 of the word: a default without a measurement."""

_COMMA = re.compile(r"(?<!\\),")


@dataclass(frozen=True)
class Rule:
    """A text of a query, and the texts that stand for it too."""

    source: str
    targets: tuple[str, ...]


@dataclass(frozen=True)
class Synonyms:
    """Rules that widen the words of a query; the index does not change.

    :param rules: in the order of the file.
    """

    rules: tuple[Rule, ...]

    @classmethod
    def parse(cls, lines: Iterable[str]) -> "Synonyms":
        r"""Return the synonyms of lines.

        A line is a group, ``car, automobile``, or a rule in one direction, ``ml, ai => machine
        learning``. ``#`` begins a comment line, a backslash makes a comma part of a word.

        :raises ValueError: a line has more than one ``=>``, or nothing on one side of it.

        >>> Synonyms.parse(["# animals", "dog, hound", "pup => dog"]).rules[-1]
        Rule(source='pup', targets=('dog',))
        """
        rules: list[Rule] = []
        for number, line in enumerate(lines, 1):
            sides = [] if line.lstrip().startswith("#") or not line.strip() else line.split("=>")
            groups = [[text.replace("\\,", ",").strip() for text in _COMMA.split(side)] for side in sides]
            texts = [tuple(filter(None, group)) for group in groups]
            if len(texts) > 2 or not all(texts):
                raise ValueError(
                    f"Line {number} of the synonyms is malformed: {line.strip()!r}. Write 'car, automobile', or 'ml => machine learning'."
                )
            if texts:
                rules += [Rule(each, tuple(other for other in texts[-1] if other != each)) for each in texts[0]]
        return cls(tuple(rule for rule in rules if rule.targets))

    @classmethod
    def read(cls, synonyms: "str | os.PathLike[str] | Iterable[str] | Synonyms | None") -> "Synonyms | None":
        """Return the synonyms of a file, or of lines; None of None.

        :raises ValueError: a line is malformed, or it is neither a path nor lines.
        :raises OSError: the file can't be read.
        """
        if synonyms is None or isinstance(synonyms, Synonyms):
            return synonyms
        if isinstance(synonyms, str | os.PathLike):
            return cls.parse(Path(synonyms).read_text("utf-8-sig").splitlines())
        lines = list(synonyms) if isinstance(synonyms, Iterable) else [None]
        if not all(isinstance(line, str) for line in lines):
            raise ValueError(f"synonyms must be a file, or lines such as ['car, automobile'], got {synonyms!r}.")
        return cls.parse(map(str, lines))

    def widen(self, words: list[QueryWord], keywords: KeywordIndex, languages: list[str] | None) -> list[QueryWord]:
        """Return the words of a query with the terms of their synonyms.

        A rule applies if the query has all words of its source, in any form. A synonym of one word
        stands for each of them; one of several words is added as words with the weight of one.
        """
        known = keywords.languages() if languages is None else languages
        widened: list[QueryWord] = [(list(terms), count, weight, forms) for terms, count, weight, forms in words]
        added: list[QueryWord] = []
        for rule in self.rules:
            places = [_find(words, term, known) for term in _list_terms(rule.source, known)]
            found = [place for place in places if place is not None]
            if not places or len(found) < len(places):
                continue
            for target in rule.targets:
                terms = _list_terms(target, known)
                if len(terms) == 1:
                    for place in found:
                        widened[place][0].append((terms[0], SYNONYM_AMOUNT))
                else:
                    missing = [term for term in terms if _find(words, term, known) is None]
                    added += [([(term, 1.0)], 1.0, SYNONYM_AMOUNT / len(terms), True) for term in missing]
        return widened + added


def _list_terms(text: str, languages: list[str]) -> list[str]:
    words = query_words(text, languages)
    return [word.term for word in words if word.weight >= 1.0] or [word.term for word in words]


def _find(words: list[QueryWord], term: str, languages: list[str]) -> int | None:
    """Return the place of a term, or of another form of it, among the words of a query."""
    stems = {(language, stem(term, language)) for language in languages}
    for place, (terms, *_) in enumerate(words):
        name = terms[0][0]
        if name == term or not stems.isdisjoint((language, stem(name, language)) for language in languages):
            return place
    return None
