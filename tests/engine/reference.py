"""The same things said again in plain Python, as the source the engine is compared with."""

import math
import re
import unicodedata

from haystack.document_stores.in_memory import InMemoryDocumentStore

PATTERN = re.compile(InMemoryDocumentStore(shared=False).bm25_tokenization_regex)
CJK = re.compile(InMemoryDocumentStore(shared=False).bm25_tokenization_regex.rpartition("|")[2])
DEFAULTS = {
    "BM25Okapi": {"k1": 1.5, "b": 0.75, "epsilon": 0.25},
    "BM25L": {"k1": 1.5, "b": 0.75, "delta": 0.5},
    "BM25Plus": {"k1": 1.5, "b": 0.75, "delta": 1.0},
}
VARIANTS = list(DEFAULTS)


def nfc(text):
    return unicodedata.normalize("NFC", text)


def prepared(text):
    """The text that Haystack splits into words."""
    return nfc(text.lower())


def folded(token):
    return nfc(token.casefold())


def tokenize(text):
    return [folded(token) for token in PATTERN.findall(prepared(text))]


def bigrams(text):
    tokens = []
    for match in re.finditer(rf"(?P<run>{CJK.pattern}+)|{PATTERN.pattern}", prepared(text)):
        run = match["run"]
        tokens += [match[0]] if run is None or len(run) == 1 else [run[i : i + 2] for i in range(len(run) - 1)]
    return [folded(token) for token in tokens]


def idf(documents, term, variant, parameters):
    def frequency(word):
        return sum(word in document for document in documents)

    def odds(word):
        return math.log((n - frequency(word) + 0.5) / (frequency(word) + 0.5))

    n, df = len(documents), frequency(term)
    if variant == "BM25L":
        return math.log((n + 1) / (df + 0.5))
    if variant == "BM25Plus":
        return math.log(1 + (n - df + 0.5) / (df + 0.5))
    vocabulary = {word for document in documents for word in document}
    mean = math.fsum(map(odds, vocabulary)) / len(vocabulary)
    return odds(term) if odds(term) >= 0 else parameters["epsilon"] * mean


def scores(documents, query, variant, parameters=None):
    """{number: score} of the documents (lists of tokens) that hold a term of the query (a list of
    terms).
    """
    parameters = DEFAULTS[variant] | (parameters or {})
    k1, b = parameters["k1"], parameters["b"]
    found = {}
    for term in dict.fromkeys(query):
        for number, document in enumerate(documents):
            tf = document.count(term)
            if tf == 0:
                continue
            norm = 1 - b + b * len(document) * len(documents) / sum(map(len, documents))
            weight = tf * (k1 + 1) / (tf + k1 * norm)
            if variant == "BM25L":
                c = tf / norm + parameters["delta"]
                weight = (k1 + 1) * c / (k1 + c)
            elif variant == "BM25Plus":
                weight += parameters["delta"]
            found[number] = found.get(number, 0.0) + weight * idf(documents, term, variant, parameters)
    return found
