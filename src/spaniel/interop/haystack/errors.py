"""Errors of stores across the border: whoever catches one package's errors catches the other's store failing too."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from haystack.document_stores import errors as theirs
from haystack.errors import FilterError as TheirFilterError

from spaniel import errors as ours

_Pair: TypeAlias = tuple[type[Exception], type[Exception]]

# The narrower before the wider.
_PAIRS: Sequence[_Pair] = (
    (ours.DuplicateDocumentError, theirs.DuplicateDocumentError),
    (ours.MissingDocumentError, theirs.MissingDocumentError),
    (ours.DocumentStoreError, theirs.DocumentStoreError),
    (ours.FilterError, TheirFilterError),
)
_BACK: Sequence[_Pair] = tuple((there, here) for here, there in _PAIRS)


@contextmanager
def our_errors() -> Iterator[None]:
    """Raise Spaniel's error where Haystack's was raised inside the block; others pass."""
    with _translated(_BACK):
        yield


@contextmanager
def their_errors() -> Iterator[None]:
    """Raise Haystack's error where Spaniel's was raised inside the block; others pass."""
    with _translated(_PAIRS):
        yield


@contextmanager
def _translated(pairs: Sequence[_Pair]) -> Iterator[None]:
    try:
        yield
    except tuple(known for known, _ in pairs) as error:
        translated = next(there for known, there in pairs if isinstance(error, known))
        raise translated(_message(error)) from error


def _message(error: BaseException) -> str:
    """Return what an error says; some stores raise one without a word, from the error that says it."""
    while not str(error) and error.__cause__ is not None:
        error = error.__cause__
    return str(error) or type(error).__name__
