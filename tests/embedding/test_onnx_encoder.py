"""The encoder with a real model, beside the plain computation of its vectors."""

import json

import numpy as np
import onnxruntime
import pytest
from tokenizers import Tokenizer

from spaniel.embedding import OnnxEncoder, find_model
from spaniel.embedding.model_card import ModelCard
from spaniel.embedding.model_files import ModelFiles
from spaniel.errors import ModelError

SUN, RAIN, STADIUM = "The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."


@pytest.fixture(scope="module")
def encoder(minilm):
    return OnnxEncoder(find_model(minilm))


def compute_plainly(files: ModelFiles, text: str) -> list[float]:
    tokenizer = Tokenizer.from_str(files.tokenizer)
    tokenizer.no_padding()
    tokenizer.enable_truncation(256)
    encoded = tokenizer.encode(text)
    session = onnxruntime.InferenceSession(files.weights, providers=["CPUExecutionProvider"])
    ids = np.array([encoded.ids])
    given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    mean = session.run(None, given)[0][0].mean(axis=0)
    return (mean / np.linalg.norm(mean)).tolist()


def test_vectors_are_the_normalized_means_of_tokens(encoder, minilm):
    files = find_model(minilm)
    for text in (SUN, "", "naïve 日本語 🙂", "word " * 400):
        assert encoder.encode([text])[0] == pytest.approx(compute_plainly(files, text), abs=1e-6)


def test_cosines_are_those_of_the_model(encoder):
    sun, rain, stadium = encoder.encode([SUN, RAIN, STADIUM])
    assert float(sun @ rain) == pytest.approx(0.66, abs=0.01)
    assert float(sun @ stadium) == pytest.approx(0.13, abs=0.01)


def test_a_vector_does_not_depend_on_the_other_texts(encoder):
    texts = [SUN, "word " * 300, RAIN, "x", STADIUM]
    together = encoder.encode(texts)
    for text, vector in zip(texts, together, strict=True):
        assert encoder.encode([text])[0].tolist() == vector.tolist()


def test_progress_counts_the_texts(encoder):
    seen = []
    encoder.encode([SUN, RAIN, STADIUM], seen.append)
    assert seen == [1, 2, 3]


def test_no_texts_are_no_vectors(encoder):
    assert encoder.encode([]).shape == (0, 384)


def test_long_texts_are_cut_at_the_limit(minilm):
    short = OnnxEncoder(find_model(minilm), max_tokens=8)
    assert short.encode(["a b c d e f g h i j"])[0].tolist() == short.encode(["a b c d e f"])[0].tolist()
    assert short.count_tokens("a b c d e f g h i j") > 8


@pytest.mark.parametrize(
    ("weights", "tokenizer"), [(b"no model", json.dumps({"model": {}})), (b"", "{"), (b"\x08\x07", "[]")]
)
def test_damaged_files_are_an_error_with_the_name(weights, tokenizer):
    with pytest.raises(ModelError, match="'broken' can't be read"):
        OnnxEncoder(ModelFiles("broken", weights, tokenizer, ModelCard()))
