"""Documents: ids, data forms and repr."""

from typing import Any

from spaniel.parity.area import Area, Given, Outcome, same
from spaniel.parity.library import Library
from spaniel.parity.random_data import RandomData


def _draw(rng: RandomData) -> Given:
    given: Given = {"content": rng.choice([None, "", rng.text(), "x" * 150, "\U0001f600 line\nline"])}
    if rng.flip(0.02):
        given["content"] = "lone surrogate: \ud83d"
    if rng.flip():
        given["meta"] = {key: rng.value() for key in rng.subset(["b", "a", "content", "score", "x.y", "é"])}
    if rng.flip(0.3):
        given["blob"] = {"data": rng.text().encode(), "meta": rng.meta(), "mime_type": rng.choice([None, "a/b"])}
    if rng.flip(0.3):
        given["embedding"] = [rng.number(-2, 2) for _ in range(rng.integer(1, 3))]
    if rng.flip(0.2):
        given["sparse_embedding"] = {"indices": [1, 5], "values": [0.5, rng.number(0, 1)]}
    if rng.flip(0.3):
        given["score"] = rng.number(-1, 1)
    if rng.flip(0.2):
        given["id"] = rng.choice(["", "1"])
    return given


def _run(given: Given, library: Library) -> Any:
    document = library.get("Document")
    fields = dict(given)
    for name, kind in (("blob", "ByteStream"), ("sparse_embedding", "SparseEmbedding")):
        if name in fields:
            fields[name] = library.get(f"dataclasses.{kind}")(**fields[name])
    built = document(**fields)
    flat, nested = built.to_dict(), built.to_dict(flatten=False)
    again = [document.from_dict(flat), document.from_dict(nested)]
    return {
        "id": built.id,
        "flat": flat,
        "nested": nested,
        "again": [each.to_dict() for each in again],
        "equal": [each == built for each in again],
        "shown": repr(built),
    }


def _explain(given: Given, our: Outcome, their: Outcome) -> str | None:
    """Explain the comma in Haystack's repr of an id alone, and its error for a lone surrogate."""
    if our.error is not None:
        return None
    if isinstance(their.error, UnicodeEncodeError):
        return "half-surrogate" if "\ud83d" in (given["content"] or "") else None
    if their.error is not None:
        return None
    corrected = {**their.value, "shown": their.value["shown"].replace(", )", ")")}
    return "shown-id" if same(our.value, corrected) else None


DOCUMENTS = Area("documents", _draw, _run, _explain)
