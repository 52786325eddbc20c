"""A sparse vector."""

from dataclasses import dataclass
from typing import Any

from spaniel.dataclasses.mutation import WarnOnMutation


@dataclass(init=False)
class SparseEmbedding(WarnOnMutation):
    """A sparse vector: the places that are not zero, and their values.

    :param indices: the places, in any order.
    :param values: one value for each place.
    :raises ValueError: the two lists differ in length.

    >>> SparseEmbedding([3, 7], [0.5, 1.0]).to_dict()
    {'indices': [3, 7], 'values': [0.5, 1.0]}
    """

    indices: list[int]
    values: list[float]

    def __init__(self, indices: list[int], values: list[float]) -> None:
        if len(indices) != len(values):
            raise ValueError(
                f"A sparse embedding needs one value an index: {len(indices)} indices, {len(values)} values."
            )
        self.__dict__.update(indices=indices, values=values)

    def to_dict(self) -> dict[str, Any]:
        """Return the vector as plain data: ``{"indices": [...], "values": [...]}``."""
        return {"indices": list(self.indices), "values": list(self.values)}

    @classmethod
    def from_dict(cls, sparse_embedding_dict: dict[str, Any]) -> "SparseEmbedding":
        """Return the vector that `to_dict` wrote."""
        return cls(**sparse_embedding_dict)
