"""The kinds of stores beside a folder that can keep a knowledge base."""

from collections.abc import Callable, Mapping
from typing import Any

from spaniel.document_stores.urls import StoreUrl, open_store, parse_store_url
from spaniel.errors import DocumentStoreError, KnowledgeBaseError
from spaniel.knowledge_base.keeping import Keeping


def _on_cluster(store: Any, place: str) -> Keeping:
    from spaniel.knowledge_base.on_cluster import OnCluster

    return OnCluster(store, place)


KINDS: Mapping[str, Callable[[Any, str], Keeping]] = {"opensearch": _on_cluster, "opensearch+https": _on_cluster}
"""What keeps a knowledge base in the store of a URL, by its scheme."""


def kept_at(url: str) -> Keeping:
    """Return what keeps a knowledge base at a URL. Nothing is asked before it is used.

    :raises KnowledgeBaseError: the URL is wrong, or names a store that can keep none.
    """
    try:
        parts = parse_store_url(url)
        return kept_as(parts, open_store(parts))
    except DocumentStoreError as error:
        raise KnowledgeBaseError(str(error)) from error


def kept_as(parts: StoreUrl, store: Any) -> Keeping:
    """Return what keeps a knowledge base in a store.

    :param parts: of its URL.
    :raises KnowledgeBaseError: it can keep none.
    """
    if (keep := KINDS.get(parts.scheme)) is None:
        raise KnowledgeBaseError(f"'{parts}' can't keep a knowledge base; these can: a folder, {', '.join(KINDS)}.")
    return keep(store, str(parts))
