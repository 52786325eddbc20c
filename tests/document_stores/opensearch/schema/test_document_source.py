import orjson
from hypothesis import given
from hypothesis import strategies as st

from spaniel import Document
from spaniel.dataclasses import ByteStream, SparseEmbedding
from spaniel.document_stores.opensearch.schema.document_source import KEPT, to_document, to_source
from spaniel.document_stores.opensearch.transport.http_request import to_json

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
numbers = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner) | st.dictionaries(texts, inner),
    max_leaves=4,
)
keys = texts.filter(lambda key: key not in {KEPT, "_routing"}) | st.sampled_from(
    ["content", "meta", "score", "id", "__level"]
)
documents = st.builds(
    Document,
    id=st.text("abc", min_size=1),
    content=st.none() | texts,
    meta=st.dictionaries(keys, values, max_size=4),
    score=st.none() | st.floats(-10, 10),
    embedding=st.none() | st.lists(st.floats(-1, 1), min_size=1, max_size=3),
    blob=st.none() | st.builds(ByteStream, data=st.binary(max_size=4), mime_type=st.none() | texts),
    sparse_embedding=st.none() | st.just(SparseEmbedding([1, 5], [0.5, 0.25])),
)


@given(documents, st.booleans())
def test_document_survives_a_round_trip(document, leaves):
    source = orjson.loads(to_json(to_source(document, search_leaves=leaves)))
    assert to_document({"_id": document.id, "_source": source}) == document


def test_parents_are_not_searchable_with_leaves_only():
    parent = Document(id="p", content="text", embedding=[1.0], meta={"__children_ids": ["c"]})
    assert "content" not in to_source(parent, search_leaves=True)
    assert "embedding" not in to_source(parent, search_leaves=True)


def test_foreign_document_has_the_id_of_its_hit():
    assert to_document({"_id": "7", "_source": {"content": "a"}}).id == "7"


def test_foreign_content_of_another_type_becomes_text():
    assert to_document({"_id": "7", "_source": {"content": ["a", "b"]}}).content == "a b"


def test_layout_equals_flattened_documents():
    document = Document(id="1", content="a", meta={"year": 2020})
    theirs = {key: value for key, value in document.to_dict().items() if value is not None}
    assert to_source(document) == theirs
