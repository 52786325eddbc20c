"""Vectors without a model: fixed, computed by a function, or drawn from the text's hash."""

import hashlib
import math
import random
from collections.abc import Callable, Sequence
from typing import Any, Self

from spaniel.core.callables import deserialize_callable, serialize_callable
from spaniel.core.serialization import Serializable, default_from_dict, get_constructor_parameters
from spaniel.dataclasses.copying import copy_value

EmbeddingFn = Callable[[str], list[float]]


def hash_embedding(text: str, dimension: int) -> list[float]:
    """Return a vector of length 1 that depends on the text alone, the same on every machine.

    :param dimension: how many numbers.

    >>> hash_embedding("cat", 4) == hash_embedding("cat", 4) != hash_embedding("dog", 4)
    True
    """
    seed = int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8], "big")
    draw = random.Random(seed).uniform  # noqa: S311  # the vector should be repeatable, not secret
    vector = [draw(-1.0, 1.0) for _ in range(dimension)]
    norm = math.sqrt(sum(number * number for number in vector))
    return [number / norm for number in vector] if norm else vector


def as_embedding(value: object, origin: str) -> list[float]:
    """Return a list or tuple of numbers as a list of floats.

    :param origin: what the value is, for the message.
    :raises TypeError: it is something else.
    :raises ValueError: it is empty.
    """
    if not isinstance(value, (list, tuple)) or not all(isinstance(number, (int, float)) for number in value):
        raise TypeError(f"{origin} must be a sequence of numbers: a list or a tuple, not {value!r:.100}.")
    if not value:
        raise ValueError(f"{origin} must not be empty.")
    return [float(number) for number in value]


class MockEmbedder(Serializable):
    """What the two mock embedders share: where a vector comes from, and what is reported about it."""

    embedding: list[float] | None
    embedding_fn: EmbeddingFn | None
    dimension: int
    model: str
    meta: dict[str, Any]

    def _choose_source(self, embedding: object, embedding_fn: EmbeddingFn | None, dimension: int) -> None:
        if embedding is not None and embedding_fn is not None:
            raise ValueError("Pass either 'embedding' or 'embedding_fn', not both.")
        if embedding is None and embedding_fn is None and dimension <= 0:
            raise ValueError(f"'dimension' must be a positive integer, not {dimension}.")
        self.embedding = None if embedding is None else as_embedding(embedding, "'embedding'")
        self.embedding_fn = embedding_fn
        self.dimension = dimension

    def warm_up(self) -> None:
        """Return at once: there is no model to load."""

    def _embed(self, text: str) -> list[float]:
        if self.embedding_fn is not None:
            return as_embedding(self.embedding_fn(text), "the return value of 'embedding_fn'")
        return hash_embedding(text, self.dimension) if self.embedding is None else list(self.embedding)

    def _report(self, texts: Sequence[str]) -> dict[str, Any]:
        words = sum(len(text.split()) for text in texts)
        usage = {"prompt_tokens": words, "total_tokens": words}
        report: dict[str, Any] = copy_value({"model": self.model, "usage": usage, **self.meta})
        return report

    def _init_parameters(self) -> dict[str, Any]:
        parameters = {name: getattr(self, name) for name in get_constructor_parameters(type(self))}
        if self.embedding_fn is not None:
            parameters["embedding_fn"] = serialize_callable(self.embedding_fn)
        return parameters

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Return the embedder that `to_dict` wrote.

        :raises DeserializationError: a parameter is unknown, or the function's module is not allowed (see
            `spaniel.core.serialization.allow_deserialization_module`).
        """
        parameters = data.get("init_parameters") or {}
        if isinstance(name := parameters.get("embedding_fn"), str):
            data = {**data, "init_parameters": {**parameters, "embedding_fn": deserialize_callable(name)}}
        return default_from_dict(cls, data)
