"""Imports of optional packages, whose absence is an error on their first use."""

from types import TracebackType
from typing import Self


class LazyImport:
    """Defers an import error until `check`.

    :param message: the remedy, such as the command that installs the package.

    >>> with LazyImport("Run 'pip install not-there'") as not_there:
    ...     import not_there_at_all
    >>> not_there.check()
    Traceback (most recent call last):
    ...
    ImportError: Failed to import 'not_there_at_all'. Run 'pip install not-there'. Original error: No module named 'not_there_at_all'
    """

    def __init__(self, message: str = "Try 'pip install {}'") -> None:
        self._message = message
        self._error: ImportError | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> bool:
        if not isinstance(error, ImportError):
            return False
        self._error = error
        return True

    def check(self) -> None:
        """Raise the import error of the block, if there was one.

        :raises ImportError: a package is missing; the message has its name and the remedy.
        """
        if (error := self._error) is not None:
            remedy = self._message.format(error.name)
            raise ImportError(f"Failed to import '{error.name}'. {remedy}. Original error: {error}") from error
