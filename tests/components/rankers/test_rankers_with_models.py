"""Rankers by vectors and by models, beside plain computations."""

import asyncio
import json
import math
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import spaniel
from spaniel import Document
from spaniel.components.embedders import MockDocumentEmbedder, MockTextEmbedder
from spaniel.components.rankers import (
    EmbeddingCosineRanker,
    HTTPRanker,
    MMRRanker,
    SentenceTransformersSimilarityRanker,
)
from spaniel.components.rankers.mmr_ranker import select_by_margin
from spaniel.core.secret import Secret
from spaniel.errors import ModelServerError

vectors = st.lists(st.lists(st.integers(-5, 5), min_size=3, max_size=3), min_size=1, max_size=7)


def cosine(a, b):
    length = math.hypot(*a) * math.hypot(*b)
    return sum(x * y for x, y in zip(a, b, strict=True)) / length if length else 0.0


def embedded(rows):
    return [Document(id=str(at), content=str(at), embedding=row) for at, row in enumerate(rows)]


@given(vectors, st.lists(st.integers(-5, 5), min_size=3, max_size=3))
def test_scores_are_the_cosines(rows, query):
    ranked = EmbeddingCosineRanker().run("", embedded(rows), query_embedding=query)["documents"]
    expected = {str(at): cosine(row, query) for at, row in enumerate(rows)}
    assert {document.id: document.score for document in ranked} == pytest.approx(expected, abs=1e-9)
    assert [document.score for document in ranked] == sorted((each.score for each in ranked), reverse=True)


def test_queries_and_documents_without_vectors_are_embedded(run_component):
    ranker = EmbeddingCosineRanker(MockTextEmbedder(), MockDocumentEmbedder(), top_k=1)
    ranked = run_component(ranker, query="b", documents=[Document(content="a"), Document(content="b")])["documents"]
    assert [(document.content, round(document.score, 6)) for document in ranked] == [("b", 1.0)]


@pytest.mark.parametrize("ranker", [EmbeddingCosineRanker, MMRRanker])
@pytest.mark.parametrize(
    ("documents", "query", "said"),
    [
        ([Document(content="a")], [1.0], "has no embedding: set document_embedder"),
        ([Document(content="a", embedding=[1.0])], None, "pass query_embedding, or set text_embedder"),
        ([Document(content="a", embedding=[1.0])], [1.0, 2.0], "Embed both with the same model"),
    ],
)
def test_missing_or_unequal_vectors_are_errors(ranker, documents, query, said):
    with pytest.raises(ValueError, match=said):
        ranker().run("x", documents, query_embedding=query)


@given(vectors, st.floats(0, 1))
def test_the_next_document_has_the_highest_margin(rows, relevance):
    query = [1, 2, 3]
    order = select_by_margin(query, embedded(rows), relevance, len(rows))
    assert sorted(order) == list(range(len(rows)))
    for step, at in enumerate(order):

        def margin(place, before=order[:step]):
            closest = max((cosine(rows[place], rows[other]) for other in before), default=None)
            return relevance * cosine(rows[place], query) - ((1 - relevance) * closest if before else 0)

        assert margin(at) >= max(margin(other) for other in order[step:]) - 1e-9


def test_marginal_relevance_keeps_scores_and_limits(run_component):
    documents = [Document(content=str(n), embedding=[1.0, n], score=0.5) for n in range(4)]
    ranked = run_component(MMRRanker(top_k=2), query="", documents=documents, query_embedding=[1, 0])["documents"]
    assert [document.score for document in ranked] == [0.5, 0.5]


@pytest.mark.parametrize("relevance", [-0.1, 1.1, math.nan])
def test_a_weight_out_of_range_is_an_error(relevance):
    with pytest.raises(ValueError, match="between 0 and 1"):
        MMRRanker(relevance=relevance)


@pytest.mark.parametrize("make", [EmbeddingCosineRanker, MMRRanker, lambda **given: HTTPRanker("http://x", **given)])
def test_no_documents_and_no_limit_below_one(make):
    with pytest.raises(ValueError, match="top_k must be > 0"):
        make(top_k=0)


def test_a_trace_has_the_ranking():
    with spaniel.trace() as t:
        EmbeddingCosineRanker(top_k=1).run("", embedded([[1, 0, 0], [0, 1, 0]]), query_embedding=[0, 1, 0])
    assert (t.stages[0].name, [each.id for each in t.stages[0].results]) == ("EmbeddingCosineRanker", ["1"])


@pytest.fixture
def ranking_server():
    """A server whose score of a text is its length."""
    state = {"asked": [], "answer": None}

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            state["asked"].append((self.path, self.headers.get("authorization"), body))
            texts = body.get("texts", body.get("documents"))
            name = "score" if "texts" in body else "relevance_score"
            scores = [{"index": at, name: len(text) / 100} for at, text in enumerate(texts)][::-1]
            answer = state["answer"] or (scores if "texts" in body else {"results": scores})
            content = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    state["url"] = f"http://127.0.0.1:{server.server_address[1]}"
    yield state
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.parametrize(
    ("interface", "path", "name"),
    [("cohere", "/v2/rerank", "documents"), ("jina", "/v1/rerank", "documents"), ("tei", "/rerank", "texts")],
)
@pytest.mark.parametrize("mode", ["sync", "async"])
def test_a_server_scores_the_documents(ranking_server, interface, path, name, mode):
    ranker = HTTPRanker(
        ranking_server["url"], "m", interface=interface, api_key=Secret.from_token("k-1"), top_k=2, batch_size=2
    )
    documents = [Document(content="x" * length) for length in (3, 9, 6)]

    async def run_async():
        try:
            return await ranker.run_async("q", documents)
        finally:
            await ranker.close_async()

    ranked = ranker.run("q", documents) if mode == "sync" else asyncio.run(run_async())
    ranker.close()
    assert [(len(document.content), document.score) for document in ranked["documents"]] == [(9, 0.09), (6, 0.06)]
    assert [(asked[0], asked[1], len(asked[2][name])) for asked in ranking_server["asked"]] == [
        (path, "Bearer k-1", 2),
        (path, "Bearer k-1", 1),
    ]


@pytest.mark.parametrize("answer", [{"results": []}, {"results": [{"index": 5, "relevance_score": 1}]}, [1]])
def test_an_answer_without_scores_is_an_error(ranking_server, answer):
    ranking_server["answer"] = answer
    ranker = HTTPRanker(ranking_server["url"], api_key=None)
    with pytest.raises(ModelServerError, match="did not answer with 1 scores"):
        ranker.run("q", [Document(content="a")])
    ranker.close()


def test_a_cross_encoder_reads_the_query_and_a_document_together(monkeypatch, run_component):
    asked = []

    class CrossEncoder:
        def __init__(self, name, **options):
            asked.append((name, options["device"]))

        def predict(self, pairs, batch_size, activation_fn, convert_to_numpy):
            asked.append(pairs)
            return np.array([float(len(text)) - 8 for _, text in pairs])

    module = ModuleType("sentence_transformers")
    module.CrossEncoder = CrossEncoder
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    ranker = SentenceTransformersSimilarityRanker(
        model="m", device="cpu", query_prefix="q: ", meta_fields_to_embed=["t"]
    )
    documents = [Document(content="short", meta={"t": "T"}), Document(content="much longer", meta={"t": "T"})]
    ranked = run_component(ranker, query="x", documents=documents)["documents"]
    assert asked == [("m", "cpu"), [("q: x", "T\nshort"), ("q: x", "T\nmuch longer")]]
    assert [document.content for document in ranked] == ["much longer", "short"]
    assert ranked[0].score == pytest.approx(1 / (1 + math.exp(-5)))
    raw = run_component(ranker, query="x", documents=documents, scale_score=False, score_threshold=0)["documents"]
    assert [document.score for document in raw] == [5.0]


def test_without_the_package_the_error_names_the_ways():
    with pytest.raises(ImportError, match=r"pip install sentence-transformers; HTTPRanker"):
        SentenceTransformersSimilarityRanker().warm_up()


def test_rankers_are_serialised_with_their_embedders():
    for ranker in (
        EmbeddingCosineRanker(MockTextEmbedder(), top_k=3),
        MMRRanker(document_embedder=MockDocumentEmbedder(), relevance=0.3),
        HTTPRanker("http://127.0.0.1:9", "m", interface="tei"),
        SentenceTransformersSimilarityRanker(model="m"),
    ):
        data = ranker.to_dict()
        assert type(ranker).from_dict(data).to_dict() == data
