"""Scores over fields, forms and whole documents, beside a plain reference."""

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from spaniel._engine import KeywordIndex

PARAMETERS = {"k1": 1.2, "k3": 8.0, "whole": 0.25, "forms": 0.4, "weights": [1.0, 2.0], "b": [0.75, 0.75]}
STEMS = {"walk": "walk", "walks": "walk", "walked": "walk", "dog": "dog", "dogs": "dog", "cat": "cat", "sea": "sea"}


@dataclass
class Leaf:
    fields: list[list[str]]
    root: str | None = None


POOL = 200


def score_plainly(
    leaves: Mapping[int, Leaf], query: Mapping[str, int], p: Mapping[str, Any], pool: int | None
) -> dict[int, float]:
    """The formula of docs/scores.md, word for word.

    :param pool: the number of leaves, best first by their own score, whose wholes are scored.
    """
    wholes: dict[object, list[Leaf]] = {}
    for slot, leaf in leaves.items():
        wholes.setdefault(leaf.root or slot, []).append(leaf)
    lengths = [sum(len(leaf.fields[field]) for leaf in leaves.values()) for field in (0, 1)]

    def amount(parts: Sequence[Leaf], forms: Mapping[str, float], documents: int) -> float:
        total = 0.0
        for field in (0, 1):
            tokens = [token for part in parts for token in part.fields[field]]
            mean = lengths[field] / documents
            norm = 1 - p["b"][field] + (p["b"][field] * len(tokens) / mean if mean else 0)
            total += sum(a * p["weights"][field] * tokens.count(form) / norm for form, a in forms.items() if norm)
        return total

    own_scores, whole_scores = dict.fromkeys(leaves, 0.0), dict.fromkeys(leaves, 0.0)
    found = set[int]()
    for word, times in query.items():
        forms = {form: 1.0 if form == word else p["forms"] for form in STEMS if STEMS[form] == STEMS[word]}
        holders = {slot for slot, leaf in leaves.items() if any(form in f for f in leaf.fields for form in forms)}
        idf = math.log(1 + (len(leaves) - len(holders) + 0.5) / (len(holders) + 0.5))
        weight = (p["k3"] + 1) * times / (p["k3"] + times) * idf * (p["k1"] + 1)
        for slot, leaf in leaves.items():
            own = amount([leaf], forms, len(leaves))
            whole = amount(wholes[leaf.root or slot], forms, len(wholes))
            own_scores[slot] += weight * own / (p["k1"] + own)
            whole_scores[slot] += weight * p["whole"] * whole / (p["k1"] + whole)
        found |= holders
    best = sorted(found, key=lambda slot: (-own_scores[slot], slot))[:pool]
    return {slot: own_scores[slot] + whole_scores[slot] for slot in best}


def draw_leaf(draw: random.Random) -> Leaf:
    words = list(STEMS)
    root = draw.choice([None, None, *(f"root {number}" for number in range(5))])
    return Leaf([draw.choices(words, k=draw.randint(0, 12)), draw.choices(words, k=draw.randint(0, 3))], root)


def add(index: KeywordIndex, removed: Sequence[int], added: Mapping[int, Leaf]) -> None:
    leaves = list(added.values())
    others = [[leaf.fields[1] for leaf in leaves]]
    texts = [leaf.fields[0] for leaf in leaves]
    index.apply(removed, index.prepare(list(added), texts, others=others, roots=[leaf.root for leaf in leaves]))


def words_of(query: Mapping[str, int]) -> list[tuple[list[tuple[str, float]], float, float, bool]]:
    return [([(word, 1.0)], float(times), 1.0, True) for word, times in query.items()]


@pytest.mark.parametrize("seed", range(60))
def test_scores_after_random_writes_equal_the_plain_formula(seed: int) -> None:
    draw = random.Random(seed)
    index, leaves, slot = KeywordIndex(fields=2), dict[int, Leaf](), 0
    for _ in range(draw.randint(1, 10)):
        removed = [slot for slot in leaves if draw.random() < 0.2]
        added = {slot + 2 * place: draw_leaf(draw) for place in range(draw.randint(1, 60))}
        slot = max(added) + draw.randint(1, 3)
        add(index, removed, added)
        leaves = {slot: leaf for slot, leaf in leaves.items() if slot not in removed} | added
        query = {word: draw.choice([1, 1, 2]) for word in draw.sample(list(STEMS), draw.randint(1, 4))}
        p = PARAMETERS | {"whole": draw.choice([0.0, 0.25, 1.0]), "b": [draw.random(), draw.random()]}
        for top_k in (None, 3):
            expected = score_plainly(leaves, query, p, None if top_k is None else POOL)
            in_order = sorted(expected, key=lambda slot: (-expected[slot], slot))
            hits = index.search_words(words_of(query), parameters=p, languages=["english"], top_k=top_k)
            assert len(hits) == min(len(expected), top_k or len(expected))
            for (slot_found, score), best in zip(hits, in_order, strict=False):
                assert score == pytest.approx(expected[best], abs=1e-9)
                assert score == pytest.approx(expected[slot_found], abs=1e-9)
            explained = index.explain_words(
                words_of(query), [slot for slot, _ in hits], parameters=p, languages=["english"]
            )
            for (_, score), words in zip(hits, explained, strict=True):
                assert sum(word.score for word in words) == pytest.approx(score, abs=1e-9)


def test_large_results_are_scored_as_small_ones() -> None:
    draw = random.Random(1)
    index, leaves = KeywordIndex(fields=2), {slot: draw_leaf(draw) for slot in range(30_000)}
    add(index, [], {slot: Leaf(leaf.fields) for slot, leaf in leaves.items()})
    query = {"walked": 1, "dog": 2, "sea": 1}
    everything = index.search_words(words_of(query), parameters=PARAMETERS, languages=["english"], top_k=None)
    best = index.search_words(words_of(query), parameters=PARAMETERS, languages=["english"], top_k=20)
    assert best == everything[:20]


def test_a_word_of_a_heading_finds_the_document() -> None:
    index = KeywordIndex(fields=2)
    index.apply([], index.prepare([1, 2], ["They bark.", "A cat."], others=[["Dogs of war", "Cats"]]))
    hits = index.search_words([([("war", 1.0)], 1.0, 1.0, False)], parameters={}, languages=[], top_k=5)
    assert [slot for slot, _ in hits] == [1]
    (score,) = index.explain_words([([("war", 1.0)], 1.0, 1.0, False)], [1], parameters={}, languages=[])[0]
    assert (score.df, score.terms) == (1, [("war", 1, 1, 1.0, "exact")])


def test_documents_prepared_for_other_fields_are_refused() -> None:
    batch = KeywordIndex(fields=2).prepare([1], ["a"])
    with pytest.raises(ValueError, match="other fields"):
        KeywordIndex().apply([], batch)


@pytest.mark.parametrize(
    ("parameters", "error"),
    [({"k1": 0.0}, "k1 must be from 0.001"), ({"b": [2.0]}, "b must be from 0 to 1, not 2"), ({"k2": 1}, "'k2'")],
)
def test_parameters_out_of_range_are_refused(parameters: dict[str, Any], error: str) -> None:
    with pytest.raises(ValueError, match=error):
        KeywordIndex(fields=1).search_words([], parameters=parameters, languages=None, top_k=1)


def test_names_that_begin_like_a_mark_are_words_in_a_plain_index() -> None:
    index = KeywordIndex()
    index.apply([], index.prepare([1], [["\x0ea", "\x01b"]]))
    assert index.statistics()["vocabulary"] == 2


def search_titles(query: str, titles: Sequence[str], **parameters: Any) -> list[float]:
    """The score of a document per title, without a share of the whole document."""
    index, none = KeywordIndex("words", fields=2), [""] * len(titles)
    slots = list(range(len(titles)))
    index.apply([], index.prepare(slots, none, others=[titles], names=[titles]))
    found = index.search_words(query, parameters={"whole": 0.0, **parameters}, languages=["english"], top_k=None)
    return [dict(found).get(slot, 0.0) for slot in slots]


@pytest.mark.parametrize("query", ["dogs of war", "who wrote Dogs of war?"])
def test_a_document_is_found_by_its_name_before_those_with_its_words(query: str) -> None:
    named, longer, reverse = search_titles(query, ["Dogs of war", "Dogs of war again", "War of dogs"])
    assert named > longer > 0
    assert named > reverse


def test_a_part_of_a_title_is_a_name() -> None:
    film, _ = search_titles("dogs of war", ["Dogs of war (film)", "Film dogs of war"])
    plain, other = search_titles("dogs of war", ["Dogs of war (film)", "Film dogs of war"], names=0)
    assert film > plain == other


def test_a_name_has_its_own_amount_in_the_explanation() -> None:
    index = KeywordIndex("words", fields=2)
    index.apply([], index.prepare([1], ["A text."], others=[["Dogs"]], names=[["Dogs"]]))
    (word,) = index.explain_words("dogs", [1], parameters={"names": 3.0}, languages=["english"])[0]
    assert word.terms == [("dogs", 1, 1, 3.0, "name"), ("dogs", 1, 1, 1.0, "exact")]


def test_names_are_refused_for_fields_that_the_index_lacks() -> None:
    with pytest.raises(ValueError, match="has 1 fields"):
        KeywordIndex("words", fields=1).prepare([1], ["a"], names=[["b"]])


@pytest.mark.parametrize("share", [1.0, 0.9, 0.5])
def test_a_part_keeps_a_share_of_its_score_for_each_better_part_of_its_whole(share: float) -> None:
    draw = random.Random(7)
    index, leaves = KeywordIndex(fields=2), {slot: draw_leaf(draw) for slot in range(100)}
    add(index, [], leaves)
    query: dict[str, Any] = {"words": words_of({"dog": 1, "sea": 1}), "parameters": PARAMETERS, "languages": ["english"]}
    better: dict[str, int] = {}
    places = []
    for slot, score in index.search_words(**query, top_k=None):
        root = leaves[slot].root or str(slot)
        places.append((-score * share ** better.get(root, 0), slot, score))
        better[root] = better.get(root, 0) + 1
    expected = [(slot, score) for _, slot, score in sorted(places, key=lambda place: place[0])]
    assert index.search_words(**query, top_k=10, repeat_share=share) == expected[:10]
