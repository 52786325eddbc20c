import orjson
from hypothesis import given
from hypothesis import strategies as st

from spaniel import Document
from spaniel.dataclasses import ByteStream, SparseEmbedding
from spaniel.document_stores.opensearch.schema.document_source import KEPT, document_of, source_of
from spaniel.document_stores.opensearch.transport.http_request import dumped

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
def test_a_document_comes_back_as_it_went(document, leaves):
    source = orjson.loads(dumped(source_of(document, search_leaves=leaves)))
    assert document_of({"_id": document.id, "_source": source}) == document


def test_a_document_with_children_is_kept_where_only_leaves_are_searched():
    parent = Document(id="p", content="text", embedding=[1.0], meta={"__children_ids": ["c"]})
    assert "content" not in source_of(parent, search_leaves=True)
    assert "embedding" not in source_of(parent, search_leaves=True)


def test_a_document_of_another_index_takes_the_id_of_its_hit():
    assert document_of({"_id": "7", "_source": {"content": "a"}}).id == "7"


def test_a_field_of_another_index_that_is_called_content_and_is_no_text_becomes_text():
    assert document_of({"_id": "7", "_source": {"content": ["a", "b"]}}).content == "a b"


def test_the_layout_is_that_of_flattened_documents():
    document = Document(id="1", content="a", meta={"year": 2020})
    theirs = {key: value for key, value in document.to_dict().items() if value is not None}
    assert source_of(document) == theirs
