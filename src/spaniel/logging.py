"""Loggers with named values, as in Haystack: ``logger.info("{count} documents", count=3)``."""

import logging
from logging import CRITICAL, DEBUG, ERROR, INFO, WARNING
from typing import Any

__all__ = ["CRITICAL", "DEBUG", "ERROR", "INFO", "WARNING", "NamedValuesLogger", "getLogger"]

_STANDARD_KEYWORDS = {"exc_info", "extra", "stack_info", "stacklevel"}


class NamedValuesLogger(logging.LoggerAdapter[logging.Logger]):
    """A logger of the standard library whose messages have named values.

    A message is formatted only if its level is enabled.
    """

    def log(self, level: int, msg: object, *args: object, **kwargs: Any) -> None:
        """Log a message.

        :param level: as in the standard library.
        :param msg: text with ``{names}``.
        :param args: must be empty.
        :param kwargs: the values, and ``exc_info``, ``extra``, ``stack_info``, ``stacklevel`` of
            the standard library.
        :raises TypeError: a value has no name.
        """
        if args:
            raise TypeError(f"Values of a log message are given by name, unlike {args[0]!r} of {msg!r}.")
        if not self.isEnabledFor(level):
            return
        keywords = {name: kwargs.pop(name) for name in _STANDARD_KEYWORDS & kwargs.keys()}
        keywords["stacklevel"] = keywords.get("stacklevel", 1) + 1  # the caller's line
        text = str(msg).format(**kwargs) if kwargs else str(msg)
        self.logger.log(level, text, **keywords)


def getLogger(name: str) -> NamedValuesLogger:  # noqa: N802 (its name in the standard library)
    """Return a logger by name.

    >>> getLogger("my.module").name
    'my.module'
    """
    return NamedValuesLogger(logging.getLogger(name), {})
