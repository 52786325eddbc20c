"""A transport that answers from a list and records the requests."""

from collections.abc import Callable
from typing import Any

from spaniel.document_stores.opensearch.transport.http_request import HttpRequest


class Scripted:
    """Gives the next answer of a list to each request; an error is raised, a function is called
    with the request.
    """

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.requests: list[HttpRequest] = []

    def send(self, request: HttpRequest) -> Any:
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer(request) if isinstance(answer, Callable) else answer

    async def send_async(self, request: HttpRequest) -> Any:
        return self.send(request)
