"""Documents: their ids, how they are written as data and read from it, how they are shown."""

from typing import Any

from spaniel.dataclasses import ByteStream, Document, SparseEmbedding
from spaniel.parity.area import Area, Given, Outcome, same
from spaniel.parity.chance import Chance
from spaniel.parity.reference import haystack


def draw(chance: Chance) -> Given:
    """Draw what a document is built from."""
    given: Given = {"content": chance.one_of([None, "", chance.text(), "x" * 150, "\U0001f600 line\nline"])}
    if chance.maybe(0.02):
        given["content"] = "half a pair: \ud83d"
    if chance.maybe():
        given["meta"] = {key: chance.value() for key in chance.subset(["b", "a", "content", "score", "x.y", "é"])}
    if chance.maybe(0.3):
        given["blob"] = {
            "data": chance.text().encode(),
            "meta": chance.meta(),
            "mime_type": chance.one_of([None, "a/b"]),
        }
    if chance.maybe(0.3):
        given["embedding"] = [chance.real(-2, 2) for _ in range(chance.whole(1, 3))]
    if chance.maybe(0.2):
        given["sparse_embedding"] = {"indices": [1, 5], "values": [0.5, chance.real(0, 1)]}
    if chance.maybe(0.3):
        given["score"] = chance.real(-1, 1)
    if chance.maybe(0.2):
        given["id"] = chance.one_of(["", "1"])
    return given


def _described(given: Given, document: Any, blob: Any, sparse: Any) -> dict[str, Any]:
    fields = dict(given)
    if "blob" in fields:
        fields["blob"] = blob(**fields["blob"])
    if "sparse_embedding" in fields:
        fields["sparse_embedding"] = sparse(**fields["sparse_embedding"])
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


def ours(given: Given) -> dict[str, Any]:
    """Return what Spaniel makes of it."""
    return _described(given, Document, ByteStream, SparseEmbedding)


def theirs(given: Given) -> dict[str, Any]:
    """Return what Haystack makes of it."""
    classes = [haystack(f"dataclasses.{name}") for name in ("Document", "ByteStream", "SparseEmbedding")]
    return _described(given, *classes)


def explain(given: Given, our: Outcome, their: Outcome) -> str | None:
    """Explain that nothing but an id leaves a comma at the end in Haystack, and that half a pair has no id there."""
    if our.error is not None:
        return None
    if isinstance(their.error, UnicodeEncodeError):
        return "half-surrogate" if "\ud83d" in (given["content"] or "") else None
    if their.error is not None:
        return None
    corrected = {**their.value, "shown": their.value["shown"].replace(", )", ")")}
    return "shown-id" if same(our.value, corrected) else None


DOCUMENTS = Area("documents", draw, ours, theirs, explain)
