"""The two faces of a store, so that one test body tries both."""

from typing import Any

from spaniel import Document


class SyncFace:
    """A store whose plain methods can be awaited."""

    def __init__(self, store: Any) -> None:
        self.store = store

    def __getattr__(self, name: str) -> Any:
        async def call(*args, **kwargs):
            return getattr(self.store, name)(*args, **kwargs)

        return call


class AsyncFace:
    """A store that answers by its async methods."""

    def __init__(self, store: Any) -> None:
        self.store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, f"{name}_async")


def named(*ids: str, **fields: Any) -> list[Document]:
    """Documents with these ids, of which the text is the id."""
    return [Document(id=id, **{"content": id, **fields}) for id in ids]


def ids_of(documents: list[Document]) -> list[str]:
    return [document.id for document in documents]


def equal(field: str, value: Any) -> dict[str, Any]:
    return {"field": field, "operator": "==", "value": value}
