"""The policy for duplicate ids."""

from enum import Enum


class DuplicatePolicy(Enum):
    """Handling of an id that is already in the store, or twice in the batch.

    - ``NONE``: the store's default, which is ``FAIL`` in the stores of Spaniel.
    - ``SKIP``: the stored document stays.
    - ``OVERWRITE``: the new document replaces the stored document, at the end of the store's order.
    - ``FAIL``: `DuplicateDocumentError`, and nothing is written.
    """

    NONE = "none"
    SKIP = "skip"
    OVERWRITE = "overwrite"
    FAIL = "fail"
