import pytest

from spaniel import Document, Pipeline
from spaniel.components.embedders import OnnxDocumentEmbedder, OnnxTextEmbedder
from spaniel.errors import ModelError


def test_a_query_and_a_document_of_one_text_have_one_vector(minilm, run_component):
    vector = run_component(OnnxTextEmbedder(minilm), text="A spaniel barks.")["embedding"]
    (document,) = run_component(OnnxDocumentEmbedder(minilm), documents=[Document(content="A spaniel barks.")])[
        "documents"
    ]
    assert len(vector) == 384
    assert document.embedding == vector


def test_several_texts_have_the_vectors_of_each(minilm):
    embedder = OnnxTextEmbedder(minilm)
    each = [embedder.run(text)["embedding"] for text in ("sun", "rain")]
    assert embedder.run_batch(["sun", "rain"])["embeddings"] == each


def test_metadata_prefix_and_suffix_are_part_of_the_text(minilm):
    embedder = OnnxDocumentEmbedder(
        minilm, prefix="p ", suffix=" s", meta_fields_to_embed=["title"], embedding_separator=": "
    )
    (document,) = embedder.run([Document(content="in Rome", meta={"title": "Pizza"})])["documents"]
    assert document.embedding == OnnxTextEmbedder(minilm).run("p Pizza: in Rome s")["embedding"]


def test_documents_keep_their_order_ids_and_content(minilm):
    given = [Document(content="word " * count, meta={"n": count}) for count in (3, 200, 1)]
    embedded = OnnxDocumentEmbedder(minilm).run(given)["documents"]
    assert [(each.id, each.content, each.meta) for each in embedded] == [
        (each.id, each.content, each.meta) for each in given
    ]
    assert all(document.embedding is None for document in given)


def test_an_absent_model_is_an_error_of_the_first_use():
    embedder = OnnxTextEmbedder("nowhere")
    with pytest.raises(ModelError, match="There is no model 'nowhere'"):
        embedder.warm_up()


@pytest.mark.parametrize(
    ("embedder", "given", "said"),
    [
        (OnnxTextEmbedder(), {"text": ["a"]}, "OnnxTextEmbedder expects a string, not list. Use OnnxDocumentEmbedder"),
        (OnnxDocumentEmbedder(), {"documents": "a"}, "expects a list of Documents. Use OnnxTextEmbedder"),
    ],
)
def test_an_input_of_another_type_names_the_other_embedder(embedder, given, said):
    with pytest.raises(TypeError, match=said):
        embedder.run(**given)


def test_a_pipeline_keeps_its_parameters(minilm):
    pipeline = Pipeline()
    pipeline.add_component("embed", OnnxTextEmbedder(minilm, prefix="q: "))
    again = Pipeline.loads(pipeline.dumps())
    assert again.run({"embed": {"text": "sun"}})["embed"] == pipeline.run({"embed": {"text": "sun"}})["embed"]
