"""A model by its name on the Hugging Face Hub: with Sentence Transformers, or in ONNX format."""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from spaniel.embedding.loaded_models import load_onnx_encoder
from spaniel.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spaniel.embedding.encoder import Encoder, Vectors

_VARIABLE = "SPANIEL_MODEL_ALIASES"


def replace_alias(model: str) -> str:
    """Return the name that ``$SPANIEL_MODEL_ALIASES`` gives to a model, as in ``a=b,c=d``."""
    pairs = (pair.partition("=") for pair in os.environ.get(_VARIABLE, "").split(","))
    aliases = {name.strip(): other.strip() for name, _, other in pairs if other}
    return aliases.get(model, aliases.get(model.rpartition("/")[2], model))


def load_sentence_encoder(model: str, options: Mapping[str, Any], encode_options: Mapping[str, Any]) -> Encoder:
    """Return a model.

    :param model: a repository of the Hugging Face Hub, or a folder.
    :param options: of ``SentenceTransformer``, and `encode_options` of its method ``encode``;
        without the package, models in ONNX format have none.
    :raises ModelError: neither the package is installed, nor the model in ONNX format.
    """
    model = replace_alias(model)
    if find_spec("sentence_transformers") is not None:
        return SentenceTransformersEncoder(model, options, encode_options)
    try:
        return load_onnx_encoder(model)
    except (ImportError, ModelError) as error:
        raise ModelError(
            f"The model '{model}' needs the package of Sentence Transformers (pip install sentence-transformers), "
            f"or its files in ONNX format (pip install 'spaniel[onnx]', then: spaniel models add {model}). {error}"
        ) from error


class SentenceTransformersEncoder:
    """A model of Sentence Transformers.

    :param name: of the model.
    :param options: of ``SentenceTransformer``, such as ``device``.
    :param encode_options: of its method ``encode``, such as ``normalize_embeddings``.
    """

    query_prefix = passage_prefix = ""

    def __init__(self, name: str, options: Mapping[str, Any], encode_options: Mapping[str, Any]) -> None:
        from sentence_transformers import SentenceTransformer

        self.name = name
        self._model = SentenceTransformer(name, **options)
        self._encode_options = dict(encode_options)
        self.dimension: int = self._model.get_sentence_embedding_dimension()

    def encode(self, texts: Sequence[str], report: Callable[[int], None] | None = None) -> Vectors:
        """Return the vectors of texts, in their order."""
        vectors: Vectors = self._model.encode(list(texts), show_progress_bar=False, **self._encode_options)
        if report is not None:
            report(len(texts))
        return vectors
