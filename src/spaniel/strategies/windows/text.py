"""The text of chunks that stand one after the other."""

from collections.abc import Callable, Sequence

from spaniel.dataclasses import Document


def merge_documents_text(
    documents: Sequence[Document],
    *,
    offset: str = "split_idx_start",
    gap: str | None = None,
    broken: Callable[[Document, Document], bool] | None = None,
) -> str:
    """Return the texts of chunks as one text, each character of their source once.

    :param documents: chunks of one source. Where one lacks its offset, the texts are joined as they come.
    :param offset: the metadata key that says where a chunk begins.
    :param gap: what to write where text is missing between two chunks; None: nothing.
    :param broken: whether text is missing between two chunks.

    >>> chunks = [("The bird", 0), ("bi", 4), ("rd sings.", 6)]
    >>> merge_documents_text([Document(content=text, meta={"split_idx_start": start}) for text, start in chunks])
    'The bird sings.'
    """
    placed = all(document.meta.get(offset) is not None for document in documents)
    ordered = sorted(documents, key=lambda document: int(document.meta[offset])) if placed else documents
    parts: list[str] = []
    end = 0
    previous: Document | None = None
    for document in ordered:
        if gap is not None and broken is not None and previous is not None and broken(previous, document):
            parts.append(gap)
        text, start = document.content or "", int(document.meta[offset]) if placed else end
        parts.append(text[max(end - start, 0) :])
        end = max(end, start + len(text))
        previous = document
    return "".join(parts)
