import sys
from types import ModuleType

import numpy as np
import pytest

from spaniel import Document
from spaniel.components.embedders import (
    OnnxTextEmbedder,
    SentenceTransformersDocumentEmbedder,
    SentenceTransformersTextEmbedder,
)
from spaniel.errors import ModelError


@pytest.fixture
def library(monkeypatch):
    """A replacement of the package: its model counts characters, and records how it is called."""
    calls = []

    class SentenceTransformer:
        def __init__(self, name, **options):
            calls.append((name, options))

        def get_sentence_embedding_dimension(self):
            return 2

        def encode(self, texts, **options):
            calls.append((texts, options))
            return np.array([[len(text), 1.0] for text in texts], np.float32)

    module = ModuleType("sentence_transformers")
    module.SentenceTransformer = SentenceTransformer
    module.__spec__ = object()
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    return calls


def test_the_package_computes_where_it_is_installed(library, run_component):
    embedder = SentenceTransformersTextEmbedder("a/b", device="cpu", prefix="q: ", normalize_embeddings=True)
    assert run_component(embedder, text="sun")["embedding"] == [6.0, 1.0]
    (name, options), (texts, encode_options) = library
    assert (name, options["device"], options["trust_remote_code"]) == ("a/b", "cpu", False)
    assert texts == ["q: sun"]
    assert (encode_options["normalize_embeddings"], encode_options["batch_size"]) == (True, 32)


def test_documents_have_the_vectors_of_their_texts(library, run_component):
    embedder = SentenceTransformersDocumentEmbedder("a/b", meta_fields_to_embed=["t"], embedding_separator="-")
    (document,) = run_component(embedder, documents=[Document(content="sun", meta={"t": "T"})])["documents"]
    assert document.embedding == [5.0, 1.0]


def test_without_the_package_the_model_in_onnx_format_computes(minilm):
    model = f"sentence-transformers/{minilm}"
    vector = SentenceTransformersTextEmbedder(model).run("A spaniel barks.")["embedding"]
    assert vector == OnnxTextEmbedder(minilm).run("A spaniel barks.")["embedding"]


def test_an_alias_names_another_model(minilm, monkeypatch):
    monkeypatch.setenv("SPANIEL_MODEL_ALIASES", f"all-mpnet-base-v2={minilm}")
    embedder = SentenceTransformersDocumentEmbedder()
    assert len(embedder.run([Document(content="sun")])["documents"][0].embedding) == 384


def test_without_both_the_error_names_both_ways(monkeypatch):
    monkeypatch.delenv("SPANIEL_MODEL_ALIASES", raising=False)
    with pytest.raises(ModelError, match=r"pip install sentence-transformers.*spaniel models add nowhere"):
        SentenceTransformersTextEmbedder("nowhere").warm_up()
