"""Errors if another server than a trusted OpenSearch answers: the same in plain and in async code."""

import ssl
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from spaniel.document_stores.opensearch import OpenSearchDocumentStore
from spaniel.errors import DocumentStoreError, StoreUnavailableError
from tests.document_stores.faces import AsyncFace, SyncFace

BODIES = {
    "nothing": (b"", "application/json"),
    "null": (b"null", "application/json"),
    "a list": (b"[1]", "application/json"),
    "a number": (b"5", "application/json"),
    "a text": (b'"hello"', "application/json"),
    "a page": (b"<html>It works!</html>", "text/html"),
    "a page that calls itself JSON": (b"<html>It works!</html>", "application/json"),
    "half of a JSON text": (b'{"docs": {"mappings"', "application/json"),
    "other JSON": (b'{"message": "hello"}', "application/json"),
    "an index without a mapping": (b'{"docs": {}}', "application/json"),
}


@pytest.fixture
def served():
    """Starts a server that gives one answer to everything; counts requests."""
    servers = []

    def serve(body, kind, tls=None):
        class Handler(BaseHTTPRequestHandler):
            def answer(self):
                self.server.requests += 1
                self.rfile.read(int(self.headers.get("content-length", 0)))
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_PUT = do_HEAD = answer  # noqa: N815 (the library's names)

            def log_message(self, *_):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.requests = 0
        server.handle_error = lambda *_: None
        if tls is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*tls)
            server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return server

    yield serve
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture(params=[SyncFace, AsyncFace])
async def opened(request):
    stores = []

    def open_store(url, **options):
        stores.append(OpenSearchDocumentStore(hosts=url, index="docs", **options))
        return request.param(stores[-1])

    yield open_store
    for store in stores:
        store.close()
        await store.close_async()


@pytest.mark.parametrize("body", BODIES)
async def test_foreign_answer_names_the_likely_cause(served, opened, body):
    server = served(*BODIES[body])
    store = opened(f"http://127.0.0.1:{server.server_port}")
    for call in (store.filter_documents, store.count_documents):
        with pytest.raises(DocumentStoreError, match="Is this OpenSearch"):
            await call()
    assert server.requests == 2  # a retry would be useless


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tls")
    files = (str(folder / "cert.pem"), str(folder / "key.pem"))
    subprocess.run(
        [
            *[
                "openssl",
                "req",
                "-x509",
                "-newkey",
                "rsa:2048",
                "-nodes",
                "-days",
                "2",
                "-subj",
                "/CN=localhost",
                "-out",
            ],
            *files[:1],
            "-keyout",
            files[1],
        ],
        check=True,
        capture_output=True,
    )
    return files


async def test_untrusted_certificate_is_reported_without_retries(served, opened, certificate):
    server = served(b"{}", "application/json", certificate)
    store = opened(f"https://127.0.0.1:{server.server_port}", verify_certs=True)
    with pytest.raises(
        DocumentStoreError, match=r"TLS verification failed .*ca_certs=FILE \(in a URL: \?ca_certs=FILE\)"
    ) as caught:
        await store.count_documents()
    assert not isinstance(caught.value, StoreUnavailableError)


async def test_plain_request_to_a_tls_server_names_the_scheme(served, opened, certificate):
    server = served(b"{}", "application/json", certificate)
    store = opened(f"http://127.0.0.1:{server.server_port}", patience=0.1)
    with pytest.raises(StoreUnavailableError, match=r"Does it want TLS .*opensearch\+https://"):
        await store.count_documents()
