"""The words of a query as weighted sets of index terms (docs/scores.md)."""

from collections import Counter

from spaniel._engine import KeywordIndex
from spaniel.document_stores.embedded.indexing import IndexSettings
from spaniel.document_stores.types.keyword_query import QueryWord

MAX_PREFIX_WORDS = 64
"""The maximum number of words that a prefix stands for in a score: those in most documents."""


def read_words(indexing: IndexSettings, keywords: KeywordIndex, text: str) -> list[QueryWord]:
    """Return the words of a text, each once."""
    if indexing.has_words:
        return keywords.query_words(text, indexing.languages)
    tokens = (indexing.tokenizer or indexing.engine_tokenizer)(text)
    return [([(token, 1.0)], float(count), 1.0, False) for token, count in Counter(tokens).items()]


def list_whole_words(words: list[QueryWord]) -> list[QueryWord]:
    """Return the words without pieces of identifiers and single characters beside their pairs."""
    return [word for word in words if word[2] >= 1.0] or words


def read_prefix(indexing: IndexSettings, keywords: KeywordIndex, prefix: str, limit: int | None) -> QueryWord | None:
    """Return a word that stands for all words with a prefix.

    :param limit: the maximum number of these words, the most frequent first.
    :returns: None if the prefix is not one word, such as two characters of Chinese.
    """
    terms = indexing.list_terms(prefix)
    if not terms or len(terms[0]) < max(map(len, terms)):
        return None
    found = keywords.words_with_prefix(terms[0], limit)
    return [(word, 1.0) for word, _ in found], 1.0, 1.0, False
