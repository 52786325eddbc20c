"""Embedders of servers, against a real model behind the interfaces of OpenAI and of Ollama."""

import asyncio
import logging
import time

import pytest

from spaniel import Document, Pipeline
from spaniel.components.embedders import (
    OllamaDocumentEmbedder,
    OllamaTextEmbedder,
    OnnxTextEmbedder,
    OpenAIDocumentEmbedder,
    OpenAITextEmbedder,
)
from spaniel.core.secret import Secret
from spaniel.embedding import OnnxEncoder, find_model
from spaniel.errors import ModelServerError
from tests.servers.models import serve_model

BUSY = (429, {"retry-after": "0"}, b'{"error": {"message": "slow down"}}')


@pytest.fixture(scope="module")
def encoder(minilm):
    return OnnxEncoder(find_model(minilm), threads=1)


@pytest.fixture
def server(encoder):
    with serve_model(encoder) as server:
        yield server


def openai(server, kind=OpenAITextEmbedder, **options):
    return kind(Secret.from_token("sk-1234"), "minilm", api_base_url=f"{server.url}/v1", **options)


def ollama(server, kind=OllamaTextEmbedder, **options):
    return kind("minilm", server.url, **options)


MAKERS = {"openai": openai, "ollama": ollama}
DOCUMENT_EMBEDDERS = {"openai": OpenAIDocumentEmbedder, "ollama": OllamaDocumentEmbedder}


@pytest.fixture(params=["sync", "async"])
def run_component(request):
    """Runs a component in both modes, and closes its connections."""

    async def run_async(component, **inputs):
        try:
            return await component.run_async(**inputs)
        finally:
            await component.close_async()

    def run(component, **inputs):
        return component.run(**inputs) if request.param == "sync" else asyncio.run(run_async(component, **inputs))

    return run


@pytest.fixture(params=MAKERS)
def kind(request):
    return request.param


def test_a_vector_is_that_of_the_model(server, kind, minilm, run_component):
    found = run_component(MAKERS[kind](server), text="A spaniel barks.")
    assert found["embedding"] == pytest.approx(OnnxTextEmbedder(minilm).run("A spaniel barks.")["embedding"])
    assert found["meta"]["model"] == "minilm"
    assert found["meta"]["usage"]["prompt_tokens"] == 3


def test_documents_are_sent_in_batches_and_keep_their_order(server, kind, minilm, run_component):
    texts = ["one", "two words", "three more words", "four", "five"]
    embedder = MAKERS[kind](server, DOCUMENT_EMBEDDERS[kind], batch_size=2, prefix="p ", meta_fields_to_embed=["t"])
    result = run_component(embedder, documents=[Document(content=text, meta={"t": "T"}) for text in texts])
    assert [len(body["input"]) for _, _, body in server.asked] == [2, 2, 1]
    expected = OnnxTextEmbedder(minilm).run_batch([f"p T\n{text}" for text in texts])["embeddings"]
    assert [document.content for document in result["documents"]] == texts
    for document, vector in zip(result["documents"], expected, strict=True):
        assert document.embedding == pytest.approx(vector)
    assert result["meta"]["usage"]["prompt_tokens"] == 8 + 5 * 2


def test_the_request_to_openai_has_key_organization_and_dimensions(server):
    openai(server, organization="org-1", dimensions=7).run("x")
    ((path, headers, body),) = server.asked
    assert path == "/v1/embeddings"
    assert (headers["authorization"], headers["openai-organization"]) == ("Bearer sk-1234", "org-1")
    assert body == {"model": "minilm", "input": ["x"], "encoding_format": "float", "dimensions": 7}


def test_the_request_to_ollama_has_its_options(server):
    ollama(server, generation_kwargs={"num_ctx": 9}, keep_alive="5m").run("x")
    ((path, _, body),) = server.asked
    assert path == "/api/embed"
    assert body == {"model": "minilm", "input": ["x"], "options": {"num_ctx": 9}, "keep_alive": "5m"}


def test_a_busy_server_is_asked_again(server, kind, run_component):
    server.faults = [BUSY, (503, {"retry-after": "0"}, b"down"), BUSY]
    assert len(run_component(MAKERS[kind](server), text="x")["embedding"]) == 384
    assert len(server.asked) == 4


def test_the_tries_are_limited(server):
    server.faults = [BUSY] * 9
    with pytest.raises(ModelServerError, match="refused the request: 429 slow down"):
        openai(server, max_retries=2).run("x")
    assert len(server.asked) == 3


def test_a_refused_request_is_not_repeated(server, kind, run_component):
    server.faults = [(400, {}, b'{"error": {"message": "no such model"}}')]
    with pytest.raises(ModelServerError, match="400 no such model"):
        run_component(MAKERS[kind](server), text="x")
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("body", "said"),
    [(b"<html>", "does not answer with JSON"), (b"{}", "did not answer with 1 vectors"), (b"[]", "1 vectors")],
)
def test_an_answer_without_vectors_is_an_error(server, kind, body, said):
    server.faults = [(200, {}, body)]
    with pytest.raises(ModelServerError, match=said):
        MAKERS[kind](server).run("x")


def test_an_absent_server_is_an_error_with_its_address(run_component):
    embedder = OpenAITextEmbedder(None, api_base_url="http://127.0.0.1:9", max_retries=0)
    with pytest.raises(ModelServerError, match=r"at http://127.0.0.1:9 can't be reached.*Is it running"):
        run_component(embedder, text="x")


def test_a_slow_server_is_an_error_after_the_timeout(server, run_component):
    server.faults = [1.0]
    started = time.monotonic()
    with pytest.raises(ModelServerError, match=r"did not answer within 0\.1 s. Raise the timeout"):
        run_component(openai(server, timeout=0.1, max_retries=0), text="x")
    assert time.monotonic() - started < 0.9


def test_documents_of_a_failed_request_stay_without_a_vector_if_asked(server, kind, caplog):
    server.faults = [(400, {}, b"too long")]
    given = [Document(content="a"), Document(content="b"), Document(content="c")]
    embedder = MAKERS[kind](server, DOCUMENT_EMBEDDERS[kind], batch_size=2, raise_on_failure=False)
    with caplog.at_level(logging.ERROR):
        found = embedder.run(given)["documents"]
    assert [document.embedding is None for document in found] == [True, True, False]
    assert given[0].id in caplog.text
    assert "400 too long" in caplog.text


def test_a_failed_request_is_an_error_if_asked(server, kind):
    server.faults = [(400, {}, b"too long")]
    with pytest.raises(ModelServerError, match="400 too long"):
        MAKERS[kind](server, DOCUMENT_EMBEDDERS[kind], raise_on_failure=True).run([Document(content="a")])


def test_a_key_is_in_no_text(server):
    embedder = openai(server, max_retries=0)
    server.faults = [(401, {}, b"bad key")]
    with pytest.raises(ModelServerError) as caught:
        embedder.run("x")
    assert "sk-1234" not in f"{caught.value!r} {embedder!r} {vars(embedder)} {embedder.get_server()!r}"


def test_a_pipeline_keeps_the_name_of_the_secret(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1234")
    pipeline = Pipeline()
    pipeline.add_component("embed", OpenAITextEmbedder(api_base_url="http://127.0.0.1:9"))
    assert "sk-1234" not in pipeline.dumps()
    assert Pipeline.loads(pipeline.dumps()).dumps() == pipeline.dumps()


def test_a_key_that_is_not_there_is_an_error_of_the_first_use(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ValueError, match="OPENAI_API_KEY"):
        OpenAITextEmbedder().warm_up()
