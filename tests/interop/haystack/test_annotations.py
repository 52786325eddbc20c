from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Optional

import pytest
from haystack import Document as TheirDocument
from haystack.core.component.types import GreedyVariadic as TheirGreedyVariadic
from haystack.core.component.types import Variadic as TheirVariadic
from haystack.dataclasses import ByteStream as TheirByteStream

from spaniel.core.component import GreedyVariadic, Variadic
from spaniel.dataclasses import ByteStream, Document
from spaniel.interop.haystack.annotations import type_from_haystack, type_to_haystack


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (Document, TheirDocument),
        (list[list[Document]], list[list[TheirDocument]]),
        (list[Document] | None, list[TheirDocument] | None),
        (Optional[dict[str, ByteStream]], Optional[dict[str, TheirByteStream]]),  # noqa: UP045 (the older spelling is tested)
        (list[str | ByteStream], list[str | TheirByteStream]),
        (Callable[[Document, int], str], Callable[[TheirDocument, int], str]),
        (Variadic[list[Document]], TheirVariadic[list[TheirDocument]]),
        (GreedyVariadic[Any], TheirGreedyVariadic[Any]),
    ],
)
def test_an_annotation_names_the_others_classes(ours, theirs):
    assert type_to_haystack(ours) == theirs
    assert type_from_haystack(theirs) == ours


@pytest.mark.parametrize("same", [Any, int, None, dict[str, Any], Literal["a", 1], tuple[int, ...], "Postponed"])
def test_other_annotations_stay(same):
    assert type_to_haystack(same) is same


def test_sequences_are_lists_there():
    assert type_to_haystack(Sequence[float]) == list[float]
    assert type_to_haystack(Mapping[str, Sequence[Document]] | None) == dict[str, list[TheirDocument]] | None
