import random

import pytest

from spaniel.document_stores.opensearch.filters.clauses import MAX_TERMS
from spaniel.document_stores.opensearch.filters.filter_query import filter_query
from spaniel.document_stores.opensearch.filters.partial_queries import MAX_QUERIES, clauses, filter_queries
from spaniel.document_stores.opensearch.schema.fields import Fields
from spaniel.document_stores.opensearch.schema.mapping import default_mapping
from tests.document_stores.opensearch.filters.filter_cases import LUCENE

FIELDS = Fields({"s": {"type": "keyword"}, "t": {"type": "keyword"}, "n": {"type": "long"}, "text": {"type": "text"}})


def ask(field, operator, value):
    return {"field": field, "operator": operator, "value": value}


def logic(operator, *conditions):
    return {"operator": operator, "conditions": list(conditions)}


def windows(number):
    """What is asked for the windows of hits."""
    return logic(
        "OR",
        *(
            logic("AND", ask("s", "==", str(each)), ask("n", ">=", each - 1), ask("n", "<=", each + 1))
            for each in range(number)
        ),
    )


def test_a_filter_that_no_document_can_pass_needs_no_query():
    assert filter_queries(ask("n", "==", "abc"), FIELDS) == []


def test_what_the_server_cannot_tell_is_checked():
    [query] = filter_queries(logic("AND", ask("s", "==", "a"), ask("text", "==", "b")), FIELDS)
    assert query.check
    assert query.query == {"bool": {"filter": [{"term": {"s": {"value": "a"}}}, {"exists": {"field": "text"}}]}}


def test_only_what_the_server_cannot_tell_is_checked():
    sure, rest = filter_queries(logic("OR", ask("s", "==", "a"), ask("text", "==", "b")), FIELDS)
    assert (sure.check, rest.check) == (False, True)
    assert sure.query == {"term": {"s": {"value": "a"}}}


def test_equalities_of_one_field_become_one_clause():
    either = logic("OR", *(ask("s", "==", str(number)) for number in range(5_000)))
    [query] = filter_queries(either, FIELDS)
    assert clauses(query.query) == 1


def test_a_list_longer_than_a_server_takes_becomes_several():
    query = filter_query(ask("s", "in", [str(number) for number in range(MAX_TERMS + 1)]), FIELDS)
    assert [len(each["terms"]["s"]) if "terms" in each else 1 for each in query["bool"]["should"]] == [MAX_TERMS, 1]


@pytest.mark.parametrize("number", [100, 500, 3_000])
def test_many_windows_become_queries_within_the_limit(number):
    queries = filter_queries(windows(number), FIELDS, 1_000)
    assert all(clauses(query) <= 1_000 and not check for query, check in queries)
    assert len(queries) == -(-number // 200)


def test_a_common_condition_stays_in_every_query():
    queries = filter_queries(logic("AND", ask("t", "==", "x"), windows(500)), FIELDS, 1_000)
    assert all({"term": {"t": {"value": "x"}}} in query["bool"]["filter"] for query, _ in queries)


def test_too_many_windows_become_their_sources():
    [query] = filter_queries(windows(200 * MAX_QUERIES + 1), FIELDS, 1_000)
    assert query.check
    assert query.query.keys() == {"terms"}


def test_a_large_negation_loses_conditions_and_is_checked():
    [query] = filter_queries(logic("NOT", windows(1_000)), FIELDS, 1_000)
    assert query.check
    assert 900 < clauses(query.query) <= 1_000


@pytest.mark.parametrize("limit", [1, 7, 50, 100_000])
def test_the_queries_find_all_that_passes_and_what_is_not_checked_passes(new_index, limit):
    index = new_index(default_mapping(3, LUCENE))
    index.write({str(number): {"s": str(number % 40), "n": number % 7, "t": str(number % 3)} for number in range(300)})
    fields, chosen = Fields(index.properties()), random.Random(limit)
    for _ in range(30):
        filters = some_filter(chosen, 3)
        [exact] = index.ids([filter_query(filters, fields)])
        queries = filter_queries(filters, fields, limit)
        answers = index.ids([query for query, _ in queries])
        assert exact <= set().union(*answers)
        assert all(check or found <= exact for (_, check), found in zip(queries, answers, strict=True))
        assert all(clauses(query) <= max(limit, 3) for query, _ in queries)


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


def test_a_server_takes_what_is_within_the_limits(new_index):
    index = new_index(default_mapping(3, LUCENE))
    index.write({str(number): {"s": str(number), "n": number, "t": "x"} for number in range(1_000)})
    fields = Fields(index.properties())
    queries = filter_queries(windows(1_000), fields)
    assert set().union(*index.ids([query for query, _ in queries])) == {str(number) for number in range(1_000)}
    [found] = index.ids([filter_query(ask("s", "in", [str(number) for number in range(100_000)]), fields)])
    assert len(found) == 1_000
