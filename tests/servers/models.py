"""A server with a real model, by the interfaces of OpenAI and of Ollama, on this machine."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from spaniel.embedding import Encoder


@dataclass
class ModelServerForTests:
    """The server: its requests so far, and its next faults.

    :param faults: answers to the next requests, in place of vectors: status, headers, body; or a
        number of seconds to wait first.
    """

    encoder: Encoder
    url: str = ""
    asked: list[tuple[str, dict[str, str], Any]] = field(default_factory=list)
    faults: list[tuple[int, dict[str, str], bytes] | float] = field(default_factory=list)

    def answer(self, path: str, body: Any) -> Any:
        vectors = self.encoder.encode(body["input"]).tolist()
        count = sum(len(text.split()) for text in body["input"])
        if path.endswith("/api/embed"):
            return {"model": body["model"], "embeddings": vectors, "prompt_eval_count": count}
        data = [{"object": "embedding", "index": at, "embedding": vector} for at, vector in enumerate(vectors)]
        usage = {"prompt_tokens": count, "total_tokens": count}
        return {"object": "list", "data": data[::-1], "model": body["model"], "usage": usage}


@contextmanager
def serve_model(encoder: Encoder) -> Iterator[ModelServerForTests]:
    """Give a server of a model on a free port of the loopback address."""
    state = ModelServerForTests(encoder)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            state.asked.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
            fault = state.faults.pop(0) if state.faults else None
            if isinstance(fault, float):
                time.sleep(fault)
                fault = None
            status, headers, content = fault or (200, {}, json.dumps(state.answer(self.path, body)).encode())
            self.send_response(status)
            for name, value in {**headers, "content-length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            with suppress(ConnectionError):  # a client that no longer waits
                self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
