"""Base class of mock embedders: vectors that are fixed, computed, or drawn from a hash."""

import hashlib
import math
import random
from collections.abc import Callable, Sequence
from typing import TypeAlias

from spaniel.core.callables import CallableParameters
from spaniel.dataclasses.copying import copy_value
from spaniel.json_types import JsonObject

EmbeddingFn: TypeAlias = Callable[[str], list[float]]


def hash_embedding(text: str, dimension: int) -> list[float]:
    """Return a vector of length 1 that depends on the text alone, the same on every machine.

    >>> hash_embedding("cat", 4) == hash_embedding("cat", 4) != hash_embedding("dog", 4)
    True
    """
    seed = int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8], "big")
    draw = random.Random(seed).uniform  # noqa: S311  # the vector is repeatable, not secret
    vector = [draw(-1.0, 1.0) for _ in range(dimension)]
    norm = math.sqrt(sum(number * number for number in vector))
    return [number / norm for number in vector] if norm else vector


def validate_embedding(value: object, origin: str) -> list[float]:
    """Return a non-empty list or tuple of numbers as a list of floats."""
    if not isinstance(value, (list, tuple)) or not all(isinstance(number, (int, float)) for number in value):
        raise TypeError(f"{origin} must be a sequence of numbers: a list or a tuple, not {value!r:.100}.")
    if not value:
        raise ValueError(f"{origin} must not be empty.")
    return [float(number) for number in value]


class MockEmbedder(CallableParameters):
    """Base of the embedders without a model."""

    _own_options = frozenset()
    _callable_parameters = ("embedding_fn",)

    def __init__(
        self,
        embedding: list[float] | None = None,
        *,
        embedding_fn: EmbeddingFn | None = None,
        dimension: int = 768,
        model: str = "mock-model",
        meta: JsonObject | None = None,
        prefix: str = "",
        suffix: str = "",
    ) -> None:
        if embedding is not None and embedding_fn is not None:
            raise ValueError("Pass either 'embedding' or 'embedding_fn', not both.")
        if embedding is None and embedding_fn is None and dimension <= 0:
            raise ValueError(f"'dimension' must be a positive integer, not {dimension}.")
        self.embedding = None if embedding is None else validate_embedding(embedding, "'embedding'")
        self.embedding_fn = embedding_fn
        self.dimension = dimension
        self.model = model
        self.meta: JsonObject = copy_value(meta or {})
        self.prefix = prefix
        self.suffix = suffix

    def warm_up(self) -> None:
        """Do nothing: there is no model to load."""

    def _embed(self, text: str) -> list[float]:
        if self.embedding_fn is not None:
            return validate_embedding(self.embedding_fn(text), "the return value of 'embedding_fn'")
        return hash_embedding(text, self.dimension) if self.embedding is None else list(self.embedding)

    def _report_usage(self, texts: Sequence[str]) -> JsonObject:
        words = sum(len(text.split()) for text in texts)
        usage = {"prompt_tokens": words, "total_tokens": words}
        report: JsonObject = copy_value({"model": self.model, "usage": usage, **self.meta})
        return report
