"""What every retriever has in common: a store, and data to build it again from."""

from typing import Any

from spaniel.components.lifecycle import Lifecycle, call_each
from spaniel.core.serialization import Serializable
from spaniel.runtime import Program, async_method, sync_method


class OverStore(Serializable):
    """A component over a document store."""

    document_store: Any

    @sync_method
    def close(self) -> Program[None]:
        """Close the store, if it is of a kind that can be closed."""
        yield from call_each([self.document_store], Lifecycle.close)

    close_async = async_method(close)
