"""An embedder of documents with a model of OpenAI, or of any server with the same interface."""

from typing import Any

from spaniel.components.embedders.openai_text_embedder import API_KEY, OpenAIEmbedder
from spaniel.components.embedders.server_embedders import ServerDocumentEmbedder
from spaniel.core.component import component
from spaniel.core.secret import Secret


@component
class OpenAIDocumentEmbedder(OpenAIEmbedder, ServerDocumentEmbedder):
    """Embeds documents with a model of OpenAI, or of a server with the same interface.

    :param api_key: as in `OpenAITextEmbedder`, as are all parameters that are not here.
    :param batch_size: number of documents of a request.
    :param progress_bar: show a progress bar on a terminal.
    :param meta_fields_to_embed: metadata keys whose values precede the content.
    :param embedding_separator: text between those values and the content.
    :param raise_on_failure: False: documents of a failed request are returned without a vector, and
        the error is logged.
    """

    def __init__(
        self,
        api_key: Secret | None = API_KEY,
        model: str = "text-embedding-3-small",
        dimensions: int | None = None,
        api_base_url: str | None = None,
        organization: str | None = None,
        prefix: str = "",
        suffix: str = "",
        batch_size: int = 32,
        progress_bar: bool = True,
        meta_fields_to_embed: list[str] | None = None,
        embedding_separator: str = "\n",
        timeout: float | None = None,
        max_retries: int | None = None,
        http_client_kwargs: dict[str, Any] | None = None,
        *,
        raise_on_failure: bool = False,
    ) -> None:
        self.api_key = api_key
        self.model = model
        self.dimensions = dimensions
        self.api_base_url = api_base_url
        self.organization = organization
        self.prefix = prefix
        self.suffix = suffix
        self.batch_size = batch_size
        self.progress_bar = progress_bar
        self.meta_fields_to_embed = list(meta_fields_to_embed or [])
        self.embedding_separator = embedding_separator
        self.timeout = timeout
        self.max_retries = max_retries
        self.http_client_kwargs = http_client_kwargs
        self.raise_on_failure = raise_on_failure
