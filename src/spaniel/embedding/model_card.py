"""The facts of a model besides its weights: pooling, prefixes, length."""

import re
from dataclasses import dataclass
from typing import Literal

Pooling = Literal["mean", "cls", "last"]


@dataclass(frozen=True)
class ModelCard:
    """The facts that are needed to use a model.

    :param pooling: the vector of a text: the mean of those of its tokens, that of the first token
        (``cls``), or of the last.
    :param query_prefix: text that a query begins with.
    :param passage_prefix: text that a passage begins with.
    :param max_tokens: longer texts are cut there.
    :param is_normalized: vectors have length 1.
    """

    pooling: Pooling = "mean"
    query_prefix: str = ""
    passage_prefix: str = ""
    max_tokens: int = 512
    is_normalized: bool = True


_BGE = "Represent this sentence for searching relevant passages: "

_CARDS: tuple[tuple[str, ModelCard], ...] = (
    (r"all-minilm-l(6|12)-v[12]", ModelCard(max_tokens=256)),
    (r"all-mpnet-base-v[12]", ModelCard(max_tokens=384)),
    (r"multi-qa-(minilm-l6-cos|mpnet-base-dot|mpnet-base-cos)-v1", ModelCard()),
    (r"paraphrase-(multilingual-)?(minilm|mpnet|albert)\S*", ModelCard(max_tokens=128)),
    (r"bge-m3", ModelCard("cls", max_tokens=8192)),
    (r"bge-(small|base|large)-zh(-v1\.?5)?", ModelCard("cls", "为这个句子生成表示以用于检索相关文章：")),  # noqa: RUF001 (the model's own)
    (r"bge-(small|base|large)-en(-v1\.?5)?", ModelCard("cls", _BGE)),
    (r"mxbai-embed-(large|xsmall)-v1", ModelCard("cls", _BGE)),
    (r"snowflake-arctic-embed-(xs|s|m|l)", ModelCard("cls", _BGE)),
    (r"(multilingual-)?e5-(small|base|large)(-unsupervised|-v2)?", ModelCard("mean", "query: ", "passage: ")),
    (r"gte-(small|base|large)", ModelCard()),
    (r"gte-(base|large)-en-v1\.?5", ModelCard("cls", max_tokens=8192)),
    (
        r"nomic-embed-text-v1(\.5)?",
        ModelCard(query_prefix="search_query: ", passage_prefix="search_document: ", max_tokens=8192),
    ),
    (r"jina-embeddings-v2-(small|base)-\w+", ModelCard(max_tokens=8192)),
    (r"labse", ModelCard("cls", max_tokens=256)),
)
"""By a pattern of their names; the values are those of each model's own description."""

_QUANTIZED = re.compile(r"[-_.](q|int8|uint8|quantized|fp16|onnx|qint8\S*)$")


def find_card(name: str) -> ModelCard | None:
    """Return the facts of a known model.

    :param name: with or without its owner, and with or without a word for its precision.

    >>> find_card("sentence-transformers/all-MiniLM-L6-v2").max_tokens
    256
    >>> find_card("bge-small-en-v1.5-q").pooling
    'cls'
    """
    short = name.rstrip("/").rpartition("/")[2].lower()
    while (stem := _QUANTIZED.sub("", short)) != short:
        short = stem
    return next((card for pattern, card in _CARDS if re.fullmatch(pattern, short)), None)
