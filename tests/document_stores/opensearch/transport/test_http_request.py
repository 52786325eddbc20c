import pytest

from spaniel.document_stores.opensearch.transport.http_request import Ask, answered
from spaniel.errors import StoreRequestError, StoreUnavailableError
from spaniel.runtime import RetryPolicy
from tests.document_stores.opensearch.scripted import Scripted


def gone():
    return StoreUnavailableError("gone")


def test_a_request_goes_to_the_connection(run):
    def asking():
        return (yield Ask("GET", "/"))

    server = Scripted("here")
    assert run(asking(), server) == "here"
    assert server.asked == [Ask("GET", "/")]


def test_a_request_is_made_again_while_the_server_is_away(run):
    assert run(answered(Ask("GET", "/"), RetryPolicy()), Scripted(gone(), gone(), "here")) == "here"


def test_the_last_error_is_raised_when_the_patience_is_over(run):
    with pytest.raises(StoreUnavailableError, match="gone"):
        run(answered(Ask("GET", "/"), RetryPolicy(seconds=0.1)), Scripted(*[gone() for _ in range(50)]))


def test_what_may_not_be_repeated_is_asked_once(run):
    server = Scripted(gone(), "here")
    with pytest.raises(StoreUnavailableError):
        run(answered(Ask("POST", "/", repeatable=False), RetryPolicy()), server)
    assert len(server.asked) == 1


def test_what_may_not_be_repeated_is_asked_again_if_it_was_certainly_not_done(run):
    server = Scripted(StoreUnavailableError("busy", refused=True), "here")
    assert run(answered(Ask("POST", "/", repeatable=False), RetryPolicy()), server) == "here"


def test_another_error_is_raised_at_once(run):
    server = Scripted(StoreRequestError("wrong"), "here")
    with pytest.raises(StoreRequestError):
        run(answered(Ask("GET", "/"), RetryPolicy()), server)
