"""The named places of files: labels and anchors that links in other files may name."""

from collections.abc import Mapping
from pathlib import Path

from spaniel.components.converters.files import labels_of
from spaniel.errors import ConversionError
from spaniel.knowledge_base.reading import read_bytes
from spaniel.text.decoding import decode


def read_labels(files: Mapping[str, Path]) -> dict[str, dict[str, str]]:
    """Return the named places of files, each with its address; files without any are left out.

    :param files: by their path in the knowledge base. One that can't be read has none: indexing it tells the reason.
    """
    found = {}
    for path, file in files.items():
        try:
            labels = labels_of(decode(read_bytes(file), path), path)
        except (OSError, ConversionError):
            continue
        if labels:
            found[path] = labels
    return found
