"""Any filter finds on a server what the reference evaluator passes."""

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from spaniel import Document
from spaniel.document_stores.opensearch.fields import Fields
from spaniel.document_stores.opensearch.filter_query import filter_query
from spaniel.document_stores.opensearch.filter_split import filter_queries
from spaniel.document_stores.opensearch.mapping import MARKS, default_mapping, marks
from spaniel.filters import parse_filter
from tests.document_stores.opensearch.reference import passes

EXAMPLES, FILTERS = 200, 30

WORDS = [
    "",
    "a",
    "ab",
    "abc",
    "ABC",
    "a b",
    "*",
    "a*b",
    "a?b",
    "a\\b",
    "100%",
    "a_b",
    "Straße",
    "é",
    "日本",
    "😀",
    '"',
    "5",
    "true",
]
LONG = ["x" * 10_922, "x" * 10_923, "ab" * 6_000, "é" * 20_000, "a" + "y" * 40_000 + "b"]
DATES = [
    "2024-05-01",
    "2024-05-01T00:00:00Z",
    "2024-05-01T02:00:00+02:00",
    "2024-05-01 00:00:00",
    "2024-05-01T10:30",
    "2024-05-01T10:30:00.5",
    "2024-05-01T10:30:00.500001Z",
    "2024-05-01T10:30:00.5009+00:00",
    "2024-04-30T22:30:00.500-1200",
    "2024-04-30T20:00:00-04",
    "1969-07-21T20:17:40",
    "1969-12-31T23:59:59.999999Z",
    "0001-01-01",
    "9999-12-31T23:59:59.999999",
    "2024-12-31T12",
    "20240501",
    "2024",
    "2024-05",
]
NUMBERS = [
    0,
    -0.0,
    1,
    1.0,
    -1,
    2,
    1.5,
    0.1,
    2**53 - 1,
    2**53,
    2**53 + 1,
    float(2**53),
    2**60 + 1,
    -(2**60) - 1,
    1e300,
    -1e300,
    5e-324,
]
NUMBERS += [2**63 - 1, -(2**63), 2**63, 2**70]

words = st.sampled_from(WORDS) | st.text(st.sampled_from("ab*?\\%_ é"), max_size=4)
texts = words | st.sampled_from(LONG)
dates = st.sampled_from(DATES[:-3])
numbers = st.sampled_from(NUMBERS) | st.integers(-3, 3)
booleans = st.booleans()

# Each field has one type; a field whose name starts with "list" holds lists.
VALUES = {
    "word": words,
    "text": texts,
    "number": numbers,
    "flag": booleans,
    "date": dates,
    "list words": st.lists(words, max_size=3),
    "list numbers": st.lists(numbers, max_size=3),
    "list flags": st.lists(booleans, max_size=3),
    "list dates": st.lists(dates, max_size=2),
    "author.name": words,
    "author.born": dates,
    "author.books.count": numbers,
    "a.dotted.key": words,
    'odd "name" ü': words,
    "star*": words,
    "star*n": numbers,
    "_lead": booleans,
    "id": st.none(),
    "meta.id": words,
    "entry.word": words,
    "entry.number": numbers,
    "entry.flag": booleans,
}
NEVER = ["never", "author.never", "author", "entry", "content", "embedding"]
DOTTED = {"a.dotted.key"}

any_value = st.none() | texts | st.sampled_from(DATES) | numbers | booleans
fitting = {name: st.none() | texts | st.sampled_from(DATES) for name in ("word", "text", "date")}


def put(meta, name, value):
    if name in DOTTED:
        meta[name] = value
        return
    *outer, last = name.removeprefix("meta.").split(".")
    for step in outer:
        meta = meta.setdefault(step, {})
    meta[last] = value


@st.composite
def documents(draw):
    meta = {}
    for name in draw(st.lists(st.sampled_from([name for name in VALUES if name != "id"]), unique=True)):
        value = draw(VALUES[name])
        put(meta, name, value)
    return meta


ORDERED = numbers | booleans | st.none() | st.sampled_from([date for date in DATES if len(date) > 7])
PATTERN = st.text(st.sampled_from("%_\\ab*?é "), max_size=6) | words


@st.composite
def comparisons(draw):
    name = draw(st.sampled_from([*VALUES, *NEVER]))
    like = VALUES.get(name, st.none())
    own = like.flatmap(lambda value: st.sampled_from(value) if isinstance(value, list) and value else st.just(value))
    value = own | any_value if name not in NEVER[2:] else any_value
    operator = draw(st.sampled_from(OPERATORS_OF.get(name, ALL_OPERATORS)))
    if operator in (">", ">=", "<", "<="):
        given_value = draw(ORDERED)
    elif operator in ("in", "not in", "contains any", "contains all"):
        given_value = draw(st.lists(value, max_size=4))
    elif operator in ("like", "not like"):
        given_value = draw(PATTERN | any_value)
    else:
        given_value = draw(
            value | (st.lists(own, max_size=2) if operator in ("==", "!=") and name in VALUES else value)
        )
    return {
        "field": draw(st.sampled_from([name, f"meta.{name}"]))
        if name not in ("id", "meta.id", "content", "embedding")
        else name,
        "operator": operator,
        "value": given_value,
    }


ALL_OPERATORS = [
    "==",
    "!=",
    ">",
    ">=",
    "<",
    "<=",
    "in",
    "not in",
    "contains",
    "not contains",
    "contains any",
    "contains all",
]
ALL_OPERATORS += ["starts with", "like", "not like"]
# In nested objects, nothing says which values are lists.
OPERATORS_OF = dict.fromkeys(["entry.number", "entry.flag"], [each for each in ALL_OPERATORS if "contains" not in each])

filters = st.recursive(
    comparisons(),
    lambda inner: st.builds(
        lambda operator, conditions: {"operator": operator, "conditions": conditions},
        st.sampled_from(["AND", "OR", "NOT"]),
        st.lists(inner, max_size=3),
    ),
    max_leaves=5,
)


@pytest.fixture(scope="module")
def index(client):
    from tests.document_stores.opensearch.conftest import RawIndex

    index = RawIndex(
        client,
        "osfilters-property",
        default_mapping(3, {"name": "hnsw", "engine": "lucene", "space_type": "l2"}, ["entry"]),
    )
    yield index
    client.indices.delete(index="osfilters-property")


def source(document):
    flat = document.to_dict()
    return flat | {MARKS: marks(flat)}


@given(st.lists(documents(), min_size=3, max_size=8), st.lists(filters, min_size=FILTERS, max_size=FILTERS))
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize=True,
    phases=[Phase.generate],
    report_multiple_bugs=False,
)
def test_a_filter_finds_what_the_reference_passes(index, metas, filters):
    stored = {str(number): Document(id=str(number), meta=meta) for number, meta in enumerate(metas)}
    index.client.delete_by_query(index=index.name, body={"query": {"match_all": {}}}, params={"refresh": "true"})
    index.write({key: source(document) for key, document in stored.items()})
    fields = Fields(index.properties())

    def found(queries):
        return iter(index.ids(queries))

    partial = [filter_queries(each, fields) for each in filters]
    answers = found([query for queries in partial for query, _ in queries])
    for each, queries in zip(filters, partial, strict=True):
        node = parse_filter(each)
        expected = {key for key, document in stored.items() if passes(node, document)}
        got = set()
        for _, check in queries:
            ids = next(answers)
            got |= {key for key in ids if passes(node, stored[key])} if check else ids
        assert got == expected, (
            each,
            [query for query, _ in queries],
            got,
            expected,
            {key: stored[key].meta for key in got ^ expected},
        )
