"""Documents of both libraries, made from the same fields."""

import haystack.dataclasses
from hypothesis import strategies as st

import spaniel.dataclasses

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NUMBERS = st.floats(allow_nan=False) | st.integers()
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT | st.dates() | st.datetimes(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
RESERVED = st.sampled_from(["content", "score", "id", "meta", "blob", "dataframe", "content_type", "id_hash_keys"])
META = st.dictionaries(TEXT | RESERVED, VALUES, max_size=4)
BLOBS = st.fixed_dictionaries({"data": st.binary(max_size=120), "meta": META, "mime_type": st.none() | TEXT})
SPARSE = st.lists(st.tuples(st.integers(0, 99), st.floats(allow_nan=False)), max_size=3).map(
    lambda pairs: {"indices": [index for index, _ in pairs], "values": [value for _, value in pairs]}
)
FIELDS = st.fixed_dictionaries(
    {},
    optional={
        "id": TEXT,
        "content": st.none() | TEXT | st.just("long " * 30),
        "blob": st.none() | BLOBS,
        "meta": META,
        "score": st.none() | st.floats(allow_nan=False),
        "embedding": st.none() | st.lists(NUMBERS, max_size=4),
        "sparse_embedding": st.none() | SPARSE,
    },
)


def document(fields, package=spaniel.dataclasses):
    """A document of `spaniel.dataclasses` or of `haystack.dataclasses`."""
    fields = dict(fields)
    if fields.get("blob"):
        fields["blob"] = package.ByteStream(**fields["blob"])
    if fields.get("sparse_embedding"):
        fields["sparse_embedding"] = package.SparseEmbedding(**fields["sparse_embedding"])
    return package.Document(**fields)


def haystack_document(fields):
    return document(fields, haystack.dataclasses)
