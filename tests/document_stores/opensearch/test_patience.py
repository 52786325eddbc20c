import pytest

from spaniel.document_stores.opensearch.patience import Patience, answered
from spaniel.document_stores.opensearch.steps import Ask, drive
from spaniel.errors import StoreRequestError, StoreUnavailableError
from tests.document_stores.opensearch.scripted import Scripted


def gone():
    return StoreUnavailableError("gone")


def test_a_request_is_made_again_while_the_server_is_away():
    assert drive(answered(Ask("GET", "/"), Patience()), Scripted(gone(), gone(), "here")) == "here"


def test_the_last_error_is_raised_when_the_patience_is_over():
    with pytest.raises(StoreUnavailableError, match="gone"):
        drive(answered(Ask("GET", "/"), Patience(seconds=0.1)), Scripted(*[gone() for _ in range(50)]))


def test_a_server_that_never_answered_is_given_less_time():
    patience = Patience(seconds=1000, before_first_answer=0.1)
    with pytest.raises(StoreUnavailableError):
        drive(answered(Ask("GET", "/"), patience), Scripted(*[gone() for _ in range(50)]))


def test_pauses_grow_and_end_with_the_time():
    patience = Patience(seconds=0.001)
    patience.reached = True
    assert sum(1 for _ in patience.pauses()) < 100_000


def test_what_may_not_be_repeated_is_asked_once():
    server = Scripted(gone(), "here")
    with pytest.raises(StoreUnavailableError):
        drive(answered(Ask("POST", "/", repeatable=False), Patience()), server)
    assert len(server.asked) == 1


def test_what_may_not_be_repeated_is_asked_again_if_it_was_certainly_not_done():
    server = Scripted(StoreUnavailableError("busy", refused=True), "here")
    assert drive(answered(Ask("POST", "/", repeatable=False), Patience()), server) == "here"


def test_another_error_is_raised_at_once():
    server = Scripted(StoreRequestError("wrong"), "here")
    with pytest.raises(StoreRequestError):
        drive(answered(Ask("GET", "/"), Patience()), server)
