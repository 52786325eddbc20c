"""The documents that meet the conditions of a query: by the keyword index, the metadata, the texts."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import PurePosixPath

from spaniel._engine import KeywordIndex, SlotSet, stem
from spaniel.dataclasses import Document
from spaniel.document_stores.embedded.indexing import FILE_NAME, IndexSettings
from spaniel.document_stores.embedded.query_words import list_whole_words, read_prefix, read_words
from spaniel.document_stores.types.keyword_query import Condition, QueryWord
from spaniel.filters import Comparison, Filter
from spaniel.filters.field import field_path
from spaniel.filters.parse import Logic

CONTENT = "content"
"""The name of the text of a document in a condition."""


class ConditionSets:
    """The slots that meet conditions, in one state of a store.

    :param find_matching: the slots of the documents that match a filter.
    """

    def __init__(
        self, indexing: IndexSettings, keywords: KeywordIndex, find_matching: Callable[[Filter], SlotSet]
    ) -> None:
        self._indexing = indexing
        self._keywords = keywords
        self._find_matching = find_matching

    def narrow(self, allowed: SlotSet | None, conditions: Iterable[Condition]) -> SlotSet | None:
        """Return the allowed slots that meet conditions.

        The order of the words of a phrase remains to be checked, by `breaks_phrase`.

        :param allowed: None: all.
        """
        for condition in conditions:
            if condition.is_excluded and condition.kind == "phrase" and self._reads_texts(condition):
                continue
            found = self._find(condition)
            if condition.is_excluded:
                allowed = (self.all_slots() if allowed is None else allowed) - found
            else:
                allowed = found if allowed is None else allowed & found
        return allowed

    def keep_with(self, words: list[QueryWord], least: float, allowed: SlotSet | None) -> SlotSet:
        """Return the allowed slots of documents with a number of words, or a share of them.

        A word of which the index has no form counts if a word that resembles it is there.
        """
        whole = list_whole_words(words)
        count = max(int(least * len(whole)), 1) if isinstance(least, float) else min(least, len(whole))
        found = self._keywords.find_documents(whole, languages=self._indexing.languages, least=count, near=True)
        return found if allowed is None else allowed & found

    def all_slots(self) -> SlotSet:
        """Return the slots of all searched documents."""
        return self._keywords.find_documents([], languages=[], least=0)

    def list_phrases(self, conditions: Iterable[Condition]) -> list[Condition]:
        """Return the conditions that `breaks_phrase` has to check."""
        return [each for each in conditions if each.kind == "phrase" and self._reads_texts(each)]

    def breaks_phrase(self, document: Document, phrases: Sequence[Condition]) -> bool:
        """Return True if a document lacks a phrase, or has one that is excluded."""
        sequences = self._indexing.list_sequences(document)
        for phrase in phrases:
            words, texts = self._indexing.split(phrase.text), sequences[: 1 if phrase.field else None]
            if any(contains_sequence(text, words) for text in texts) == phrase.is_excluded:
                return True
        return False

    @staticmethod
    def _reads_texts(condition: Condition) -> bool:
        return condition.field in (None, CONTENT)

    def _find(self, condition: Condition) -> SlotSet:
        if not self._reads_texts(condition):
            return self._find_matching(self._make_filter(condition))
        words = self._read(condition)
        return self._keywords.find_documents(
            words,
            languages=self._indexing.languages,
            least=len(words),
            field=0 if condition.field == CONTENT else None,
        )

    def _read(self, condition: Condition) -> list[QueryWord]:
        """Return the words of which a document must contain all."""
        if condition.kind == "phrase":
            return [([(word, 1.0)], 1.0, 1.0, False) for word in dict.fromkeys(self._indexing.split(condition.text))]
        if condition.kind == "prefix":
            found = read_prefix(self._indexing, self._keywords, condition.text, None)
            if found is not None:
                return [found]
        return list_whole_words(read_words(self._indexing, self._keywords, condition.text))

    def _make_filter(self, condition: Condition) -> Filter:
        test = self._make_test(condition)
        name = str(condition.field)
        found = _like(name, condition, test)
        if name != FILE_NAME:
            return found
        return Logic("OR", (found, _like("path", condition, lambda path: test(PurePosixPath(path).stem))))

    def _make_test(self, condition: Condition) -> Callable[[str], bool]:
        """Return the test of a text in the metadata."""
        split = self._indexing.split
        if condition.kind == "phrase":
            words = split(condition.text)
            return lambda text: contains_sequence(split(text), words)
        tokenize = self._indexing.list_terms
        if condition.kind == "prefix":
            start = (tokenize(condition.text) or [condition.text])[0]
            return lambda text: any(term.startswith(start) for term in tokenize(text))
        languages = self._indexing.languages
        languages = self._keywords.languages() if languages is None else languages
        forms = [
            {name for name, _ in terms}
            | {(language, stem(name, language)) for name, _ in terms for language in languages}
            for terms, *_ in list_whole_words(read_words(self._indexing, self._keywords, condition.text))
        ]

        def test(text: str) -> bool:
            terms = tokenize(text)
            found = {*terms, *((language, stem(term, language)) for term in terms for language in languages)}
            return all(not form.isdisjoint(found) for form in forms)

        return test


class _TextTest:
    """A test of texts in the place of the pattern of ``like``."""

    def __init__(self, test: Callable[[str], bool]) -> None:
        self.fullmatch = test


def _like(key: str, condition: Condition, test: Callable[[str], bool]) -> Comparison:
    """Return the filter for texts, or elements of lists, that pass a test."""
    value = f"\0{condition.kind}\0{condition.text}"  # the results of filters are cached by it
    return Comparison(f"meta.{key}", "like", value, field_path(f"meta.{key}"), _TextTest(test))


def contains_sequence(words: Sequence[str], sequence: Sequence[str]) -> bool:
    """Return True if words contain a sequence without gaps.

    >>> contains_sequence(["to", "be", "or", "not"], ["be", "or"])
    True
    """
    size, first = len(sequence), next(iter(sequence), None)
    return size > 0 and any(
        word == first and list(words[at : at + size]) == list(sequence) for at, word in enumerate(words)
    )
