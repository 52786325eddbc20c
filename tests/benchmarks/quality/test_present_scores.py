"""The default search keeps its quality: a slice of `make quality` on the held-out halves."""

import pytest

from benchmarks.quality.contexts import indexed_evidence, score_contexts, search_within
from benchmarks.quality.evidence import read_articles, read_sentences
from benchmarks.quality.ranking import score_ours
from benchmarks.quality.sets import DATA, read_set
from spaniel.evaluation import mean_scores

FLOORS = {"scifact": 0.72, "hotpotqa100": 0.78, "musique100": 0.64, "xquad_en": 0.97}
"""nDCG@10 of the default search on the held-out halves; raise one when the search gets better."""
KEPT_FLOORS = {("xquad_en", 400): 0.96, ("scifact", 400): 0.70}
"""Span recall of `search(query, budget=tokens)` on the held-out halves."""

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"the judged sets are not in {DATA}")


@pytest.mark.parametrize("name", FLOORS)
def test_the_default_ranking(name):
    scores = mean_scores(score_ours(read_set(name, "held-out"), ["nDCG@10"]))

    assert scores["nDCG@10"] >= FLOORS[name]


@pytest.mark.parametrize(("name", "budget"), KEPT_FLOORS)
def test_the_text_within_a_budget(name, budget):
    evidence = {"xquad_en": read_articles, "scifact": read_sentences}[name](read_set(name, "held-out"))

    with indexed_evidence(evidence) as kb:
        scores = score_contexts(search_within(kb, evidence, budget), evidence)

    means = mean_scores(scores)
    assert means["recall"] >= KEPT_FLOORS[name, budget]
    assert max(scores["tokens"].values()) <= budget
