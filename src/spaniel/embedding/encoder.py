"""The protocol of a model that turns texts into vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

Vectors: TypeAlias = "NDArray[np.float32]"
"""A row per text."""


class Encoder(Protocol):
    """A model that turns texts into vectors of one size.

    :param query_prefix: the text that the model needs before a query, and `passage_prefix`:
        before a passage.
    """

    name: str
    dimension: int
    query_prefix: str
    passage_prefix: str

    def encode(self, texts: Sequence[str], report: Callable[[int], None] | None = None) -> Vectors:
        """Return the vectors of texts, in their order.

        :param report: called with the number of texts that are done.
        """
        ...
