"""An embedder of texts with a model by its name on the Hugging Face Hub."""

from typing import Any, Literal

from spaniel.components.embedders.encoder_embedders import EncoderEmbedder, EncoderTextEmbedder
from spaniel.core.component import component
from spaniel.core.secret import Secret
from spaniel.embedding import Encoder
from spaniel.embedding.sentence_encoder import load_sentence_encoder
from spaniel.json_types import JsonObject

Precision = Literal["float32", "int8", "uint8", "binary", "ubinary"]
Backend = Literal["torch", "onnx", "openvino"]

TOKEN = Secret.from_env_var(["HF_API_TOKEN", "HF_TOKEN"], strict=False)


class SentenceTransformersEmbedder(EncoderEmbedder):
    """Base of the embedders with the parameters of Sentence Transformers."""

    device: str | None
    token: Secret | None
    batch_size: int
    normalize_embeddings: bool
    trust_remote_code: bool
    local_files_only: bool
    truncate_dim: int | None
    model_kwargs: JsonObject | None
    tokenizer_kwargs: JsonObject | None
    config_kwargs: JsonObject | None
    precision: Precision
    encode_kwargs: JsonObject | None
    backend: Backend
    revision: str | None

    def _load(self) -> Encoder:
        options = {
            "device": self.device,
            "token": None if self.token is None else self.token.resolve_value(),
            "trust_remote_code": self.trust_remote_code,
            "local_files_only": self.local_files_only,
            "truncate_dim": self.truncate_dim,
            "model_kwargs": self.model_kwargs,
            "tokenizer_kwargs": self.tokenizer_kwargs,
            "config_kwargs": self.config_kwargs,
            "backend": self.backend,
            "revision": self.revision,
        }
        encode_options = {
            "batch_size": self.batch_size,
            "normalize_embeddings": self.normalize_embeddings,
            "precision": self.precision,
            **(self.encode_kwargs or {}),
        }
        return load_sentence_encoder(self.model, options, encode_options)


@component
class SentenceTransformersTextEmbedder(SentenceTransformersEmbedder, EncoderTextEmbedder):
    """Embeds a text with a model by its name on the Hugging Face Hub.

    The package ``sentence-transformers`` computes it where it is installed; else the same model in
    ONNX format, which takes none of the parameters from `device` on but the prefix and suffix.

    :param model: the repository of the model, or a folder.
    :param device: such as ``cuda:0``; None: chosen by the package.
    :param token: of the hub, for private models.
    :param prefix: text before each text, such as the instruction that some models want.
    :param suffix: text after each text.
    :param batch_size: number of texts at a time.
    :param progress_bar: accepted for compatibility; a single text has none.
    :param normalize_embeddings: vectors have length 1; those of a model in ONNX format have it if
        the model says so.
    :param trust_remote_code: run code of the model's repository.
    :param local_files_only: fetch nothing.
    :param truncate_dim: the size to which vectors are cut.
    :param model_kwargs: of the model, `tokenizer_kwargs` and `config_kwargs`: of its parts.
    :param precision: of the numbers.
    :param encode_kwargs: further arguments of ``encode``.
    :param backend: of the computation.
    :param revision: of the repository.
    :raises ModelError: when it is first used: there is neither the package nor the model.
    """

    def __init__(
        self,
        model: str = "sentence-transformers/all-mpnet-base-v2",
        device: str | None = None,
        token: Secret | None = TOKEN,
        prefix: str = "",
        suffix: str = "",
        batch_size: int = 32,
        progress_bar: bool = True,
        normalize_embeddings: bool = False,
        trust_remote_code: bool = False,
        local_files_only: bool = False,
        truncate_dim: int | None = None,
        model_kwargs: dict[str, Any] | None = None,
        tokenizer_kwargs: dict[str, Any] | None = None,
        config_kwargs: dict[str, Any] | None = None,
        precision: Precision = "float32",
        encode_kwargs: dict[str, Any] | None = None,
        backend: Backend = "torch",
        revision: str | None = None,
    ) -> None:
        self.model = model
        self.device = device
        self.token = token
        self.prefix = prefix
        self.suffix = suffix
        self.batch_size = batch_size
        self.progress_bar = progress_bar
        self.normalize_embeddings = normalize_embeddings
        self.trust_remote_code = trust_remote_code
        self.local_files_only = local_files_only
        self.truncate_dim = truncate_dim
        self.model_kwargs = model_kwargs
        self.tokenizer_kwargs = tokenizer_kwargs
        self.config_kwargs = config_kwargs
        self.precision = precision
        self.encode_kwargs = encode_kwargs
        self.backend = backend
        self.revision = revision
