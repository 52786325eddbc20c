"""The base of all document stores."""

from collections.abc import Mapping
from typing import ClassVar, NoReturn, SupportsIndex

from spaniel.core.serialization import Serializable


class BaseDocumentStore(Serializable):
    """Serialises the settings of a store; the documents stay where they are."""

    _parameter_attributes: ClassVar[Mapping[str, str]] = {"search": "search_scope"}

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise TypeError(
            f"{type(self).__name__} can't be pickled or copied, since it holds locks and open connections. "
            "Open the store again by its path or URL, or pass on `to_dict()` and call `from_dict()`."
        )
