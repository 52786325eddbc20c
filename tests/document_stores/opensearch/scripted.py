"""A server in a few lines: it answers requests from a list, and notes them."""

from collections.abc import Callable
from typing import Any

from spaniel.document_stores.opensearch.transport.http_request import Ask


class Scripted:
    """Gives the next answer of a list to each request; an error is raised, a function is called with the request."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.asked: list[Ask] = []

    def send(self, ask: Ask) -> Any:
        self.asked.append(ask)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer(ask) if isinstance(answer, Callable) else answer

    async def send_async(self, ask: Ask) -> Any:
        return self.send(ask)
