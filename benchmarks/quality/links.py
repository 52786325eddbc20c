"""All gold passages of a question within a budget: links followed, not followed, and shuffled."""

import json
import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.quality.contexts import DEPTH, cut_fixed, indexed_chunks, locate, score_contexts
from benchmarks.quality.evidence import Evidence, read_sentences
from benchmarks.quality.ours import Options, indexed, passage_of
from spaniel.evaluation import JudgedSet, fill_budget, find_all
from spaniel.knowledge_base import KnowledgeBase
from spaniel.strategies.lengths import estimate_tokens

BUDGETS = {"hotpotqa100": 450, "musique100": 500}
"""Tokens of a context, by set."""
FACTS = {"hotpotqa100"}
"""Sets that name the sentences that decide a question."""
FOLLOW = {"follow": ["links"]}
_SEED = 16
Found = dict[str, dict[str, float]]
"""By measure, the score of each query by its id: `all`, `share`, `tokens`, and
`facts`: if all deciding
sentences are in the context."""


def measure_links(
    judged: JudgedSet, search_options: Options | None = None, open_options: Options | None = None
) -> dict[str, Found]:
    """Return by method if all gold passages of a query are in its context."""
    budget, options = BUDGETS[judged.name], dict(search_options or {})
    methods: dict[str, Found] = {}
    with linked(judged) as other, indexed(other, open_options) as kb:
        methods["links not followed"] = _measure(kb, judged, budget, options)
        methods["links followed"] = _measure(kb, judged, budget, options | FOLLOW)
    with linked(judged, is_shuffled=True) as other, indexed(other, open_options) as kb:
        methods["shuffled links followed"] = _measure(kb, judged, budget, options | FOLLOW)
    methods["whole passages"] = _measure_whole_passages(judged, budget, open_options)
    return methods


@contextmanager
def linked(judged: JudgedSet, *, is_shuffled: bool = False) -> Iterator[JudgedSet]:
    """Give the set with its links as addresses of rows.

    :param is_shuffled: each passage has as many links, to passages drawn from all links.
    """
    passages = list(judged.read_passages())
    targets = [f"{judged.corpus.name}#{id}" for passage in passages for id in passage["metadata"]["links"]]
    if is_shuffled:
        random.Random(_SEED).shuffle(targets)
    drawn = iter(targets)
    with TemporaryDirectory() as folder:
        path = Path(folder, judged.corpus.name)
        with path.open("w", encoding="utf-8") as file:
            for passage in passages:
                passage["metadata"]["links"] = [next(drawn) for _ in passage["metadata"]["links"]]
                file.write(json.dumps(passage) + "\n")
        yield replace(judged, corpus=path)


def _measure(kb: KnowledgeBase, judged: JudgedSet, budget: int, options: dict[str, Any]) -> Found:
    found: Found = {"all": {}, "share": {}, "tokens": {}}
    results = {query: kb.search(text, **{"budget": budget} | options) for query, text in judged.queries.items()}
    for query, passages in results.items():
        tokens = sum(estimate_tokens(result.text) for result in passages)
        _add(found, query, {passage_of(result) for result in passages}, judged, tokens)
    if judged.name in FACTS:
        evidence = read_sentences(judged)
        contexts = {query: [locate(result, evidence) for result in results[query]] for query in evidence.relevant}
        found["facts"] = score_contexts(contexts, evidence)["kept"]
    return found


def _measure_whole_passages(judged: JudgedSet, budget: int, options: Options | None) -> Found:
    """Return the scores of the best passages, each with its whole text, without links."""
    rows = {passage["_id"]: passage for passage in judged.read_passages()}
    texts = {id: row["text"] for id, row in rows.items()}
    titles = {id: row["title"] for id, row in rows.items()}
    evidence = Evidence(judged, texts, titles, {}, files=False)
    chunks = cut_fixed(texts, None)
    found: Found = {"all": {}, "share": {}, "tokens": {}}
    with indexed_chunks(evidence, chunks, options) as kb:
        for query, text in judged.queries.items():
            results = list(kb.search(text, top_k=DEPTH))
            sizes = [estimate_tokens(result.text) for result in results]
            places = fill_budget(sizes, budget)
            passages = {chunks[results[place].id].source for place in places}
            _add(found, query, passages, judged, sum(sizes[place] for place in places))
    return found


def _add(found: Found, query: str, passages: set[str], judged: JudgedSet, tokens: int) -> None:
    gold: Mapping[str, int] = judged.judgments[query]
    found["all"][query] = find_all(passages, gold)
    found["share"][query] = len(passages & gold.keys()) / len(gold)
    found["tokens"][query] = float(tokens)
