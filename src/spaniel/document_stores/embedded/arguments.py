"""Checks of what a store or a retriever is given, made before anything is done."""

import math
import operator
from collections.abc import Iterable, Iterator, Mapping
from numbers import Real
from typing import Any

from spaniel.dataclasses import Document


def checked_documents(documents: Iterable[Document]) -> list[Document]:
    """Return the documents of any iterable as a list.

    :raises ValueError: something else is given, or among them.
    """
    return list(each_checked(documents))


def each_checked(documents: Iterable[Document]) -> Iterator[Document]:
    """Yield the documents of any iterable.

    :raises ValueError: something else is given, or among them.
    """
    if not isinstance(documents, Iterable) or isinstance(documents, (str, bytes, Mapping)):
        raise ValueError(f"Please provide a list of Documents, not {type(documents).__name__}.")
    for place, document in enumerate(documents):
        if not isinstance(document, Document):
            raise ValueError(
                f"Please provide a list of Documents. Item {place} is of type {type(document).__name__}.{_hint(document)}"
            )
        yield document


def _hint(document: object) -> str:
    """Return what to do where Haystack's components were given a store of Spaniel's."""
    if type(document).__module__.partition(".")[0] != "haystack":
        return ""
    return " It is Haystack's: give its components spaniel.interop.haystack.as_haystack_store(store)."


def checked_ids(document_ids: Iterable[str]) -> list[str]:
    """Return ids as a list.

    :raises ValueError: a single string is given, of which each character would be an id.
    """
    if isinstance(document_ids, str):
        raise ValueError(f"Please provide a list of ids, such as [{document_ids!r}], not one id.")
    return list(document_ids)


def check_choice(name: str, value: Any, choices: Iterable[str]) -> None:
    """Raise ValueError if a value is none of the choices."""
    if value not in choices:
        raise ValueError(f"{name} is {value!r}, but must be one of {list(choices)}.")


def checked_count(name: str, value: Any, *, positive: bool = False) -> int:
    """Return a number of things.

    :param positive: whether 0 is too few.
    :raises ValueError: it is too small, or no whole number.
    """
    try:
        number = operator.index(value)
    except TypeError:
        raise ValueError(f"{name} must be a whole number, not {value!r}.") from None
    if isinstance(value, bool):
        raise ValueError(f"{name} must be a whole number, not {value}.")
    if number < positive:
        raise ValueError(f"{name} must be greater than {'' if positive else 'or equal to '}0, but is {number}.")
    return number


def checked_number(name: str, value: Any) -> float:
    """Return a number.

    :raises ValueError: it is NaN, too large for a float, or no number.
    """
    try:
        number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan
    except OverflowError:
        number = math.nan
    if math.isnan(number):
        raise ValueError(f"{name} must be a number, not {value!r:.100}.")
    return number
