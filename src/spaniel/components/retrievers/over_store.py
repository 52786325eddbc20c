"""What every retriever has in common: a store, and data to build it again from."""

from typing import Any

from spaniel.core.serialization import Serializable


class OverStore(Serializable):
    """A component over a document store."""

    document_store: Any

    def close(self) -> None:
        """Close the store, if it is of a kind that can be closed."""
        close = getattr(self.document_store, "close", None)
        if close is not None:
            close()

    async def close_async(self) -> None:
        """Close what the async methods of the store use, if it is of a kind that can be closed."""
        close = getattr(self.document_store, "close_async", None)
        if close is not None:
            await close()
