"""An embedder of documents with a model by its name on the Hugging Face Hub."""

from typing import Any

from spaniel.components.embedders.encoder_embedders import EncoderDocumentEmbedder
from spaniel.components.embedders.sentence_transformers_text_embedder import (
    TOKEN,
    Backend,
    Precision,
    SentenceTransformersEmbedder,
)
from spaniel.core.component import component
from spaniel.core.secret import Secret


@component
class SentenceTransformersDocumentEmbedder(SentenceTransformersEmbedder, EncoderDocumentEmbedder):
    """Embeds documents with a model by its name on the Hugging Face Hub.

    :param model: as in `SentenceTransformersTextEmbedder`, as are all parameters that are not here.
    :param progress_bar: show a progress bar on a terminal.
    :param meta_fields_to_embed: metadata keys whose values precede the content.
    :param embedding_separator: text between those values and the content.
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
        meta_fields_to_embed: list[str] | None = None,
        embedding_separator: str = "\n",
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
        self.meta_fields_to_embed = list(meta_fields_to_embed or [])
        self.embedding_separator = embedding_separator
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
