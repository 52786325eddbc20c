"""The score of a ranking within budgets of tokens, as a curve."""

from collections.abc import Callable, Sequence


def fill_budget(tokens: Sequence[int], budget: int) -> list[int]:
    """Return the places of the passages taken within a budget: best first, each one that fits.

    :param tokens: the tokens of each passage, in the order of the ranking.
    :param budget: maximum number of tokens of all passages.

    >>> fill_budget([300, 200, 100], 400)
    [0, 2]
    """
    taken, spent = [], 0
    for place, size in enumerate(tokens):
        if spent + size <= budget:
            taken.append(place)
            spent += size
    return taken


def score_within_budgets(
    tokens: Sequence[int], budgets: Sequence[int], score: Callable[[list[int]], float]
) -> list[float]:
    """Return the score of a ranking for each budget, such as its recall against the tokens spent.

    :param tokens: the tokens of each passage, best first.
    :param budgets: maximum numbers of tokens.
    :param score: gets the places of the passages that fit, and returns their score.

    >>> score_within_budgets([300, 200, 100], [100, 400, 800], lambda places: len(places) / 3)
    [0.3333333333333333, 0.6666666666666666, 1.0]
    """
    return [score(fill_budget(tokens, budget)) for budget in budgets]
