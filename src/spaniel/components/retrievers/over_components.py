"""What retrievers over other components have in common."""

from collections.abc import Sequence
from typing import Any

from spaniel.components.lifecycle import Lifecycle, call_each
from spaniel.core.serialization import Serializable
from spaniel.runtime import Call, Program, async_method, sync_method


class OverComponents(Serializable):
    """A component that calls others: it prepares and closes them, and is written as data together with them."""

    def _inner(self) -> Sequence[Any]:
        """Return the other components, in the order in which they are called."""
        raise NotImplementedError

    @sync_method
    def warm_up(self) -> Program[None]:
        """Prepare the inner components; `run` does so, too."""
        yield from call_each(self._inner(), Lifecycle.warm_up)

    warm_up_async = async_method(warm_up)

    @sync_method
    def close(self) -> Program[None]:
        """Close the inner components that can be closed."""
        yield from call_each(self._inner(), Lifecycle.close)

    close_async = async_method(close)


def documents_from(call: Call, name: str = "") -> Program[list[Any]]:
    """Return the documents that a retriever finds; none where its result holds none.

    :param call: of its ``run``.
    :param name: of the retriever, for its errors; "" leaves them as they are.
    :raises RuntimeError: the retriever failed, and has a name.
    """
    try:
        result = yield call
    except Exception as error:
        if not name:
            raise
        raise RuntimeError(f"{name} failed: {error}") from error
    return list((result or {}).get("documents") or ())


def checked_queries(queries: list[str]) -> list[str]:
    """Return `queries`.

    :raises TypeError: they are one string: its characters would be searched for, one by one.
    """
    if isinstance(queries, str):
        raise TypeError(f"queries must be a list of strings, not one string: pass [{queries!r}].")
    return queries
