"""Validation of the arguments of stores and retrievers, before any work is done."""

import math
import operator
from collections.abc import Collection, Iterable, Iterator, Mapping
from numbers import Real
from typing import TypeVar

from spaniel.dataclasses import Document

T = TypeVar("T")


def validate_documents(documents: Iterable[Document]) -> list[Document]:
    """Return the documents of any iterable as a list."""
    return list(validate_each(documents))


def validate_each(documents: Iterable[Document]) -> Iterator[Document]:
    """Yield the documents of any iterable."""
    if not isinstance(documents, Iterable) or isinstance(documents, (str, bytes, Mapping)):
        raise ValueError(f"Please provide a list of Documents, not {type(documents).__name__}.")
    for index, document in enumerate(documents):
        if not isinstance(document, Document):
            raise ValueError(
                f"Please provide a list of Documents. Item {index} is of type {type(document).__name__}.{_hint(document)}"
            )
        yield document


def _hint(document: object) -> str:
    if type(document).__module__.partition(".")[0] != "haystack":
        return ""
    return " It is Haystack's: give its components spaniel.interop.haystack.as_haystack_store(store)."


def validate_ids(document_ids: Iterable[str]) -> list[str]:
    """Return ids as a list."""
    if isinstance(document_ids, str):
        raise ValueError(f"Please provide a list of ids, such as [{document_ids!r}], not one id.")
    return list(document_ids)


def validate_choice(name: str, value: T, choices: Collection[object]) -> T:
    """Return a value that is among the choices."""
    if value not in choices:
        raise ValueError(f"{name} must be one of {list(choices)}, got {value!r}.")
    return value


def validate_count(name: str, value: object, *, positive: bool = False) -> int:
    """Return a value as an int, if it is a whole number of at least 0, or 1 if `positive`."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]  # of any type
    except TypeError:
        raise ValueError(f"{name} must be a whole number, not {value!r}.") from None
    if isinstance(value, bool):
        raise ValueError(f"{name} must be a whole number, not {value}.")
    if number < positive:
        raise ValueError(f"{name} must be greater than {'' if positive else 'or equal to '}0, but is {number}.")
    return number


def validate_number(name: str, value: object) -> float:
    """Return a value as a float."""
    try:
        number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan
    except OverflowError:
        number = math.nan
    if math.isnan(number):
        raise ValueError(f"{name} must be a number, not {value!r:.100}.")
    return number
