"""Documents with a type per field, and filters for them."""

from hypothesis import strategies as st

LUCENE = {"name": "hnsw", "engine": "lucene", "space_type": "l2"}
"""A vector index that every server can create: not all have native libraries."""

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
]
LONG = ["x" * 10_922, "x" * 10_923, "é" * 11_000, "a" + "y" * 33_000 + "b"]
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
]
NO_ISO_DATES = ["20240501", "2024", "2024-05", "May 1 2024"]
NUMBERS = [0, -0.0, 1, 1.0, -1, 2, 1.5, 0.1, 2**53 - 1, 2**53, 2**53 + 1, float(2**53), 2**60 + 1, -(2**60) - 1]
NUMBERS += [1e300, -1e300, 5e-324, 2**63 - 1, -(2**63), 2**63, 2**70]

words = st.sampled_from(WORDS) | st.text(st.sampled_from("ab*?\\%_ é"), max_size=4)
dates = st.sampled_from(DATES)
numbers = st.sampled_from(NUMBERS)
booleans = st.booleans()

FIELDS = {
    "word": words,
    "text": st.sampled_from(WORDS + LONG),
    "number": numbers,
    "flag": booleans,
    "date": dates,
    "list words": st.lists(words, max_size=3),
    # As a double, 2**63 equals the largest integers: within a list, they are not distinguished.
    "list numbers": st.lists(numbers.filter(lambda number: number != 2**63), max_size=3),
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
    "meta.id": words,
    "entry.word": words,
    "entry.number": numbers,
    "entry.flag": booleans,
}
DOTTED = {"a.dotted.key"}
NESTED = ["entry"]
OTHERS = ["never", "author.never", "author", "entry", "content", "embedding", "id"]

LISTED = ["in", "not in", "contains any", "contains all"]
ORDERED = [">", ">=", "<", "<="]
PATTERNS = ["like", "not like"]
OPERATORS = ["==", "!=", "contains", "not contains", "starts with", *LISTED, *ORDERED, *PATTERNS]
# In nested objects, nothing says which values are lists.
WITHOUT_LISTS = [operator for operator in OPERATORS if "contains" not in operator]

any_value = st.one_of(st.none(), words, st.sampled_from(DATES + NO_ISO_DATES), numbers, booleans)
ordered_values = st.one_of(st.sampled_from([*DATES, "May 1 2024"]), numbers, booleans, st.none())
patterns = st.text(st.sampled_from("%_\\ab*?é "), max_size=6) | words


@st.composite
def metas(draw):
    """The metadata of a document."""
    meta = {}
    for name, values in FIELDS.items():
        if draw(st.integers(0, 3)):
            _put(meta, name, draw(values))
    return meta


def _put(meta, name, value):
    *outer, last = [name] if name in DOTTED else name.removeprefix("meta.").split(".")
    for step in outer:
        meta = meta.setdefault(step, {})
    meta[last] = value


def _elements(name):
    """Values of a field in a document, or elements of its list."""
    own = FIELDS.get(name, st.none())
    return own.map(lambda value: value[0] if value else None) if name.startswith("list") else own


# A filter asks mostly for values of the field's own type.
VALUES = {name: st.one_of(_elements(name), _elements(name), _elements(name), any_value) for name in [*FIELDS, *OTHERS]}
VALUES["id"] = st.sampled_from(["0", "1", "2", "a", None])


@st.composite
def comparisons(draw):
    name = draw(st.sampled_from([*FIELDS, *FIELDS, *OTHERS]))
    operator = draw(st.sampled_from(WITHOUT_LISTS if name in ("entry.number", "entry.flag") else OPERATORS))
    prefix = "meta." if name in FIELDS and not name.startswith("meta.") and draw(booleans) else ""
    return {"field": prefix + name, "operator": operator, "value": draw(_operands(name, operator))}


def _operands(name, operator):
    values = VALUES[name]
    if operator in ORDERED:
        kind = dates if "date" in name or "born" in name else numbers
        return kind | ordered_values
    if operator in LISTED:
        return st.lists(values, max_size=4)
    if operator in PATTERNS:
        return patterns | values
    return values | FIELDS[name] if operator in ("==", "!=") and name.startswith("list") else values


def filters(max_leaves=5):
    return st.recursive(
        comparisons(),
        lambda inner: st.builds(
            lambda operator, conditions: {"operator": operator, "conditions": conditions},
            st.sampled_from(["AND", "OR", "NOT"]),
            st.lists(inner, max_size=3),
        ),
        max_leaves=max_leaves,
    )


class Many(list):
    """A list without a long repr: a failure names the items that matter."""

    def __repr__(self):
        return f"<{len(self)} items>"


def many(items, smallest, largest=None):
    return st.lists(items, min_size=smallest, max_size=largest or smallest).map(Many)
