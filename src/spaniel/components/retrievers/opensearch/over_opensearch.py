"""What the retrievers over OpenSearch have in common."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from spaniel.components.retrievers.over_store import OverStore
from spaniel.document_stores.opensearch import OpenSearchDocumentStore
from spaniel.errors import WrongStoreError

logger = logging.getLogger(__name__)


def opensearch_store(document_store: object) -> Any:
    """Return the store.

    :raises WrongStoreError: it is no `OpenSearchDocumentStore`.
    """
    if not isinstance(document_store, OpenSearchDocumentStore):
        raise WrongStoreError(
            f"document_store must be an instance of OpenSearchDocumentStore, not {type(document_store).__name__}."
        )
    return document_store


class OverOpenSearch(OverStore):
    """A retriever in a store that a run may replace, and whose failures may be ignored."""

    raise_on_failure: bool

    def _store(self, instead: OpenSearchDocumentStore | None) -> Any:
        return self.document_store if instead is None else opensearch_store(instead)

    @contextmanager
    def _failures(self, what: str) -> Iterator[None]:
        """Turn what goes wrong at the server into a warning, unless it is to be raised; a wrong argument is always raised."""
        try:
            yield
        except (ValueError, TypeError):
            raise
        except Exception as error:
            if self.raise_on_failure:
                raise
            logger.warning("The %s failed; nothing is returned instead: %s", what, error)
