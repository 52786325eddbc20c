"""Embedders with a model in ONNX format."""

from spaniel.components.embedders.encoder_embedders import EncoderDocumentEmbedder, EncoderTextEmbedder
from spaniel.core.component import component
from spaniel.embedding import Encoder
from spaniel.embedding.loaded_models import load_onnx_encoder

DEFAULT_MODEL = "all-MiniLM-L6-v2"


@component
class OnnxTextEmbedder(EncoderTextEmbedder):
    """Embeds a text, such as a query, with a model in ONNX format (docs/models.md).

    :param model: a folder or an archive with an ONNX file and a tokenizer, the name of an installed
        model, or a repository of the Hugging Face Hub.
    :param prefix: text before each text; None: that of the model for queries.
    :param suffix: text after each text.
    :param max_tokens: longer texts are cut; None: as the model wants it.
    :param threads: number of texts at a time; None: the number of processors.
    :raises ModelError: when it is first used: there is no such model.
    """

    def __init__(
        self,
        model: str = DEFAULT_MODEL,
        *,
        prefix: str | None = None,
        suffix: str = "",
        max_tokens: int | None = None,
        threads: int | None = None,
    ) -> None:
        self.model = model
        self.prefix = prefix
        self.suffix = suffix
        self.max_tokens = max_tokens
        self.threads = threads

    def _load(self) -> Encoder:
        return load_onnx_encoder(self.model, max_tokens=self.max_tokens, threads=self.threads)


@component
class OnnxDocumentEmbedder(EncoderDocumentEmbedder):
    """Embeds documents with a model in ONNX format (docs/models.md).

    :param model: as in `OnnxTextEmbedder`, as are `max_tokens` and `threads`.
    :param prefix: text before each text; None: that of the model for passages.
    :param suffix: text after each text.
    :param meta_fields_to_embed: metadata keys whose values precede the content.
    :param embedding_separator: text between those values and the content.
    :param progress_bar: show a progress bar on a terminal.
    :raises ModelError: when it is first used: there is no such model.
    """

    def __init__(
        self,
        model: str = DEFAULT_MODEL,
        *,
        prefix: str | None = None,
        suffix: str = "",
        meta_fields_to_embed: list[str] | None = None,
        embedding_separator: str = "\n",
        progress_bar: bool = True,
        max_tokens: int | None = None,
        threads: int | None = None,
    ) -> None:
        self.model = model
        self.prefix = prefix
        self.suffix = suffix
        self.meta_fields_to_embed = list(meta_fields_to_embed or [])
        self.embedding_separator = embedding_separator
        self.progress_bar = progress_bar
        self.max_tokens = max_tokens
        self.threads = threads

    def _load(self) -> Encoder:
        return load_onnx_encoder(self.model, max_tokens=self.max_tokens, threads=self.threads)
