"""The base class of retrievers over OpenSearch."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from spaniel.components.retrievers.base import StoreRetriever
from spaniel.document_stores.opensearch import OpenSearchDocumentStore
from spaniel.filters import FilterPolicy, apply_filter_policy
from spaniel.json_types import Filters

logger = logging.getLogger(__name__)


class OpenSearchRetriever(StoreRetriever):
    """A retriever whose store can be replaced per run, and whose failures can be ignored."""

    _store_class = OpenSearchDocumentStore

    _search_options: ClassVar[tuple[str, ...]]
    """The options of a run that default to the constructor's."""

    document_store: OpenSearchDocumentStore
    filters: Filters
    filter_policy: FilterPolicy
    raise_on_failure: bool

    def _store(self, replacement: OpenSearchDocumentStore | None) -> OpenSearchDocumentStore:
        return self.document_store if replacement is None else self._accept_store(replacement)

    def search_arguments(self, **options: object) -> dict[str, Any]:
        """Return the options of a run, with the constructor's in place of None."""
        own = {name: getattr(self, name) for name in self._search_options}
        given = {name: value for name, value in options.items() if value is not None or name not in own}
        return {**own, **given}

    def combine_filters(self, filters: Filters | None) -> Filters | None:
        """Return the constructor's filter combined with that of a run, by the policy."""
        return apply_filter_policy(self.filter_policy, self.filters, filters)

    @contextmanager
    def _log_failures(self, operation: str) -> Iterator[None]:
        """Log errors of the server unless `raise_on_failure`; invalid arguments always raise."""
        try:
            yield
        except (ValueError, TypeError):
            raise
        except Exception as error:
            if self.raise_on_failure:
                raise
            logger.warning("The %s failed, so it returns nothing: %s", operation, error)
