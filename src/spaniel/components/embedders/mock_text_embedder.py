"""A text embedder without a model, for tests and examples."""

from spaniel.components.embedders.embedded_text import check_text
from spaniel.components.embedders.mock_embedder import MockEmbedder
from spaniel.core.component import component
from spaniel.json_types import JsonObject
from spaniel.runtime import Program, async_method, sync_method


@component
class MockTextEmbedder(MockEmbedder):
    """Embeds a text without a model: the same text gets the same vector on every machine.

    The vectors have no meaning: their distances do not reflect similarity.

    :param embedding: the vector of every text.
    :param embedding_fn: function from a text to its vector. Exclusive with `embedding`.
    :param dimension: the number of dimensions of vectors drawn from the text's hash.
    :param model: the reported name of the model.
    :param meta: more metadata to report.
    :param prefix: text before each text.
    :param suffix: text after each text.
    :raises ValueError: both `embedding` and `embedding_fn` are given, `embedding` is empty, or
        `dimension` is below 1.
    :raises TypeError: `embedding` is not a list or tuple of numbers.

    >>> MockTextEmbedder(dimension=3).run("I love pizza!")["meta"]
    {'model': 'mock-model', 'usage': {'prompt_tokens': 3, 'total_tokens': 3}}
    """

    @component.output_types(embedding=list[float], meta=JsonObject)
    @sync_method
    def run(self, text: str) -> Program[JsonObject]:
        """Return the vector of a text.

        :param text: the text.
        :returns: ``{"embedding": [...], "meta": {"model": ..., "usage": {...}}}``; the usage counts
            words.
        :raises TypeError: `text` is not a string.
        """
        yield from ()
        check_text(text, "MockTextEmbedder")
        prepared = self.prefix + text + self.suffix
        return {"embedding": self._embed(prepared), "meta": self._report_usage([prepared])}

    run_async = async_method(run)
