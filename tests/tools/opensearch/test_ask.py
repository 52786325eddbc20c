import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from tools.opensearch.ask import ask


class Answers(BaseHTTPRequestHandler):
    def do_GET(self):
        status, body = {"/": (200, b'{"a": 1}'), "/bad": (503, b"no manager")}[self.path]
        self.send_response(status)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def url():
    with HTTPServer(("127.0.0.1", 0), Answers) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_the_json_comes_back_whatever_proxy_is_set(url, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")

    assert ask(url, "/") == {"a": 1}


def test_an_error_status_is_an_error_with_its_body(url):
    with pytest.raises(OSError, match=r"GET .*/bad: 503 b'no manager'"):
        ask(url, "/bad")


def test_where_nothing_listens_is_an_error():
    with pytest.raises(OSError, match="refused"):
        ask("http://127.0.0.1:1", "/")
