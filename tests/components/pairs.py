"""The same document for both libraries, and the compared parts of results."""

import dataclasses
from typing import Any

import haystack
from hypothesis import strategies as st

from spaniel import Document


@dataclasses.dataclass(frozen=True)
class Spec:
    """A document that either library can build."""

    id: str
    content: str | None = None
    meta: dict[str, Any] = dataclasses.field(default_factory=dict)
    score: float | None = None

    def ours(self) -> Document:
        return Document(id=self.id, content=self.content, meta=dict(self.meta), score=self.score)

    def theirs(self) -> haystack.Document:
        return haystack.Document(id=self.id, content=self.content, meta=dict(self.meta), score=self.score)


def ours(specs: list[Spec]) -> list[Document]:
    return [spec.ours() for spec in specs]


def theirs(specs: list[Spec]) -> list[haystack.Document]:
    return [spec.theirs() for spec in specs]


def shown(documents: list[Any]) -> list[Spec]:
    """The parts on which both libraries must agree."""
    return [Spec(document.id, document.content, document.meta, document.score) for document in documents]


def shown_outputs(outputs: dict[str, list[Any]]) -> dict[str, list[Spec]]:
    return {name: shown(documents) for name, documents in outputs.items()}


IDS = st.sampled_from("abcd")
SCORES = st.none() | st.sampled_from([0.0, -0.5, 0.3, 1.0, 2.5]) | st.floats(-10, 10)


def documents(metas: Any = None, scores: Any = SCORES, max_size: int = 6) -> Any:
    """Lists of documents whose copies differ; ids repeat."""
    contents = st.sampled_from(["", "one", "two words", "now three words"])
    specs = st.builds(Spec, IDS, contents, st.just({}) if metas is None else metas, scores)
    return st.lists(specs, max_size=max_size)
