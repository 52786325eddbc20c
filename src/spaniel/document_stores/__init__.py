"""Document stores."""

from spaniel.core.serialization import register_store_opener


def _open_store(url: str) -> object:
    from spaniel.document_stores.urls import open_store

    return open_store(url)


register_store_opener(_open_store)
