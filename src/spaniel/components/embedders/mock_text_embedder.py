"""An embedder of texts for tests and examples, without a model."""

from typing import Any

from spaniel.components.embedders.mock_embedder import EmbeddingFn, MockEmbedder
from spaniel.core.component import component
from spaniel.dataclasses.copying import copy_value
from spaniel.runtime import Program, async_method, sync_method


@component
class MockTextEmbedder(MockEmbedder):
    """Embeds a text without a model: the same text gives the same vector, on every machine.

    The vectors carry no meaning: close texts are no closer than others.

    :param embedding: one vector for every text.
    :param embedding_fn: takes the text, returns its vector. Not together with `embedding`.
    :param dimension: numbers a vector, where it is drawn from the text's hash.
    :param model: the name to report.
    :param meta: more to report.
    :param prefix: put before each text.
    :param suffix: put after each text.
    :raises ValueError: both `embedding` and `embedding_fn`, an empty `embedding`, or a `dimension` below 1.
    :raises TypeError: `embedding` is no list or tuple of numbers.

    >>> MockTextEmbedder(dimension=3).run("I love pizza!")["meta"]
    {'model': 'mock-model', 'usage': {'prompt_tokens': 3, 'total_tokens': 3}}
    """

    def __init__(
        self,
        embedding: list[float] | None = None,
        *,
        embedding_fn: EmbeddingFn | None = None,
        dimension: int = 768,
        model: str = "mock-model",
        meta: dict[str, Any] | None = None,
        prefix: str = "",
        suffix: str = "",
    ) -> None:
        self._choose_source(embedding, embedding_fn, dimension)
        self.model = model
        self.meta = copy_value(meta or {})
        self.prefix = prefix
        self.suffix = suffix

    @component.output_types(embedding=list[float], meta=dict[str, Any])
    @sync_method
    def run(self, text: str) -> Program[dict[str, Any]]:
        """Return the vector of a text.

        :param text: the text.
        :returns: ``{"embedding": [...], "meta": {"model": ..., "usage": {...}}}``; the usage counts words.
        :raises TypeError: `text` is no string.
        """
        yield from ()
        if not isinstance(text, str):
            raise TypeError(
                f"MockTextEmbedder expects a string, not {type(text).__name__}. Use MockDocumentEmbedder for documents."
            )
        prepared = self.prefix + text + self.suffix
        return {"embedding": self._embed(prepared), "meta": self._report([prepared])}

    run_async = async_method(run)
