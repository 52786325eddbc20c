"""Loggers whose messages name their values, as in Haystack: ``logger.info("{count} documents", count=3)``."""

import logging
from logging import CRITICAL, DEBUG, ERROR, INFO, WARNING
from typing import Any

__all__ = ["CRITICAL", "DEBUG", "ERROR", "INFO", "WARNING", "NamedValuesLogger", "getLogger"]

_OWN = {"exc_info", "extra", "stack_info", "stacklevel"}


class NamedValuesLogger(logging.LoggerAdapter[logging.Logger]):
    """A logger of the standard library that takes its values by name, and no others.

    A message is put together only where somebody listens. The record keeps the values as attributes.
    """

    def log(self, level: int, msg: object, *args: object, **kwargs: Any) -> None:
        """Write a message.

        :param level: as in the standard library.
        :param msg: text with ``{names}``.
        :param args: none; values are given by name.
        :param kwargs: the values, and ``exc_info``, ``extra``, ``stack_info``, ``stacklevel`` of the standard library.
        :raises TypeError: a value is given without a name.
        """
        if args:
            raise TypeError(f"Values of a log message are given by name, unlike {args[0]!r} of {msg!r}.")
        if not self.isEnabledFor(level):
            return
        own = {name: kwargs.pop(name) for name in _OWN & kwargs.keys()}
        own["stacklevel"] = own.get("stacklevel", 1) + 1  # the caller's line, not this one
        text = str(msg).format(**kwargs) if kwargs else str(msg)
        self.logger.log(level, text, **own)


def getLogger(name: str) -> NamedValuesLogger:  # noqa: N802 (the name that it has everywhere)
    """Return the logger of a name.

    >>> getLogger("my.module").name
    'my.module'
    """
    return NamedValuesLogger(logging.getLogger(name), {})
