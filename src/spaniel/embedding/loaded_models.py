"""The models that this process has loaded; embedders with the same one share it."""

from threading import Lock

from spaniel.embedding.model_files import find_model
from spaniel.embedding.onnx_encoder import OnnxEncoder

_loaded: dict[tuple[str, int | None, int | None], OnnxEncoder] = {}
_lock = Lock()


def load_onnx_encoder(model: str, *, max_tokens: int | None = None, threads: int | None = None) -> OnnxEncoder:
    """Return the encoder of a model; the same one for the same arguments.

    :param model: as in `find_model`; `max_tokens` and `threads`: as in `OnnxEncoder`.
    :raises ModelError: there is no such model.
    """
    key = (model, max_tokens, threads)
    with _lock:
        if key not in _loaded:
            _loaded[key] = OnnxEncoder(find_model(model), max_tokens=max_tokens, threads=threads)
        return _loaded[key]
