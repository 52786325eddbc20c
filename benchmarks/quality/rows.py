"""Rows of means, differences and p-values, from the scores of queries."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import fsum
from typing import Any

from benchmarks.quality.links import BUDGETS
from benchmarks.quality.measuring import OURS, Quality
from benchmarks.quality.ranking import Scores
from benchmarks.quality.sets import SETS
from spaniel.evaluation import Comparison, Part, compare_over_sets, correct_holm
from spaniel.evaluation.judged_set import part_of

Row = dict[str, Any]
ByQuery = Mapping[str, float]
MEANS = {"mean, English": ("english",), "mean": ("english", "german", "chinese")}
"""Rows over several sets, by the languages of these."""
_DEFAULT, _NOT_FOLLOWED = "default", "links not followed"


def make_rows(quality: Quality, part: Part) -> dict[str, list[Row]]:
    """Return the rows of a part of the queries, by the kind of measurement."""
    return {
        "rankings": [*_ranking_rows(quality, part)],
        "contexts": [*_context_rows(quality, part)],
        "links": [*_link_rows(quality, part)],
    }


def _ranking_rows(quality: Quality, part: Part) -> Iterator[Row]:
    sets = quality.rankings
    measures = dict.fromkeys(name for methods in sets.values() for name in methods[OURS])
    methods = dict.fromkeys(method for by_method in sets.values() for method in by_method)
    for measure in measures:
        for method in methods:
            pairs = {
                name: (_take(found[OURS][measure], part), _take(found[method][measure], part))
                for name, found in sets.items()
                if method in found
            }
            rows = [_ranking_row(name, method, measure, [pair]) for name, pair in pairs.items() if pair[0]]
            if method != OURS:
                for row, p in zip(rows, correct_holm([row["p"] for row in rows]), strict=True):
                    row["p_holm"] = p
            yield from rows
            for label, languages in MEANS.items():
                chosen = [pair for name, pair in pairs.items() if pair[0] and SETS[name].language in languages]
                if len(chosen) > 1 and (len(languages) == 1 or not _is_english(pairs)):
                    yield _ranking_row(label, method, measure, chosen)


def _ranking_row(name: str, method: str, measure: str, pairs: Sequence[tuple[ByQuery, ByQuery]]) -> Row:
    row: Row = {"set": name, "method": method, "measure": measure, "queries": sum(len(ours) for ours, _ in pairs)}
    row["score"] = fsum(_mean(theirs) for _, theirs in pairs) / len(pairs)
    return row if method == OURS else row | _compared(compare_over_sets(pairs))


def _context_rows(quality: Quality, part: Part) -> Iterator[Row]:
    for name, methods in quality.contexts.items():
        for method, budgets in methods.items():
            for budget, scores in budgets.items():
                ours, theirs = (_take(methods[which][budget]["recall"], part) for which in (_DEFAULT, method))
                if ours:
                    row = {"set": name, "method": method, "budget": budget} | _means(scores, part)
                    yield row if method == _DEFAULT else row | _compared(compare_over_sets([(ours, theirs)]))


def _link_rows(quality: Quality, part: Part) -> Iterator[Row]:
    for name, methods in quality.links.items():
        for method, scores in methods.items():
            theirs, ours = (_take(methods[which]["all"], part) for which in (_NOT_FOLLOWED, method))
            if not ours:
                continue
            own = compare_over_sets([(ours, dict.fromkeys(ours, 0.0))])
            row = {"set": name, "method": method, "budget": BUDGETS[name], "all_low": own.low, "all_high": own.high}
            row |= _means(scores, part)
            yield row if method == _NOT_FOLLOWED else row | _compared(compare_over_sets([(ours, theirs)]))


def _is_english(sets: Iterable[str]) -> bool:
    return all(SETS[name].language == "english" for name in sets)


def _means(scores: Scores, part: Part) -> Row:
    taken = {name: _take(values, part) for name, values in scores.items()}
    queries = {"queries": len(next(iter(taken.values())))}
    return queries | {name: _mean(values) for name, values in taken.items() if values}


def _compared(comparison: Comparison) -> Row:
    return {name: getattr(comparison, name) for name in ("difference", "p", "low", "high")}


def _take(scores: ByQuery, part: Part) -> dict[str, float]:
    return {query: score for query, score in scores.items() if part in ("all", part_of(query))}


def _mean(scores: ByQuery) -> float:
    return fsum(scores.values()) / len(scores)
