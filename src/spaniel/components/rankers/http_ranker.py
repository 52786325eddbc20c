"""Rankings by a model on a server."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

from spaniel.components.embedders.embedded_text import prepare_texts
from spaniel.components.rankers.ranked import list_distinct, rank_by_scores, validate_top_k
from spaniel.core.component import component
from spaniel.core.secret import Secret
from spaniel.core.serialization import Serializable
from spaniel.dataclasses import Document
from spaniel.embedding.model_server import ModelServer
from spaniel.errors import ModelServerError
from spaniel.runtime import Call, Program, async_method, sync_method

if TYPE_CHECKING:
    from spaniel.json_types import JsonObject

RankerInterface = Literal["cohere", "jina", "tei"]
"""The interface of a server; those of Cohere and Jina, and that of Text Embeddings Inference."""

_PATHS = {"cohere": "/v2/rerank", "jina": "/v1/rerank", "tei": "/rerank"}
_API_KEY = Secret.from_env_var("RANKER_API_KEY", strict=False)


@component
class HTTPRanker(Serializable):
    """Ranks documents by the scores of a cross-encoder on a server.

    :param url: the address of the server, without the path of the interface.
    :param model: the name of the model; None: that of the server.
    :param interface: ``cohere``, ``jina`` (also vLLM, llama.cpp, Infinity) or ``tei``.
    :param api_key: None, or an absent environment variable: none.
    :param top_k: the maximum number of documents; None returns all.
    :param min_score: the minimum score of a document.
    :param meta_fields_to_embed: metadata keys whose values precede the content.
    :param embedding_separator: text between those values and the content.
    :param batch_size: number of documents of a request.
    :param timeout: limit for a request in seconds.
    :param max_retries: further tries while the server is busy or can't be reached.
    :raises ValueError: a number is out of range, or the interface is unknown.
    """

    def __init__(
        self,
        url: str,
        model: str | None = None,
        *,
        interface: RankerInterface = "jina",
        api_key: Secret | None = _API_KEY,
        top_k: int | None = None,
        min_score: float | None = None,
        meta_fields_to_embed: list[str] | None = None,
        embedding_separator: str = "\n",
        batch_size: int = 32,
        timeout: float = 30.0,
        max_retries: int = 5,
    ) -> None:
        if interface not in get_args(RankerInterface):
            raise ValueError(f"interface must be {', '.join(get_args(RankerInterface))}, got {interface!r}.")
        if batch_size <= 0:
            raise ValueError(f"batch_size must be > 0, but got {batch_size}.")
        self.url = url
        self.model = model
        self.interface: RankerInterface = interface
        self.api_key = api_key
        self.top_k = validate_top_k(top_k)
        self.min_score = min_score
        self.meta_fields_to_embed = list(meta_fields_to_embed or [])
        self.embedding_separator = embedding_separator
        self.batch_size = batch_size
        self.timeout = timeout
        self.max_retries = max_retries
        self._server: ModelServer | None = None

    @component.output_types(documents=list[Document])
    @sync_method
    def run(
        self, query: str, documents: list[Document], top_k: int | None = None
    ) -> Program[dict[str, list[Document]]]:
        """Return the documents under ``documents``, best first, with the scores of the model.

        :param query: text.
        :param documents: of duplicates the copy with the highest score is kept.
        :param top_k: overrides the constructor's.
        :raises ModelServerError: the server can't be reached, or refuses the request.
        """
        limit = validate_top_k(top_k) or self.top_k
        distinct = list_distinct(documents)
        texts = prepare_texts(distinct, self.meta_fields_to_embed, self.embedding_separator, "", "")
        scores: list[float] = []
        for start in range(0, len(texts), self.batch_size):
            scores += yield from self._score(query, texts[start : start + self.batch_size])
        ranked = rank_by_scores(type(self).__name__, distinct, scores, top_k=limit, min_score=self.min_score)
        return {"documents": ranked}

    run_async = async_method(run)

    @sync_method
    def close(self) -> Program[None]:
        """Close the connections."""
        if self._server is not None:
            yield Call(self._server, ModelServer.close, {})

    close_async = async_method(close)

    def _score(self, query: str, texts: Sequence[str]) -> Program[list[float]]:
        if self._server is None:
            key = None if self.api_key is None else self.api_key.resolve_value()
            headers = {} if key is None else {"Authorization": f"Bearer {key}"}
            options: dict[str, Any] = {"timeout": self.timeout, "max_retries": self.max_retries}
            self._server = ModelServer(self.url, name="The ranker", headers=headers, **options)
        is_tei = self.interface == "tei"
        body: JsonObject = {"query": query, "texts" if is_tei else "documents": list(texts)}
        if self.model is not None:
            body["model"] = self.model
        if not is_tei:
            body["top_n"] = len(texts)
        answer = yield from self._server.ask(_PATHS[self.interface], body)
        found: Any = answer if is_tei else answer.get("results") if isinstance(answer, dict) else None
        key_of_score = "score" if is_tei else "relevance_score"
        try:
            scores = {each["index"]: float(each[key_of_score]) for each in found}
            return [scores[at] for at in range(len(texts))]
        except (KeyError, TypeError, ValueError) as error:
            raise ModelServerError(f"The ranker at {self.url} did not answer with {len(texts)} scores.") from error
