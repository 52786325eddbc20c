"""Knowledge bases whose passages have vectors."""

import json
import os
import random
import signal
from pathlib import Path

import pytest

import spaniel
from spaniel.components.embedders import MockDocumentEmbedder, MockTextEmbedder, OpenAIDocumentEmbedder
from spaniel.components.embedders.mock_embedder import hash_embedding
from spaniel.errors import KnowledgeBaseError
from spaniel.knowledge_base.embedder import Embedder
from spaniel.knowledge_base.passage_embedding import get_embedded_text
from spaniel.strategies.score_fusion import add_scores
from tests.knowledge_base.folders import write

PAGES = {
    "dogs.md": "# Dogs\n\nA spaniel barks at night.\n\n## Food\n\nIt likes bones and meat.\n",
    "cats.md": "# Cats\n\nA cat sleeps by day and purrs.\n",
    "cars.md": "# Vehicles\n\nAn automobile has four wheels and an engine.\n",
}


class CountingEmbedder(MockDocumentEmbedder):
    """Embeds documents without a model, and counts the texts; may fail after some."""

    def __init__(self):
        super().__init__(dimension=8)
        self.texts = []
        self.limit = None
        self.interrupts = False

    def run(self, documents):
        self.texts += [document.content for document in documents]
        if self.interrupts:
            os.kill(os.getpid(), signal.SIGINT)
        if self.limit is not None and len(self.texts) > self.limit:
            raise RuntimeError("no more")
        return super().run(documents=documents)


def pair():
    return CountingEmbedder(), MockTextEmbedder(dimension=8)


@pytest.fixture
def folder(tmp_path):
    return write(tmp_path / "pages", PAGES)


def read_vectors(kb):
    return {id: document.embedding for id, document in kb.document_store.storage.items()}


def test_a_query_finds_passages_by_their_meaning(folder, tmp_path, minilm):
    kb = spaniel.open(tmp_path / "kb", embedder=minilm)
    kb.index(folder)
    assert kb.search("car with motor", top_k=1)[0].path == "cars.md"
    assert "similar in meaning: rank 1" in kb.search("car with motor")[0].why[-1]
    kb.close()


def test_a_recorded_model_is_used_when_it_is_opened_again(folder, tmp_path, minilm):
    spaniel.open(tmp_path / "kb", embedder=minilm).index(folder)
    kb = spaniel.open(tmp_path / "kb")
    assert kb.search("car with motor", top_k=1)[0].path == "cars.md"
    Path(folder, "cars.md").write_text("# Boats\n\nA vessel with sails.\n")
    kb.index(folder)
    assert kb.search("ship", top_k=1)[0].path == "cars.md"
    kb.close()


def test_leaves_have_vectors_of_their_headings_and_text(folder, tmp_path):
    kb = spaniel.open(tmp_path / "kb", embedder=pair())
    kb.index(folder)
    for document in kb.document_store.storage.values():
        if document.meta["__children_ids"]:
            assert document.embedding is None
        else:
            assert document.embedding == pytest.approx(hash_embedding(get_embedded_text(document), 8))
    kb.close()


def test_scores_are_the_sum_of_those_by_words_and_by_vectors(folder, tmp_path):
    kb = spaniel.open(tmp_path / "kb", embedder=pair())
    kb.index(folder)
    store, query = kb.document_store, "spaniel sleeps"
    words = store.bm25_retrieval(query, top_k=100)
    near = store.embedding_retrieval(MockTextEmbedder(dimension=8).run(query)["embedding"], top_k=100)
    found = [(result.id, result.score) for result in kb.search(query, fold=False)]
    assert found == [(document.id, document.score) for document in add_scores([words, near])]
    kb.close()


def test_keywords_only_is_the_search_without_vectors(folder, tmp_path):
    kb, plain = spaniel.open(tmp_path / "kb", embedder=pair()), spaniel.open(tmp_path / "plain")
    kb.index(folder)
    plain.index(folder)
    found = [(each.id, each.score) for each in kb.search("spaniel sleeps", keywords_only=True)]
    assert found == [(each.id, each.score) for each in plain.search("spaniel sleeps")]
    kb.close()
    plain.close()


@pytest.mark.parametrize(
    ("query", "options", "paths"),
    [
        ("spaniel -purrs", {}, {"dogs.md", "cars.md"}),
        ('"sleeps by day"', {}, {"cats.md"}),
        ("spaniel path:cars", {}, {"cars.md"}),
        ("cat sleeps", {"match": "all"}, {"cats.md"}),
        ("spaniel", {"path": "c*.md"}, {"cats.md", "cars.md"}),
        ("spaniel", {"filters": {"field": "title", "operator": "==", "value": "Cats"}}, {"cats.md"}),
    ],
)
def test_conditions_hold_for_passages_that_are_found_by_their_vectors(folder, tmp_path, query, options, paths):
    kb = spaniel.open(tmp_path / "kb", embedder=pair())
    kb.index(folder)
    assert {result.path for result in kb.search(query, **options)} == paths
    kb.close()


def test_only_new_texts_are_embedded_again(folder, tmp_path):
    embedder = pair()
    kb = spaniel.open(tmp_path / "kb", embedder=embedder)
    kb.index(folder)
    assert len(embedder[0].texts) == 4
    Path(folder, "dogs.md").write_text(PAGES["dogs.md"].replace("bones", "bread"))
    kb.index(folder)
    assert embedder[0].texts[4:] == ["Dogs\nFood\n\nIt likes bread and meat."]
    kb.close()


def test_an_update_has_the_vectors_of_a_new_index(tmp_path):
    chosen = random.Random(1)
    words = ["apple", "pear", "plum", "fig", "lime"]
    kb = spaniel.open(tmp_path / "kb", embedder=pair())
    files: dict[str, str] = {}
    for step in range(6):
        for _ in range(3):
            name = f"f{chosen.randrange(5)}.md"
            if chosen.random() < 0.25:
                files.pop(name, None)
            else:
                files[name] = "\n\n".join(f"# {chosen.choice(words)}\n\n{chosen.choice(words)}." for _ in range(3))
        folder = tmp_path / "files"
        for old in folder.glob("*.md"):
            old.unlink()
        write(folder, files or {"f0.md": "plum"})
        kb.index(folder)
        fresh = spaniel.open(tmp_path / f"fresh{step}", embedder=pair())
        fresh.index(folder)
        assert read_vectors(kb) == read_vectors(fresh)
        fresh.close()
    kb.close()


def test_a_run_that_fails_keeps_the_vectors_for_the_next(tmp_path):
    rows = [json.dumps({"id": str(number), "text": f"word{number} and more"}) for number in range(300)]
    Path(tmp_path, "rows.jsonl").write_text("\n".join(rows))
    failing = pair()
    failing[0].limit = 200
    with pytest.raises(RuntimeError, match="no more"):
        spaniel.open(tmp_path / "kb", embedder=failing).index(tmp_path / "rows.jsonl")
    again = pair()
    kb = spaniel.open(tmp_path / "kb", embedder=again)
    kb.index(tmp_path / "rows.jsonl")
    assert len(again[0].texts) == 300 - 192
    assert sum(vector is not None for vector in read_vectors(kb).values()) == 300
    assert not (tmp_path / "kb" / "embeddings.db").exists()
    kb.close()


def test_an_interrupted_run_keeps_the_vectors_for_the_next(tmp_path):
    rows = [json.dumps({"id": str(number), "text": f"word{number} and more"}) for number in range(300)]
    Path(tmp_path, "rows.jsonl").write_text("\n".join(rows))
    stopped, again = pair(), pair()
    stopped[0].interrupts = True
    first = spaniel.open(tmp_path / "kb", embedder=stopped)
    assert first.index(tmp_path / "rows.jsonl").interrupted
    first.close()
    kb = spaniel.open(tmp_path / "kb", embedder=again)
    assert not kb.index(tmp_path / "rows.jsonl").interrupted
    assert (len(stopped[0].texts), len(again[0].texts)) == (64, 300 - 64)
    assert sum(vector is not None for vector in read_vectors(kb).values()) == 300
    kb.close()


def test_another_embedder_embeds_all_passages_again(folder, tmp_path):
    spaniel.open(tmp_path / "kb", embedder=pair()).index(folder)
    other = (MockDocumentEmbedder(dimension=5), MockTextEmbedder(dimension=5))
    kb = spaniel.open(tmp_path / "kb", embedder=other)
    with pytest.raises(KnowledgeBaseError, match="Index again"):
        kb.search("spaniel")
    assert len(kb.index(folder).changed) == 3
    assert {len(vector) for vector in read_vectors(kb).values() if vector} == {5}
    assert len(kb.search("spaniel")) == 4
    kb.close()


def test_passages_without_vectors_get_them_when_an_embedder_is_given(folder, tmp_path):
    spaniel.open(tmp_path / "kb").index(folder)
    kb = spaniel.open(tmp_path / "kb", embedder=pair())
    with pytest.raises(KnowledgeBaseError, match="The passages have no vectors"):
        kb.search("spaniel")
    assert len(kb.index(folder).changed) == 3
    assert sum(vector is not None for vector in read_vectors(kb).values()) == 4
    kb.close()


def test_an_embedder_of_ones_own_must_be_given_again(folder, tmp_path):
    spaniel.open(tmp_path / "kb", embedder=pair()).index(folder)
    kb = spaniel.open(tmp_path / "kb")
    for ask in (lambda: kb.search("spaniel"), lambda: kb.index(folder)):
        with pytest.raises(KnowledgeBaseError, match="give its embedder"):
            ask()
    assert kb.search("spaniel", keywords_only=True)[0].path == "dogs.md"
    kb.close()


def test_no_record_names_an_address_or_a_key():
    key = spaniel.core.secret.Secret.from_token("sk-1234")
    documents = OpenAIDocumentEmbedder(key, api_base_url="http://10.0.0.1/v1")
    record = Embedder.make((documents, MockTextEmbedder())).to_record()
    assert "10.0.0.1" not in json.dumps(record)
    assert "sk-1234" not in json.dumps(record)
    assert Embedder.from_record(record) is None


def test_a_missing_model_names_the_way_on(folder, tmp_path, minilm, monkeypatch):
    spaniel.open(tmp_path / "kb", embedder=minilm).index(folder)
    monkeypatch.setenv("SPANIEL_MODELS", str(tmp_path / "none"))
    monkeypatch.setattr("spaniel.embedding.loaded_models._loaded", {})
    kb = spaniel.open(tmp_path / "kb")
    with pytest.raises(KnowledgeBaseError, match=r"models add all-MiniLM-L6-v2.*--keywords-only"):
        kb.search("spaniel")
    assert kb.search("spaniel", keywords_only=True)
    kb.close()


@pytest.mark.parametrize("source", [7, ("a", "b", "c"), (MockTextEmbedder(), None)])
def test_a_source_of_another_kind_is_an_error(tmp_path, source):
    with pytest.raises(KnowledgeBaseError, match="must be the name of a model"):
        spaniel.open(tmp_path / "kb", embedder=source)


def test_the_statistics_name_the_model(folder, tmp_path):
    kb = spaniel.open(tmp_path / "kb", embedder=pair())
    kb.index(folder)
    assert kb.statistics().model == "mock-model"
    kb.close()
