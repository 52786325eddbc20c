"""The base class of retrievers over OpenSearch."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

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
            logger.warning("The %s failed; nothing is returned instead: %s", operation, error)
