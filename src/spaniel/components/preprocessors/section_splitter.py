"""Cuts documents along their headings into a tree of sections and leaves."""

import logging
from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

from spaniel.components.preprocessors.pages import leading_page_breaks, page_at, page_breaks
from spaniel.core.component import component
from spaniel.core.serialization import Serializable
from spaniel.dataclasses import Document, hierarchy
from spaniel.dataclasses.copying import copy_value
from spaniel.text.converted_text import ConvertedText, Heading
from spaniel.text.link_resolver import LinkResolver
from spaniel.text.plain_text import convert_text
from spaniel.text.sections import SectionNode, build_section_tree
from spaniel.text.slugs import github_slug, unique_slugs

logger = logging.getLogger(__name__)

# What converters write for the whole file; chunks get their share of it instead.
_OF_THE_FILE = frozenset({"headings", "heading_slugs", "references", "code_blocks"})
_LINK_KEYS = {"link": "links", "url": "urls", "broken": "broken_links"}
_WRITTEN = frozenset(
    {
        *("section", "anchor", "source_id", "split_id", "split_idx_start", "page_number", *_LINK_KEYS.values()),
        *hierarchy.KEYS,
    }
)
_Reference = tuple[int, str, str]  # start, target, kind


@component
class SectionSplitter(Serializable):
    r"""Cuts each document along its headings: a tree of sections, with leaves of at most `max_words` words.

    The headings are those that a converter noted in ``meta["headings"]`` (``[level, title, start]``), else the Markdown
    and reStructuredText headings of the text itself. The children of a node tile it: their contents joined are its
    content, to the character.

    Every node's metadata has the keys of a hierarchy (``__level``, ``__block_size``: 0 unless it is a leaf,
    ``__parent_id``, ``__children_ids``), its place in the document (``__root_id``, ``__start``, ``__end``, so that
    ``root.content[start:end]`` is its content) and ``section``: the titles above it. Where the document has a ``path``,
    the root has the ``anchor`` ``path`` and each section ``path#slug``; leaves cut from them have none. The links that begin
    inside a node are its ``links``, ``urls`` and ``broken_links``. ``source_id``, ``split_id`` and ``split_idx_start``
    are relative to the parent, ``page_number`` to the document.

    :param max_words: of a leaf. A CJK character is a word, and so is every 32 characters of a longer run without spaces.
    :raises ValueError: `max_words` is less than 1.

    >>> from spaniel import Document
    >>> text = "# Dogs\n\nThey bark.\n\n## Food\n\nBones.\n"
    >>> for node in SectionSplitter().run([Document(content=text, meta={"path": "dogs.md"})])["documents"]:
    ...     print(node.meta["__level"], node.meta["section"], node.meta.get("anchor"))
    0 [] dogs.md
    1 ['Dogs'] dogs.md#dogs
    2 ['Dogs'] None
    2 ['Dogs', 'Food'] dogs.md#food
    """

    def __init__(self, max_words: int = 120) -> None:
        if max_words < 1:
            raise ValueError(f"max_words must be at least 1. It is {max_words}.")
        self.max_words = max_words

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Return the trees of the documents, one after the other.

        :param documents: documents with text, whole files as a rule.
        :returns: ``{"documents": [...]}``: of each tree the root, then every node in the order of the text. The root keeps
            the document's id. Documents without words are left out, with a warning. The input is not changed.
        :raises TypeError: the input is no list of documents.
        :raises ValueError: a document's content is None, or its headings are not in the order of its text.
        """
        if not isinstance(documents, list) or not all(isinstance(document, Document) for document in documents):
            raise TypeError("SectionSplitter expects a List of Documents as input.")
        if missing := [document.id for document in documents if document.content is None]:
            raise ValueError(
                f"SectionSplitter only works with text documents but content for document ID {missing[0]} is None."
            )
        return {"documents": [node for document in documents for node in self._split(document)]}

    def _split(self, document: Document) -> list[Document]:
        text = document.content or ""
        if not text.strip():
            logger.warning("The document %s has no text and is left out.", document.id)
            return []
        headings, slugs, code, references = _structure(document, text)
        root = build_section_tree(
            text,
            headings,
            slugs,
            [_title_end(text, heading) for heading in headings],
            max_words=self.max_words,
            code=code,
        )
        return _Writer(document, text, references, self.max_words).documents(root)


def _structure(
    document: Document, text: str
) -> tuple[list[Heading], list[str], list[tuple[int, int]], list[_Reference]]:
    """Return headings, slugs, code blocks and links: those in the metadata, else those that the text spells out."""
    meta = document.meta
    if "headings" not in meta:
        found = convert_text(text)
        return found.headings, found.slugs, found.code, _resolved(found, meta.get("path"))
    headings = [Heading(*heading) for heading in meta["headings"]]
    starts = [heading.start for heading in headings]
    if starts != sorted(set(starts)) or (starts and not 0 <= starts[0] <= starts[-1] < len(text)):
        raise ValueError(
            f"The headings of document {document.id} are not in the order of its text, or outside of it. "
            "Each is [level, title, start], with start an offset in the content."
        )
    slugs = meta.get("heading_slugs") or unique_slugs(github_slug(heading.title) for heading in headings)
    code = [(start, end) for start, end in meta.get("code_blocks", ())]
    references = [(min(start, len(text) - 1), target, kind) for start, _, target, kind in meta.get("references", ())]
    return headings, slugs, code, sorted(references)


def _resolved(found: ConvertedText, path: Any) -> list[_Reference]:
    resolver = LinkResolver()
    references: list[_Reference] = []
    for reference in found.references:
        link = resolver.resolve(reference.target, path if isinstance(path, str) else "", found.anchors)
        if link is not None and (link.kind == "url" or isinstance(path, str)):
            references.append((reference.start, link.target, link.kind))
    return references


def _title_end(text: str, heading: Heading) -> int:
    """Return where the words of a heading end; marks or a line above may stand before them."""
    found = text.find(heading.title, heading.start, heading.start + 2 * len(heading.title) + 250)
    if heading.title and found >= 0:
        return found + len(heading.title)
    line_end = text.find("\n", heading.start)
    return len(text) if line_end < 0 else line_end


class _Writer:
    """Makes the documents of a tree."""

    def __init__(self, source: Document, text: str, references: Sequence[_Reference], max_words: int) -> None:
        self._source, self._text, self._max_words = source, text, max_words
        self._meta = {key: value for key, value in source.meta.items() if key not in _OF_THE_FILE | _WRITTEN}
        path = source.meta.get("path")
        self._path = path if isinstance(path, str) else None
        self._references = references
        self._reference_starts = [start for start, _, _ in references]
        self._page_breaks = page_breaks(text)

    def documents(self, root: SectionNode) -> list[Document]:
        """Return the documents in the order of the text, parents before what is in them."""
        made: list[tuple[Document, SectionNode]] = []
        waiting: list[tuple[SectionNode, Document | None, int, int, int]] = [(root, None, 0, 0, 0)]
        while waiting:
            node, parent, position, level, parent_start = waiting.pop()
            if parent is None:
                document = self._root(node)
            else:
                document = self._chunk(node, parent, position, parent_start)
                parent.meta[hierarchy.CHILDREN].append(document.id)
            # The id is made by now, so these keys are not in it, as in Haystack.
            document.meta.update(
                {
                    hierarchy.LEVEL: level,
                    hierarchy.BLOCK_SIZE: 0 if node.children else self._max_words,
                    hierarchy.PARENT: None if parent is None else parent.id,
                    hierarchy.CHILDREN: [],
                }
            )
            made.append((document, node))
            children = [(child, document, at, level + 1, node.start) for at, child in enumerate(node.children)]
            waiting.extend(reversed(children))
        root_id = made[0][0].id
        for document, node in made:
            document.meta.update({hierarchy.ROOT: root_id, hierarchy.START: node.start, hierarchy.END: node.end})
        return [document for document, _ in made]

    def _root(self, node: SectionNode) -> Document:
        meta = {key: value for key, value in self._source.meta.items() if key not in _WRITTEN}
        return self._source.independent_copy(meta={**meta, **self._place(node, self._path)})

    def _chunk(self, node: SectionNode, parent: Document, position: int, parent_start: int) -> Document:
        anchor = f"{self._path}#{node.slug}" if self._path is not None and node.slug is not None else None
        content = self._text[node.start : node.end]
        meta = {
            **copy_value(self._meta),
            **self._place(node, anchor),
            "source_id": parent.id,
            "split_id": position,
            "split_idx_start": node.start - parent_start,
            "page_number": page_at(self._page_breaks, node.start) + leading_page_breaks(content),
        }
        return Document(content=content, meta=meta)

    def _place(self, node: SectionNode, anchor: str | None) -> dict[str, Any]:
        """Return the heading path, the address and the links of a node."""
        place: dict[str, Any] = {"section": list(node.path)}
        if anchor is not None:
            place["anchor"] = anchor
        first = bisect_left(self._reference_starts, node.start)
        last = bisect_left(self._reference_starts, node.end)
        for _, target, kind in self._references[first:last]:
            place.setdefault(_LINK_KEYS[kind], {})[target] = None
        return {key: list(value) if isinstance(value, dict) else value for key, value in place.items()}
