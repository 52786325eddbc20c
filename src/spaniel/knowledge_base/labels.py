"""The named places of files: labels and anchors that links in other files may name."""

from pathlib import Path

from spaniel.components.converters.files import holds_rows, labels_of
from spaniel.errors import ConversionError
from spaniel.knowledge_base.reading import read_bytes
from spaniel.text.decoding import decode


def read_labels(path: str, file: Path) -> dict[str, str]:
    """Return the named places of a file, each with its address; none if it can't be read: indexing it tells the reason.

    :param path: in the knowledge base.
    :param file: where it is.
    """
    if holds_rows(path):
        return {}
    try:
        return labels_of(decode(read_bytes(file), path), path)
    except (OSError, ConversionError):
        return {}
