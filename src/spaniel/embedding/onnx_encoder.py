"""Computation of a model by ONNX Runtime."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from spaniel.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spaniel.embedding.encoder import Vectors
    from spaniel.embedding.model_files import ModelFiles

_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_POOLED = ("sentence_embedding", "text_embeds")  # outputs of models that pool by themselves


class OnnxEncoder:
    """A transformer model in ONNX format, with its tokenizer.

    Each text is a call of its own, in parallel threads. So a vector depends on its text alone: in a
    batch, a quantized model rounds all texts by the largest of their numbers. It is also faster on
    a processor, since no text is filled up to the length of another.

    :param files: of the model.
    :param max_tokens: longer texts are cut; None: the length that the model was made for.
    :param threads: number of texts at a time; None: the number of processors.
    :raises ModelError: the files are not those of a model.
    :raises ImportError: ``onnxruntime`` or ``tokenizers`` is missing.
    """

    def __init__(self, files: ModelFiles, *, max_tokens: int | None = None, threads: int | None = None) -> None:
        self.name = files.name
        self.card = files.card
        self.query_prefix, self.passage_prefix = files.card.query_prefix, files.card.passage_prefix
        self._threads = threads or _count_processors()
        self._tokenizer, self._session = _open(files)
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_tokens or files.card.max_tokens)
        self._inputs = [each.name for each in self._session.get_inputs()]
        if unknown := set(self._inputs) - set(_INPUTS):
            raise ModelError(f"The model '{files.name}' has inputs that no text encoder has: {', '.join(unknown)}.")
        outputs = {each.name: each.shape[-1] for each in self._session.get_outputs()}
        self._output = next((name for name in _POOLED if name in outputs), next(iter(outputs)))
        size = outputs[self._output]
        self.dimension: int = size if isinstance(size, int) else len(self._encode_one("a"))

    def encode(self, texts: Sequence[str], report: Callable[[int], None] | None = None) -> Vectors:
        """Return the vectors of texts, in their order.

        :param report: called with the number of texts that are done.
        """
        import numpy as np

        vectors = np.empty((len(texts), self.dimension), np.float32)
        # the longest first, so that no thread is left with a long text at the end
        order = sorted(range(len(texts)), key=lambda at: -len(texts[at]))
        if self._threads == 1 or len(texts) == 1:
            for done, at in enumerate(order, 1):
                vectors[at] = self._encode_one(texts[at])
                if report is not None:
                    report(done)
            return vectors
        with ThreadPoolExecutor(self._threads, thread_name_prefix="spaniel-encoder") as pool:
            found = pool.map(self._encode_one, (texts[at] for at in order))
            for done, (at, vector) in enumerate(zip(order, found, strict=True), 1):
                vectors[at] = vector
                if report is not None:
                    report(done)
        return vectors

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens of a text, without a limit, but with the marks of its ends."""
        encoding = self._tokenizer.encode(text)
        return len(encoding.ids) + sum(len(part.ids) for part in encoding.overflowing)

    def _encode_one(self, text: str) -> Any:
        import numpy as np

        encoding = self._tokenizer.encode(text)
        mask = np.array([encoding.attention_mask], np.int64)
        given = {"input_ids": np.array([encoding.ids], np.int64), "attention_mask": mask}
        given["token_type_ids"] = np.array([encoding.type_ids], np.int64)
        (output,) = self._session.run([self._output], {name: given[name] for name in self._inputs})
        vector = (output[0] if output.ndim == 2 else self._pool(output[0])).astype(np.float32)
        length = float(np.linalg.norm(vector)) if self.card.is_normalized else 1.0
        return vector / length if length else vector

    def _pool(self, tokens: Any) -> Any:
        if self.card.pooling == "mean":
            return tokens.mean(0)
        return tokens[0] if self.card.pooling == "cls" else tokens[-1]


def _open(files: ModelFiles) -> tuple[Any, Any]:
    """Return the tokenizer and the session of a model."""
    try:
        import onnxruntime
        from tokenizers import Tokenizer
    except ImportError as error:
        raise ImportError(f"{error}. A model in ONNX format needs: pip install 'spaniel[onnx]'") from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # texts run in parallel
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    weights = files.weights if isinstance(files.weights, bytes) else str(files.weights)
    try:
        session = onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
        return Tokenizer.from_str(files.tokenizer), session
    except Exception as error:  # of two libraries, whose errors have no common class
        raise ModelError(f"The model '{files.name}' can't be read: {error}") from error


def _count_processors() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1
