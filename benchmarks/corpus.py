"""Texts, queries and a field to filter by, at any size, with the word statistics of real text.

Word frequencies fall as 1 / (rank + 2.7) ^ 1.07 (Zipf and Mandelbrot). The vocabulary grows with
the size to the power of .45 (Heaps). Lengths are log-normal, with a mean of 79 words. A quarter of
the words come from one of 500 topics, and a fifth repeat an earlier word of the text. All is
lower-case ASCII, so that every engine sees the same terms. A corpus is made once and kept in
`.bench/corpus`. SciFact, a collection of real abstracts and claims, is used if it is available.
"""

import itertools
import json
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
CACHE = Path(".bench/corpus")
SCIFACT = Path("../shared/data/scifact")
QUERIES = 200
_TOPICS, _TOPIC_WORDS, _COMMON = 500, 400, 200


@dataclass(frozen=True)
class Corpus:
    """The documents and queries."""

    texts: list[str]
    percent: Numbers
    """A number from 0 to 99 for each text: a filter `percent < 10` keeps a tenth of them."""
    queries: dict[str, list[str]]
    """`natural`: three to eight words of a text, common ones too. `keyword`: words in less than a
    tenth of the texts. `claims`: whole sentences."""
    titles: list[str] | None = None
    """The title of each text, apart from it; None: no text has one."""

    def whole_text(self, number: int) -> str:
        """Return a text with its title before it."""
        return self.texts[number] if self.titles is None else f"{self.titles[number]} {self.texts[number]}"


def corpus(size: int) -> Corpus:
    """Return the corpus of a size, from the cache if it is there."""
    texts, rest = CACHE / f"{size}.txt", CACHE / f"{size}.json"
    if not rest.is_file():
        new = made(size)
        CACHE.mkdir(parents=True, exist_ok=True)
        texts.write_text("\n".join(new.texts), encoding="ascii")
        rest.write_text(json.dumps({"percent": new.percent.tolist(), "queries": new.queries}), encoding="ascii")
        return new
    kept = json.loads(rest.read_text(encoding="ascii"))
    return Corpus(texts.read_text(encoding="ascii").split("\n"), np.array(kept["percent"]), kept["queries"])


def scifact() -> Corpus | None:
    """Return the abstracts of SciFact, and the claims as queries, each word once; None if it is not
    at hand.
    """
    if not SCIFACT.is_dir():
        return None
    texts = [f"{line['title']} {line['text']}" for line in _read_lines("corpus.jsonl")]
    claims = [" ".join(dict.fromkeys(words(line["text"]))) for line in _read_lines("queries.jsonl")[:QUERIES]]
    return Corpus(texts, np.random.default_rng(1).integers(0, 100, len(texts)), {"claims": claims})


def repeated_scifact(size: int) -> Corpus | None:
    """Return the abstracts of SciFact over and over, with their titles apart: the forms of words as
    in real text, at any size.
    """
    if not SCIFACT.is_dir():
        return None
    lines = list(itertools.islice(itertools.cycle(_read_lines("corpus.jsonl")), size))
    claims = [line["text"] for line in _read_lines("queries.jsonl")[:QUERIES]]
    texts, titles = [line["text"] for line in lines], [line["title"] for line in lines]
    return Corpus(texts, np.zeros(size, np.int64), {"claims": claims}, titles)


def _read_lines(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (SCIFACT / name).read_text(encoding="utf-8").splitlines()]


def words(text: str) -> list[str]:
    """Return the words of a text, as every engine cuts lower-case ASCII."""
    return re.findall(r"\w+", text.lower())


def made(count: int, *, queries: int = QUERIES, seed: int = 1) -> Corpus:
    """Return a corpus of `count` texts, the same at every call."""
    rng = np.random.default_rng(seed)
    names = np.array(_names(min(600_000, int(20_000 * (count / 1000) ** 0.45))), dtype=object)
    lengths = np.clip(rng.lognormal(np.log(72), 0.45, count).astype(np.int64), 5, 600)
    ends = np.cumsum(lengths)
    terms = _terms(rng, lengths, ends, len(names))
    documents = [terms[end - length : end] for length, end in zip(lengths, ends, strict=True)]
    return Corpus(
        [" ".join(names[document]) for document in documents],
        rng.integers(0, 100, count),
        {
            kind: [" ".join(names[query]) for query in _queries(documents, len(names), kind, queries)]
            for kind in ("natural", "keyword")
        },
    )


def _names(count: int) -> list[str]:
    syllables = [consonant + vowel for consonant in "bcdfghklmnprstvz" for vowel in "aeiou"]
    of_length = (itertools.product(syllables, repeat=length) for length in itertools.count(1))
    return ["".join(parts) for parts in itertools.islice(itertools.chain.from_iterable(of_length), count)]


def _terms(rng: np.random.Generator, lengths: Numbers, ends: Numbers, vocabulary: int) -> Numbers:
    total = int(ends[-1])
    share = np.cumsum((np.arange(vocabulary) + 3.7) ** -1.07)
    terms = np.searchsorted(share / share[-1], rng.random(total)).clip(max=vocabulary - 1)
    topics = rng.integers(_COMMON, vocabulary, (_TOPICS, _TOPIC_WORDS))
    frequent = rng.integers(_COMMON, min(vocabulary, 8000), (_TOPICS, _TOPIC_WORDS // 2))
    topics[:, : _TOPIC_WORDS // 2] = frequent
    topic = np.repeat(rng.integers(0, _TOPICS, len(lengths)), lengths)
    places = np.flatnonzero(rng.random(total) < 0.25)
    terms[places] = topics[topic[places], (rng.random(places.size) ** 2 * _TOPIC_WORDS).astype(np.int64)]
    starts = np.repeat(ends - lengths, lengths)
    places = np.flatnonzero(rng.random(total) < 0.20)
    earlier = ((places - starts[places]) * rng.random(places.size)).astype(np.int64)
    terms[places] = terms[starts[places] + earlier]
    return terms


def _queries(documents: list[Numbers], vocabulary: int, kind: str, count: int) -> list[list[int]]:
    rng = np.random.default_rng(11)
    frequencies = np.zeros(vocabulary, np.int64)
    for document in documents:
        frequencies[np.unique(document)] += 1
    weights = np.log((len(documents) + 1) / (frequencies + 0.5)) ** 2
    chosen: list[list[int]] = []
    while len(chosen) < count:
        document, size = documents[rng.integers(len(documents))], int(rng.integers(3, 9))
        if kind == "natural":
            terms = list(dict.fromkeys(rng.choice(document, min(size, len(document)), replace=False).tolist()))
        else:
            rare = np.unique(document)
            rare = rare[frequencies[rare] < 0.1 * len(documents)]
            if len(rare) < size:
                continue
            share = weights[rare] / weights[rare].sum()
            terms = rng.choice(rare, size, replace=False, p=share).tolist()
        if len(terms) >= 2:
            chosen.append(terms)
    return chosen
