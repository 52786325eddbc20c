"""Calls across the boundary of the two packages: arguments, results and errors are converted."""

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar

from haystack.document_stores import errors as theirs
from haystack.errors import FilterError as TheirFilterError

from spaniel import errors as ours
from spaniel.interop.haystack.conversion import from_haystack, to_haystack

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Boundary:
    """Conversions of arguments, results and errors in one direction."""

    inward: Callable[[Any], Any]
    outward: Callable[[Any], Any]
    errors: Sequence[tuple[type[Exception], type[Exception]]]

    def wrap(self, method: F, then: Callable[[Any], Any] | None = None) -> F:
        """Return a method of the callee's package for callers of the other one, sync or async."""
        finish = then or (lambda result: result)

        @wraps(method)
        def call(*args: Any, **kwargs: Any) -> Any:
            with self._translate_errors():
                return finish(self.outward(method(*map(self.inward, args), **self.inward(kwargs))))

        @wraps(method)
        async def call_async(*args: Any, **kwargs: Any) -> Any:
            with self._translate_errors():
                return finish(self.outward(await method(*map(self.inward, args), **self.inward(kwargs))))

        return call_async if inspect.iscoroutinefunction(method) else call  # type: ignore[return-value]  # same signature

    def wrap_method(self, store: object, name: str, then: Callable[[Any], Any] | None = None) -> Any:
        """Return a store's public method for callers of the other package."""
        method = None if name.startswith("_") else getattr(store, name, None)
        if not inspect.isroutine(method):
            raise AttributeError(f"{type(store).__name__} has no method '{name}'.")
        return self.wrap(method, then)

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except tuple(known for known, _ in self.errors) as error:
            translated = next(there for known, there in self.errors if isinstance(error, known))
            raise translated(_message(error)) from error


def _message(error: BaseException) -> str:
    """Return an error's message; some stores raise an empty error from the one with the message."""
    while not str(error) and error.__cause__ is not None:
        error = error.__cause__
    return str(error) or type(error).__name__


_ERRORS: Sequence[tuple[type[Exception], type[Exception]]] = (
    (ours.DuplicateDocumentError, theirs.DuplicateDocumentError),
    (ours.MissingDocumentError, theirs.MissingDocumentError),
    (ours.DocumentStoreError, theirs.DocumentStoreError),
    (ours.FilterError, TheirFilterError),
)


FROM_SPANIEL = Boundary(to_haystack, from_haystack, [(there, here) for here, there in _ERRORS])
"""Spaniel calls Haystack."""

FROM_HAYSTACK = Boundary(from_haystack, to_haystack, _ERRORS)
"""Haystack calls Spaniel."""
