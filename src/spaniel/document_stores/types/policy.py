"""What happens when a document's id is in the store already."""

from enum import Enum


class DuplicatePolicy(Enum):
    """What a write does with an id that the store holds, or that the batch holds twice.

    - ``NONE``: the store's default, which is ``FAIL`` in the stores of Spaniel.
    - ``SKIP``: the stored document stays.
    - ``OVERWRITE``: the new document takes its place, at the end of the store's order.
    - ``FAIL``: `DuplicateDocumentError`, and nothing is written.
    """

    NONE = "none"
    SKIP = "skip"
    OVERWRITE = "overwrite"
    FAIL = "fail"
