"""The text that a search gives within a budget of tokens, beside fixed chunks with its scoring."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks.quality.evidence import Evidence
from benchmarks.quality.ours import Options, opened, passage_of
from spaniel.components.preprocessors import SectionSplitter
from spaniel.evaluation import Span, fill_budget, score_spans
from spaniel.knowledge_base import KnowledgeBase, Result
from spaniel.strategies.lengths import estimate_tokens

BUDGETS = (200, 400, 800, 1600)
CHUNK_WORDS = (30, 60, 120, 240)
OVERLAP = 4
"""A chunk repeats the last quarter of the one before."""
DEPTH = 40
"""Passages from which a budget is filled."""
_UNSPLIT = 10**9


class Passage(NamedTuple):
    """A passage that was retrieved.

    :param spans: the parts of the sources that it shows.
    :param tokens: its length.
    """

    spans: list[Span]
    tokens: int


Contexts = dict[str, list[Passage]]
"""By query id, the passages that a reader gets."""


@contextmanager
def indexed_evidence(evidence: Evidence, options: Options | None = None) -> Iterator[KnowledgeBase]:
    """Give a knowledge base of the texts."""
    with TemporaryDirectory() as folder, opened(Path(folder, "kb"), options) as kb:
        kb.index(evidence.write(Path(folder, "texts")))
        yield kb


@contextmanager
def indexed_chunks(
    evidence: Evidence, chunks: Mapping[str, Span], options: Options | None = None
) -> Iterator[KnowledgeBase]:
    """Give a knowledge base with the same options, and each chunk a row that is not split."""
    with TemporaryDirectory() as folder, opened(Path(folder, "kb"), options) as kb:
        path = Path(folder, "chunks.jsonl")
        with path.open("w", encoding="utf-8") as file:
            for id, (source, start, end) in chunks.items():
                row = {"id": id, "title": evidence.titles[source], "text": evidence.texts[source][start:end]}
                file.write(json.dumps(row) + "\n")
        kb._splitter = SectionSplitter(_UNSPLIT)
        kb.index(path)
        yield kb


def cut_fixed(texts: Mapping[str, str], words: int | None) -> dict[str, Span]:
    """Return the chunks of all texts, by id: a number of words, with an overlap; None: whole texts."""
    chunks = {}
    for source, text in texts.items():
        places = [match.span() for match in re.finditer(r"\S+", text)]
        size = words or len(places)
        step = size - size // OVERLAP if words else size
        for start in range(0, len(places), max(step, 1)):
            end = min(start + size, len(places))
            chunks[f"{source}#{start}"] = Span(source, places[start][0], places[end - 1][1])
            if end == len(places):
                break
    return chunks


def search_within(kb: KnowledgeBase, evidence: Evidence, budget: int, options: Options | None = None) -> Contexts:
    """Return the contexts of the knowledge base's own budget."""
    chosen = {"budget": budget} | dict(options or {})
    return {
        query: [locate(result, evidence) for result in kb.search(text, **chosen)]
        for query, text in evidence.judged.queries.items()
    }


def search_leaves(kb: KnowledgeBase, evidence: Evidence) -> Contexts:
    """Return the best leaves, as they are, without a budget."""
    return {
        query: [locate(result, evidence) for result in kb.search(text, top_k=DEPTH, per_row=None, repeat_share=1.0)]
        for query, text in evidence.judged.queries.items()
    }


def search_chunks(kb: KnowledgeBase, evidence: Evidence, chunks: Mapping[str, Span]) -> Contexts:
    """Return the best chunks, without a budget."""
    return {
        query: [Passage([chunks[result.id]], estimate_tokens(result.text)) for result in kb.search(text, top_k=DEPTH)]
        for query, text in evidence.judged.queries.items()
    }


def cut_to_budget(contexts: Contexts, budget: int) -> Contexts:
    """Return the passages that fit, best first."""
    return {
        query: [passages[place] for place in fill_budget([passage.tokens for passage in passages], budget)]
        for query, passages in contexts.items()
    }


def locate(result: Result, evidence: Evidence) -> Passage:
    """Return a result with the spans of its source that it shows, found by its text.

    If the text is not a slice of its source, each of its lines is searched; a line that is not in
    the source shows nothing of it.
    """
    source = (result.path or "") if evidence.files else passage_of(result)
    text, near = evidence.texts[source], result.document.meta.get("__start") or 0
    spans = _find([result.text], text, near, source) or _find(result.text.splitlines(), text, 0, source)
    return Passage(spans, estimate_tokens(result.text))


def _find(parts: Iterable[str], text: str, near: int, source: str) -> list[Span]:
    spans = []
    for part in filter(None, map(str.strip, parts)):
        start = text.find(part, near)
        if start < 0:
            start = text.find(part)
        if start >= 0:
            spans.append(Span(source, start, start + len(part)))
    return spans


def score_contexts(contexts: Contexts, evidence: Evidence) -> dict[str, dict[str, float]]:
    """Return for each query the recall, precision and IoU of spans, if all is kept, and the tokens."""
    scores: dict[str, dict[str, float]] = {name: {} for name in ("recall", "precision", "iou", "kept", "tokens")}
    for query, passages in contexts.items():
        found = score_spans((span for passage in passages for span in passage.spans), evidence.relevant[query])
        tokens = sum(passage.tokens for passage in passages)
        values = (found.recall, found.precision, found.iou, float(found.recall == 1), float(tokens))
        for name, value in zip(scores, values, strict=True):
            scores[name][query] = value
    return scores


def measure_contexts(
    evidence: Evidence,
    *,
    budgets: Sequence[int] = BUDGETS,
    chunk_words: Sequence[int] = CHUNK_WORDS,
    search_options: Options | None = None,
    open_options: Options | None = None,
) -> dict[str, dict[int, dict[str, dict[str, float]]]]:
    """Return the scores by method, budget, measure and query: the search with a budget, its leaves,
    and fixed chunks.
    """
    methods: dict[str, dict[int, dict[str, dict[str, float]]]] = {}
    with indexed_evidence(evidence, open_options) as kb:
        methods["default"] = {
            budget: score_contexts(search_within(kb, evidence, budget, search_options), evidence) for budget in budgets
        }
        leaves = search_leaves(kb, evidence)
        methods["leaves"] = {budget: score_contexts(cut_to_budget(leaves, budget), evidence) for budget in budgets}
    for words in chunk_words:
        chunks = cut_fixed(evidence.texts, words)
        with indexed_chunks(evidence, chunks, open_options) as kb:
            found = search_chunks(kb, evidence, chunks)
        methods[f"chunks of {words}"] = {
            budget: score_contexts(cut_to_budget(found, budget), evidence) for budget in budgets
        }
    return methods
