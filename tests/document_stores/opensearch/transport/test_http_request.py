import pytest

from spaniel.document_stores.opensearch.transport.http_request import HttpRequest, send_with_retries
from spaniel.errors import StoreRequestError, StoreUnavailableError
from spaniel.runtime import RetryPolicy
from tests.document_stores.opensearch.scripted import Scripted


def gone():
    return StoreUnavailableError("gone")


def test_request_goes_to_the_transport(run):
    def asking():
        return (yield HttpRequest("GET", "/"))

    server = Scripted("here")
    assert run(asking(), server) == "here"
    assert server.requests == [HttpRequest("GET", "/")]


def test_request_is_repeated_while_the_server_is_away(run):
    assert run(send_with_retries(HttpRequest("GET", "/"), RetryPolicy()), Scripted(gone(), gone(), "here")) == "here"


def test_last_error_is_raised_after_the_retries(run):
    with pytest.raises(StoreUnavailableError, match="gone"):
        run(
            send_with_retries(HttpRequest("GET", "/"), RetryPolicy(seconds=0.1)), Scripted(*[gone() for _ in range(50)])
        )


def test_unrepeatable_request_is_sent_once(run):
    server = Scripted(gone(), "here")
    with pytest.raises(StoreUnavailableError):
        run(send_with_retries(HttpRequest("POST", "/", repeatable=False), RetryPolicy()), server)
    assert len(server.requests) == 1


def test_unrepeatable_request_is_repeated_if_refused(run):
    server = Scripted(StoreUnavailableError("busy", refused=True), "here")
    assert run(send_with_retries(HttpRequest("POST", "/", repeatable=False), RetryPolicy()), server) == "here"


def test_other_errors_are_raised_at_once(run):
    server = Scripted(StoreRequestError("wrong"), "here")
    with pytest.raises(StoreRequestError):
        run(send_with_retries(HttpRequest("GET", "/"), RetryPolicy()), server)
