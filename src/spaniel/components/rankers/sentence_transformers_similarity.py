"""Rankings by a cross-encoder of Sentence Transformers."""

from typing import Any, Literal

from spaniel.components.embedders.embedded_text import prepare_texts
from spaniel.components.rankers.ranked import list_distinct, rank_by_scores, validate_top_k
from spaniel.core.component import component
from spaniel.core.secret import Secret
from spaniel.core.serialization import Serializable
from spaniel.dataclasses import Document
from spaniel.runtime import Call, Program, async_method, sync_method

_TOKEN = Secret.from_env_var(["HF_API_TOKEN", "HF_TOKEN"], strict=False)


@component
class SentenceTransformersSimilarityRanker(Serializable):
    """Ranks documents by a cross-encoder, which reads the query and a document together.

    It needs the package ``sentence-transformers``. Parameters are Haystack's.

    :param model: a repository of the Hugging Face Hub, or a folder.
    :param device: such as ``cuda:0``; None: chosen by the package.
    :param token: of the hub, for private models.
    :param top_k: the maximum number of documents.
    :param query_prefix: text before the query, and `query_suffix`: after it.
    :param document_prefix: text before each document, and `document_suffix`: after it.
    :param meta_fields_to_embed: metadata keys whose values precede the content.
    :param embedding_separator: text between those values and the content.
    :param scale_score: map scores to between 0 and 1 by the logistic function.
    :param score_threshold: the minimum score of a document.
    :param trust_remote_code: run code of the model's repository.
    :param model_kwargs: of the model, `tokenizer_kwargs` and `config_kwargs`: of its parts.
    :param backend: of the computation.
    :param batch_size: number of pairs at a time.
    :raises ValueError: `top_k` is not greater than 0.
    """

    def __init__(
        self,
        *,
        model: str = "cross-encoder/ms-marco-MiniLM-L-6-v2",
        device: str | None = None,
        token: Secret | None = _TOKEN,
        top_k: int = 10,
        query_prefix: str = "",
        query_suffix: str = "",
        document_prefix: str = "",
        document_suffix: str = "",
        meta_fields_to_embed: list[str] | None = None,
        embedding_separator: str = "\n",
        scale_score: bool = True,
        score_threshold: float | None = None,
        trust_remote_code: bool = False,
        model_kwargs: dict[str, Any] | None = None,
        tokenizer_kwargs: dict[str, Any] | None = None,
        config_kwargs: dict[str, Any] | None = None,
        backend: Literal["torch", "onnx", "openvino"] = "torch",
        batch_size: int = 16,
    ) -> None:
        validate_top_k(top_k)
        self.model = model
        self.device = device
        self.token = token
        self.top_k = top_k
        self.query_prefix = query_prefix
        self.query_suffix = query_suffix
        self.document_prefix = document_prefix
        self.document_suffix = document_suffix
        self.meta_fields_to_embed = list(meta_fields_to_embed or [])
        self.embedding_separator = embedding_separator
        self.scale_score = scale_score
        self.score_threshold = score_threshold
        self.trust_remote_code = trust_remote_code
        self.model_kwargs = model_kwargs
        self.tokenizer_kwargs = tokenizer_kwargs
        self.config_kwargs = config_kwargs
        self.backend = backend
        self.batch_size = batch_size
        self._cross_encoder: Any = None

    def warm_up(self) -> None:
        """Load the model, unless it is loaded.

        :raises ImportError: the package is not installed.
        """
        if self._cross_encoder is not None:
            return
        try:
            from sentence_transformers import CrossEncoder
        except ImportError as error:
            raise ImportError(
                f"{error}. A cross-encoder needs: pip install sentence-transformers; HTTPRanker takes one from a server."
            ) from error
        self._cross_encoder = CrossEncoder(
            self.model,
            device=self.device,
            token=None if self.token is None else self.token.resolve_value(),
            trust_remote_code=self.trust_remote_code,
            model_kwargs=self.model_kwargs,
            tokenizer_kwargs=self.tokenizer_kwargs,
            config_kwargs=self.config_kwargs,
            backend=self.backend,
        )

    @component.output_types(documents=list[Document])
    @sync_method
    def run(
        self,
        *,
        query: str,
        documents: list[Document],
        top_k: int | None = None,
        scale_score: bool | None = None,
        score_threshold: float | None = None,
    ) -> Program[dict[str, list[Document]]]:
        """Return the documents under ``documents``, best first, with the scores of the model.

        :param query: text.
        :param documents: of duplicates the copy with the highest score is kept.
        :param top_k, scale_score, score_threshold: override the constructor's.
        """
        limit = validate_top_k(top_k) or self.top_k
        yield Call(self, SentenceTransformersSimilarityRanker.warm_up, {})
        distinct = list_distinct(documents)
        texts = prepare_texts(
            distinct, self.meta_fields_to_embed, self.embedding_separator, self.document_prefix, self.document_suffix
        )
        asked = f"{self.query_prefix}{query}{self.query_suffix}"
        is_scaled = self.scale_score if scale_score is None else scale_score
        pairs = [(asked, text) for text in texts]
        scores = yield Call(self, SentenceTransformersSimilarityRanker.score, {"pairs": pairs, "scaled": is_scaled})
        least = self.score_threshold if score_threshold is None else score_threshold
        return {"documents": rank_by_scores(type(self).__name__, distinct, scores, top_k=limit, min_score=least)}

    run_async = async_method(run)

    def score(self, pairs: list[tuple[str, str]], *, scaled: bool) -> list[float]:
        """Return the score of each pair of a query and a text."""
        if not pairs:
            return []
        import numpy as np

        logits = self._cross_encoder.predict(
            pairs, batch_size=self.batch_size, activation_fn=lambda logits: logits, convert_to_numpy=True
        )
        raw = np.asarray(logits, np.float64).reshape(len(pairs))
        scores: list[float] = (1 / (1 + np.exp(-raw)) if scaled else raw).tolist()
        return scores
