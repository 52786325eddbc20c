"""What retrievers over other components have in common."""

from collections.abc import Sequence
from typing import Any

from spaniel.core.serialization import Serializable


class OverComponents(Serializable):
    """A component that calls others: it prepares and closes them, and is written as data together with them."""

    def _inner(self) -> Sequence[Any]:
        """Return the other components, in the order in which they are called."""
        raise NotImplementedError

    def warm_up(self) -> None:
        """Prepare the inner components; `run` does so, too."""
        for inner in self._inner():
            if hasattr(inner, "warm_up"):
                inner.warm_up()

    async def warm_up_async(self) -> None:
        """Prepare the inner components; `run_async` does so, too."""
        await _each_async(self._inner(), "warm_up")

    def close(self) -> None:
        """Close the inner components that can be closed."""
        for inner in self._inner():
            if hasattr(inner, "close"):
                inner.close()

    async def close_async(self) -> None:
        """Close the inner components that can be closed, by their async method where they have one."""
        await _each_async(self._inner(), "close")


async def _each_async(components: Sequence[Any], method: str) -> None:
    for inner in components:
        if hasattr(inner, f"{method}_async"):
            await getattr(inner, f"{method}_async")()
        elif hasattr(inner, method):
            getattr(inner, method)()


def checked_queries(queries: list[str]) -> list[str]:
    """Return `queries`.

    :raises TypeError: they are one string: its characters would be searched for, one by one.
    """
    if isinstance(queries, str):
        raise TypeError(f"queries must be a list of strings, not one string: pass [{queries!r}].")
    return queries


def documents_of(result: Any) -> list[Any]:
    """Return the documents in a retriever's result; none where it found nothing."""
    return list((result or {}).get("documents") or ())
