"""The score of docs/scores.md, computed from documents by plain Python: an oracle for the stores."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath

from spaniel import Document, _engine

COMPOUNDING = {"danish", "dutch", "estonian", "finnish", "german", "hungarian", "norwegian", "swedish"}
"""Languages in which the parts of words are looked for, too."""

Settings = tuple[object, Mapping[str, float]]
"""An analyzer, and the fields with their weights."""


def tokenize(analyzer: object, text: str) -> list[str]:
    if isinstance(analyzer, re.Pattern):
        return [token.casefold() for token in analyzer.findall(text.lower())]
    if callable(analyzer):
        tokens: list[str] = analyzer(text)
        return tokens
    return _engine.analyze(text, "standard" if analyzer == "standard" else "auto")


def read_field(meta: Mapping[str, object], key: str) -> list[str]:
    value = meta.get(key)
    if key == "file_name" and value is None and isinstance(meta.get("path"), str):
        value = PurePosixPath(str(meta["path"])).stem
    return [text for text in (value if isinstance(value, list) else [value]) if isinstance(text, str)]


def drop_headings(meta: Mapping[str, object]) -> dict[str, object]:
    """Metadata with the headings that are one identifier."""
    found = [
        text
        for text in read_field(meta, "section")
        if len(_engine.word_sequence(text)) == 1 and len(_engine.analyze(text, "auto")) > 1
    ]
    return {**meta, "section": found}


def find_names(text: str) -> set[tuple[str, ...]]:
    """The names in the text of a field: its lines, and the parts of each."""
    found = set()
    for line in text.split("\n"):
        parts = [part for each in line.split(" - ") for part in re.split("[–—|:：()\\[\\]]", each)]
        found |= {tuple(_engine.word_sequence(name)) for name in (line, *parts)}
    return {name for name in found if 1 <= len(name) <= 8}


def grams(word: str) -> set[str]:
    return {word[at : at + 4] for at in range(len(word) - 3)}


def dice(one: str, other: str) -> float:
    a, b = grams(one), grams(other)
    return 2 * len(a & b) / (len(a) + len(b)) if a and b else 0.0


def is_one_mistake(one: str, other: str) -> bool:
    """An insertion, a deletion, a replacement, or a swap of neighbours."""
    if not (3 <= len(one) <= 11 and 3 <= len(other) <= 11 and one.isalpha() and other.isalpha()) or one == other:
        return False
    letters = {*one, *other}
    cuts = [(one[:at], one[at:]) for at in range(len(one) + 1)]
    changed = {before + letter + after for before, after in cuts for letter in letters}
    changed |= {before + letter + after[1:] for before, after in cuts if after for letter in letters}
    changed |= {before + after[1:] for before, after in cuts if after}
    changed |= {before + after[1] + after[0] + after[2:] for before, after in cuts if len(after) > 1}
    return other in changed


class PlainIndex:
    """The searched documents, as lists of words.

    :param documents: all documents of a store.
    :param is_searched: the search scope.
    """

    def __init__(
        self, documents: Sequence[Document], settings: Settings, is_searched: Callable[[Document], bool]
    ) -> None:
        self.analyzer, fields = settings
        by_weight: dict[float, list[str]] = {}
        for key, weight in sorted(fields.items()):
            by_weight.setdefault(weight, []).append(key)
        self.weights = [1.0, *by_weight]
        self.documents = [each for each in documents if is_searched(each) and each.content is not None]

        def join(meta: Mapping[str, object], keys: Sequence[str]) -> str:
            return "\n".join(dict.fromkeys(text for key in keys for text in read_field(meta, key)))

        others = list(by_weight.values())
        self.texts = {
            each.id: [
                tokenize(self.analyzer, join({**each.meta, "content": each.content}, keys))
                for keys in [["content"], *others]
            ]
            for each in self.documents
        }
        self.names = {
            each.id: [
                set[tuple[str, ...]](),
                *(find_names(join(drop_headings(each.meta), keys)) for keys in others),
            ]
            for each in self.documents
        }
        self.wholes: dict[object, list[str]] = {}
        for each in self.documents:
            self.wholes.setdefault(self.root_of(each), []).append(each.id)

    def root_of(self, document: Document) -> object:
        root = document.meta.get("__root_id")
        return root if isinstance(root, str) and root != document.id else (document.id,)

    def languages(self) -> list[str]:
        if self.analyzer != "auto":
            return [str(self.analyzer)] if self.analyzer in _engine.languages() else []
        labels = [each.meta.get("__language") for each in self.documents]
        known = [label for label in labels if isinstance(label, str) and label in _engine.languages()]
        return sorted({*known, *(["english"] if len(known) < len(labels) else [])})

    def statistics(self) -> dict[str, int]:
        contents = [fields[0] for fields in self.texts.values()]
        return {
            "documents": len(self.documents),
            "tokens": sum(map(len, contents)),
            "vocabulary": len({token for content in contents for token in content}),
        }

    def query(self, text: str) -> list[tuple[list[tuple[str, float]], float, float, bool]]:
        if isinstance(self.analyzer, str) and self.analyzer != "standard":
            words = _engine.query_words(text, self.languages())
            return [([(word.term, 1.0), *word.alternatives], word.count, word.weight, True) for word in words]
        tokens = tokenize(self.analyzer, text)
        return [([(token, 1.0)], tokens.count(token), 1.0, False) for token in dict.fromkeys(tokens)]

    def list_names(self, text: str, word: str) -> set[tuple[str, ...]]:
        """The names with a word that a query contains whole."""
        if not isinstance(self.analyzer, str) or self.analyzer == "standard":
            return set()
        words = _engine.word_sequence(text)
        sequences = {tuple(words[start:end]) for start in range(len(words)) for end in range(start, start + 9)}
        return {sequence for sequence in sequences if word in sequence}

    def expand(self, terms: list[tuple[str, float]], inflected: bool) -> tuple[dict[str, float], set[str]]:
        """The amount of each word of the index, and those that are forms."""
        vocabulary = {token for fields in self.texts.values() for field in fields for token in field}
        amounts = {word: max((a for term, a in terms if term == word), default=0.0) for word in vocabulary}
        if inflected:
            for term, amount in terms:
                for language in self.languages():
                    stem = _engine.stem(term, language)
                    for word in vocabulary:
                        if _engine.stem(word, language) == stem:
                            amounts[word] = max(amounts[word], 0.4 * amount)
        forms = {word for word, amount in amounts.items() if amount > 0}
        if inflected and (not forms or COMPOUNDING.intersection(self.languages())):
            contents = {token for fields in self.texts.values() for token in fields[0]}
            near = sorted((-dice(terms[0][0], word), word) for word in contents if word != terms[0][0])
            for coefficient, word in near[:32]:
                if 0.4 <= -coefficient < 1:
                    amounts[word] = max(amounts[word], 0.5 * -coefficient)
            if not forms:
                count = {word: sum(word in fields[0] for fields in self.texts.values()) for word in contents}
                mistaken = [word for word in contents if is_one_mistake(terms[0][0], word)]
                for word in sorted(mistaken, key=lambda word: (-count[word], word))[:3]:
                    amounts[word] = max(amounts[word], 0.5 * (1 - 1 / len(terms[0][0])))
        return {word: amount for word, amount in amounts.items() if amount > 0}, forms

    def score(self, text: str) -> dict[str, float]:
        """The score of each document that contains a word of a query, by id."""
        scores, found = dict.fromkeys(self.texts, 0.0), set[str]()
        for terms, count, share, inflected in self.query(text):
            amounts, forms = self.expand(terms, inflected)
            holders = self.find_holders(forms) or self.find_holders(set(amounts))
            found |= self.find_holders(set(amounts))
            names = self.list_names(text, terms[0][0])
            idf = math.log(1 + (len(self.texts) - len(holders) + 0.5) / (len(holders) + 0.5))
            weight = share * 9 * count / (8 + count) * idf * 2.2
            for document in self.documents:
                whole = self.wholes[self.root_of(document)]
                own = self.amount([document.id], amounts, names, len(self.texts))
                total = self.amount(whole, amounts, names, len(self.wholes))
                scores[document.id] += weight * (own / (1.2 + own) + 0.5 * total / (1.2 + total))
        return {id: score for id, score in scores.items() if id in found}

    def find_holders(self, words: set[str]) -> set[str]:
        return {id for id, fields in self.texts.items() if any(words.intersection(field) for field in fields)}

    def amount(
        self, ids: list[str], amounts: Mapping[str, float], names: set[tuple[str, ...]], documents: int
    ) -> float:
        total = 0.0
        for field, field_weight in enumerate(self.weights):
            mean = sum(len(fields[field]) for fields in self.texts.values()) / documents
            tokens = [token for id in ids for token in self.texts[id][field]]
            norm = 0.25 + (0.75 * len(tokens) / mean if mean else 0)
            total += sum(amount * field_weight * tokens.count(word) / norm for word, amount in amounts.items())
            total += sum(4.0 * field_weight * len(names & self.names[id][field]) / norm for id in ids)
        return total
