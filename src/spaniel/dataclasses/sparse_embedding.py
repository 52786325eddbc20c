"""Sparse vectors."""

from dataclasses import dataclass
from typing import Self

from spaniel.dataclasses.mutation import WarnOnMutation
from spaniel.json_types import JsonObject


@dataclass(init=False)
class SparseEmbedding(WarnOnMutation):
    """A sparse vector.

    :param indices: the indices of the non-zero elements, in any order.
    :param values: their values.
    :raises ValueError: the two lists differ in length.

    >>> SparseEmbedding([3, 7], [0.5, 1.0]).to_dict()
    {'indices': [3, 7], 'values': [0.5, 1.0]}
    """

    indices: list[int]
    values: list[float]

    def __init__(self, indices: list[int], values: list[float]) -> None:
        if len(indices) != len(values):
            raise ValueError(
                f"`indices` and `values` must have the same length, got {len(indices)} indices, {len(values)} values."
            )
        self.__dict__.update(indices=indices, values=values)

    def to_dict(self) -> JsonObject:
        """Return the vector as plain data: ``{"indices": [...], "values": [...]}``."""
        return {"indices": list(self.indices), "values": list(self.values)}

    @classmethod
    def from_dict(cls, sparse_embedding_dict: JsonObject) -> Self:
        """Return the vector that `to_dict` wrote."""
        return cls(**sparse_embedding_dict)
