"""Algorithms one after the other: a chain is a generator of parts, and two drivers run it over a store."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, TypeVar

from spaniel.strategies.driver import drive, drive_async
from spaniel.strategies.requests import Strategy

T = TypeVar("T")


@dataclass(frozen=True)
class Part:
    """An algorithm of a chain, with its parameters bound; it is a stage of its own in a trace.

    :param name: the name of the stage.
    """

    name: str
    strategy: Strategy[Any]


Chain = Generator[Part, Any, T]
"""A running chain: yields parts, is sent what each returns, returns its own result."""


def drive_chain(chain: Chain[T], store: object) -> T:
    """Return what a chain returns, the requests of its parts answered by a store's methods."""
    answer: Any = None
    while True:
        try:
            part = chain.send(answer)
        except StopIteration as stop:
            result: T = stop.value
            return result
        answer = drive(part.strategy, store, part.name)


async def drive_chain_async(chain: Chain[T], store: object) -> T:
    """Return what `drive_chain` returns."""
    answer: Any = None
    while True:
        try:
            part = chain.send(answer)
        except StopIteration as stop:
            result: T = stop.value
            return result
        answer = await drive_async(part.strategy, store, part.name)
