import random

import pytest

from spaniel.document_stores.opensearch.filters.clauses import MAX_TERMS
from spaniel.document_stores.opensearch.filters.partial_queries import MAX_QUERIES, count_clauses
from spaniel.document_stores.opensearch.schema.fields import Fields
from spaniel.document_stores.opensearch.schema.mapping import default_mapping
from tests.document_stores.opensearch.filters.filter_cases import LUCENE
from tests.document_stores.opensearch.filters.queries import queries_of, query_of

FIELDS = Fields({"s": {"type": "keyword"}, "t": {"type": "keyword"}, "n": {"type": "long"}, "text": {"type": "text"}})


def ask(field, operator, value):
    return {"field": field, "operator": operator, "value": value}


def logic(operator, *conditions):
    return {"operator": operator, "conditions": list(conditions)}


def windows(number):
    """The filter for the windows of hits."""
    return logic(
        "OR",
        *(
            logic("AND", ask("s", "==", str(each)), ask("n", ">=", each - 1), ask("n", "<=", each + 1))
            for each in range(number)
        ),
    )


def test_impossible_filter_needs_no_query():
    assert queries_of(ask("n", "==", "abc"), FIELDS) == []


def test_inexact_conditions_are_verified():
    [query] = queries_of(logic("AND", ask("s", "==", "a"), ask("text", "==", "b")), FIELDS)
    assert query.verify
    assert query.query == {"bool": {"filter": [{"term": {"s": {"value": "a"}}}, {"exists": {"field": "text"}}]}}


def test_exact_alternatives_are_not_verified():
    sure, rest = queries_of(logic("OR", ask("s", "==", "a"), ask("text", "==", "b")), FIELDS)
    assert (sure.verify, rest.verify) == (False, True)
    assert sure.query == {"term": {"s": {"value": "a"}}}


def test_equalities_of_a_field_become_a_single_clause():
    either = logic("OR", *(ask("s", "==", str(number)) for number in range(5_000)))
    [query] = queries_of(either, FIELDS)
    assert count_clauses(query.query) == 1


def test_overlong_list_is_split():
    query = query_of(ask("s", "in", [str(number) for number in range(MAX_TERMS + 1)]), FIELDS)
    assert [len(each["terms"]["s"]) if "terms" in each else 1 for each in query["bool"]["should"]] == [MAX_TERMS, 1]


@pytest.mark.parametrize("number", [100, 500, 3_000])
def test_many_windows_are_split_within_the_limit(number):
    queries = queries_of(windows(number), FIELDS, 1_000)
    assert all(count_clauses(query) <= 1_000 and not check for query, check in queries)
    assert len(queries) == -(-number // 200)


def test_common_condition_is_in_every_query():
    queries = queries_of(logic("AND", ask("t", "==", "x"), windows(500)), FIELDS, 1_000)
    assert all({"term": {"t": {"value": "x"}}} in query["bool"]["filter"] for query, _ in queries)


def test_too_many_windows_are_reduced_to_their_sources():
    [query] = queries_of(windows(200 * MAX_QUERIES + 1), FIELDS, 1_000)
    assert query.verify
    assert query.query.keys() == {"terms"}


def test_large_negation_drops_conditions_and_is_verified():
    [query] = queries_of(logic("NOT", windows(1_000)), FIELDS, 1_000)
    assert query.verify
    assert 900 < count_clauses(query.query) <= 1_000


@pytest.mark.parametrize("limit", [1, 7, 50, 100_000])
def test_split_queries_cover_the_filter(new_index, limit):
    index = new_index(default_mapping(3, LUCENE))
    index.write({str(number): {"s": str(number % 40), "n": number % 7, "t": str(number % 3)} for number in range(300)})
    fields, chosen = Fields(index.properties()), random.Random(limit)
    for _ in range(30):
        filters = some_filter(chosen, 3)
        [exact] = index.ids([query_of(filters, fields)])
        queries = queries_of(filters, fields, limit)
        answers = index.ids([query for query, _ in queries])
        assert exact <= set().union(*answers)
        assert all(check or found <= exact for (_, check), found in zip(queries, answers, strict=True))
        assert all(count_clauses(query) <= max(limit, 3) for query, _ in queries)


def some_filter(chosen, depth):
    if depth == 0 or chosen.random() < 0.2:
        return chosen.choice(
            [
                ask("s", "==", str(chosen.randrange(40))),
                ask("n", ">", chosen.randrange(7)),
                ask("t", "!=", "1"),
                ask("n", "in", [1, 2]),
            ]
        )
    conditions = [some_filter(chosen, depth - 1) for _ in range(chosen.randrange(1, 7))]
    return logic(chosen.choice(["AND", "OR", "OR", "NOT"]), *conditions)


def test_server_accepts_queries_within_the_limits(new_index):
    index = new_index(default_mapping(3, LUCENE))
    index.write({str(number): {"s": str(number), "n": number, "t": "x"} for number in range(1_000)})
    fields = Fields(index.properties())
    queries = queries_of(windows(1_000), fields)
    assert set().union(*index.ids([query for query, _ in queries])) == {str(number) for number in range(1_000)}
    [found] = index.ids([query_of(ask("s", "in", [str(number) for number in range(100_000)]), fields)])
    assert len(found) == 1_000
