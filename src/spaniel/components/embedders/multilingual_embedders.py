"""Embedders with the multilingual sentence encoder."""

from functools import cache

from spaniel.components.embedders.encoder_embedders import EncoderDocumentEmbedder, EncoderTextEmbedder
from spaniel.core.component import component
from spaniel.embedding import Encoder
from spaniel.embedding.multilingual_encoder import MULTILINGUAL_MODEL, MultilingualEncoder


@cache
def _load_model() -> MultilingualEncoder:
    return MultilingualEncoder()


@component
class MultilingualTextEmbedder(EncoderTextEmbedder):
    """Embeds a text of one of 16 languages, with the Universal Sentence Encoder (docs/models.md).

    :param prefix: text before each text.
    :param suffix: text after each text.
    :raises ImportError: when it is first used: ``spaniel[languages]`` is not installed.
    """

    def __init__(self, *, prefix: str = "", suffix: str = "") -> None:
        self.model = MULTILINGUAL_MODEL
        self.prefix = prefix
        self.suffix = suffix

    def _load(self) -> Encoder:
        return _load_model()


@component
class MultilingualDocumentEmbedder(EncoderDocumentEmbedder):
    """Embeds documents in 16 languages, with the Universal Sentence Encoder (docs/models.md).

    :param prefix: text before each text.
    :param suffix: text after each text.
    :param meta_fields_to_embed: metadata keys whose values precede the content.
    :param embedding_separator: text between those values and the content.
    :param progress_bar: show a progress bar on a terminal.
    :raises ImportError: when it is first used: ``spaniel[languages]`` is not installed.
    """

    def __init__(
        self,
        *,
        prefix: str = "",
        suffix: str = "",
        meta_fields_to_embed: list[str] | None = None,
        embedding_separator: str = "\n",
        progress_bar: bool = True,
    ) -> None:
        self.model = MULTILINGUAL_MODEL
        self.prefix = prefix
        self.suffix = suffix
        self.meta_fields_to_embed = list(meta_fields_to_embed or [])
        self.embedding_separator = embedding_separator
        self.progress_bar = progress_bar

    def _load(self) -> Encoder:
        return _load_model()
