"""The base class of retrievers over OpenSearch."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from spaniel.components.retrievers.base import StoreRetriever
from spaniel.document_stores.opensearch import OpenSearchDocumentStore

logger = logging.getLogger(__name__)


class OpenSearchRetriever(StoreRetriever):
    """A retriever whose store can be replaced per run, and whose failures can be ignored."""

    _store_class = OpenSearchDocumentStore

    document_store: OpenSearchDocumentStore
    raise_on_failure: bool

    def _store(self, replacement: OpenSearchDocumentStore | None) -> OpenSearchDocumentStore:
        return self.document_store if replacement is None else self._accept_store(replacement)

    def _resolve(self, **options: object) -> dict[str, Any]:
        """Return the options of a run, with the constructor's in place of None."""
        return {name: getattr(self, name) if value is None else value for name, value in options.items()}

    @contextmanager
    def _log_failures(self, operation: str) -> Iterator[None]:
        """Log an error of the server as a warning unless `raise_on_failure`; invalid arguments always raise."""
        try:
            yield
        except (ValueError, TypeError):
            raise
        except Exception as error:
            if self.raise_on_failure:
                raise
            logger.warning("The %s failed, so it returns nothing: %s", operation, error)
