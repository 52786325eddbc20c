"""Splits documents along their headings into a tree of sections and leaves."""

import logging
from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from spaniel.components.preprocessors.pages import count_leading_breaks, find_page_breaks, get_page
from spaniel.components.preprocessors.text_splitter import TextSplitter
from spaniel.core.component import component
from spaniel.dataclasses import Document, hierarchy
from spaniel.dataclasses.copying import copy_value
from spaniel.json_types import Meta
from spaniel.text.converted_text import ConvertedText, Heading
from spaniel.text.link_resolver import LinkResolver
from spaniel.text.plain_text import convert_text
from spaniel.text.sections import SectionNode, build_section_tree
from spaniel.text.slugs import github_slug, unique_slugs
from spaniel.text.source_lines import LineLookup

logger = logging.getLogger(__name__)

_FILE_KEYS = frozenset({"headings", "heading_slugs", "references", "code_blocks"})  # a chunk gets its share instead
_LINK_KEYS = {"link": "links", "url": "urls", "broken": "broken_links"}
_NODE_KEYS = frozenset(
    {
        *("section", "anchor", "source_id", "split_id", "split_idx_start", "page_number", *_LINK_KEYS.values()),
        *("source_lines", "source_pages", "reference_lines"),
        *hierarchy.KEYS,
    }
)
_Reference = tuple[int, str, str]  # start, target, kind


@component
class SectionSplitter(TextSplitter):
    r"""Splits each document along its headings into a tree of sections and leaves.

    A run returns of each tree the root, which keeps the document's id, then every node in the order
    of the text. Documents without words are omitted, with a warning.

    The headings are those of ``meta["headings"]`` (``[level, title, start]``), which converters
    write, else the Markdown and reStructuredText headings of the text. The children of a node tile
    it: their contents joined are its content, to the character. Headings out of the order of the
    text are a ValueError.

    Every node's metadata has the keys of a hierarchy (``__level``, ``__block_size``: 0 unless it is
    a leaf, ``__parent_id``, ``__children_ids``), its place in the document (``__root_id``,
    ``__start``, ``__end``, so that ``root.content[start:end]`` is its content) and ``section``: the
    titles above it. If the document has a ``path``, the root has the ``anchor`` ``path`` and each
    section ``path#slug``; leaves cut from them have none. The links that begin inside a node are
    its ``links``, ``urls`` and ``broken_links``. ``source_id``, ``split_id`` and
    ``split_idx_start`` are relative to the parent, ``page_number`` to the document.

    If the document has ``source_lines`` (``[start, first, last, verbatim]``, see `SourceLines`),
    each node gets the ``line`` and ``end_line`` of its words in the source, from 1, and the root
    the ``reference_lines``, the line of each of its ``references``. If it has ``source_pages``,
    each node gets the ``page`` of its first word. None of them counts for the ids.

    :param max_words: per leaf; a CJK character is a word, and so are 32 characters without space.
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
            raise ValueError(f"max_words must be at least 1, got {max_words}.")
        self.max_words = max_words

    def _split(self, document: Document) -> list[Document]:
        text = document.content or ""
        if not text.strip():
            logger.warning("The document %s has no text and is omitted.", document.id)
            return []
        outline = _read_outline(document, text)
        root = build_section_tree(
            text,
            outline.headings,
            outline.slugs,
            [_find_title_end(text, heading) for heading in outline.headings],
            max_words=self.max_words,
            code=outline.code,
        )
        return _TreeBuilder(document, text, outline.references, self.max_words).build(root)


class _Outline(NamedTuple):
    """The headings, slugs, code blocks and links of a text."""

    headings: list[Heading]
    slugs: list[str]
    code: list[tuple[int, int]]
    references: list[_Reference]


def _read_outline(document: Document, text: str) -> _Outline:
    """Return the outline of the metadata if it has headings, else that of the text."""
    meta = document.meta
    if "headings" not in meta:
        found = convert_text(text)
        return _Outline(found.headings, found.slugs, found.code, _resolve_references(found, meta.get("path")))
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
    return _Outline(headings, slugs, code, sorted(references))


def _resolve_references(found: ConvertedText, path: object) -> list[_Reference]:
    resolver = LinkResolver()
    references: list[_Reference] = []
    for reference in found.references:
        link = resolver.resolve(reference.target, path if isinstance(path, str) else "", found.anchors)
        if link is not None and (link.kind == "url" or isinstance(path, str)):
            references.append((reference.start, link.target, link.kind))
    return references


def _find_title_end(text: str, heading: Heading) -> int:
    """Return the end of the words of a heading; marks or a line above may precede them."""
    found = text.find(heading.title, heading.start, heading.start + 2 * len(heading.title) + 250)
    if heading.title and found >= 0:
        return found + len(heading.title)
    line_end = text.find("\n", heading.start)
    return len(text) if line_end < 0 else line_end


class _TreeBuilder:
    """Builds the documents of a tree."""

    def __init__(self, source: Document, text: str, references: Sequence[_Reference], max_words: int) -> None:
        self._source, self._text, self._max_words = source, text, max_words
        self._meta = {key: value for key, value in source.meta.items() if key not in _FILE_KEYS | _NODE_KEYS}
        path = source.meta.get("path")
        self._path = path if isinstance(path, str) else None
        self._references = references
        self._reference_starts = [start for start, _, _ in references]
        self._page_breaks = find_page_breaks(text)
        self._lines = LineLookup(text, source.meta.get("source_lines", ()))

    def build(self, root: SectionNode) -> list[Document]:
        """Return the documents in the order of the text, parents before children."""
        built: list[tuple[Document, SectionNode]] = []
        pending: list[tuple[SectionNode, Document | None, int, int, int]] = [(root, None, 0, 0, 0)]
        while pending:
            node, parent, position, level, parent_start = pending.pop()
            if parent is None:
                document = self._build_root(node)
            else:
                document = self._build_chunk(node, parent, position, parent_start)
                parent.meta[hierarchy.CHILDREN].append(document.id)
            # After the id is made, which does not include these keys, as in Haystack.
            document.meta.update(
                {
                    **self._locate(node),
                    hierarchy.LEVEL: level,
                    hierarchy.BLOCK_SIZE: 0 if node.children else self._max_words,
                    hierarchy.PARENT: None if parent is None else parent.id,
                    hierarchy.CHILDREN: [],
                }
            )
            built.append((document, node))
            children = [(child, document, at, level + 1, node.start) for at, child in enumerate(node.children)]
            pending.extend(reversed(children))
        root_id = built[0][0].id
        for document, node in built:
            document.meta.update({hierarchy.ROOT: root_id, hierarchy.START: node.start, hierarchy.END: node.end})
        return [document for document, _ in built]

    def _locate(self, node: SectionNode) -> Meta:
        """Return the lines and the page of a node in the source."""
        place: Meta = {}
        if (lines := self._lines.find(node.start, node.end)) is not None:
            place["line"], place["end_line"] = lines
        if "source_pages" in self._source.meta:
            content = self._text[node.start : node.end]
            place["page"] = get_page(self._page_breaks, node.start + len(content) - len(content.lstrip()))
        return place

    def _build_root(self, node: SectionNode) -> Document:
        meta = {key: value for key, value in self._source.meta.items() if key not in _NODE_KEYS}
        lines = [self._lines.find_line(start) for start, *_ in meta.get("references", ())]
        place = {} if None in lines or not lines else {"reference_lines": lines}
        return self._source.independent_copy(meta={**meta, **self._describe(node, self._path), **place})

    def _build_chunk(self, node: SectionNode, parent: Document, position: int, parent_start: int) -> Document:
        anchor = f"{self._path}#{node.slug}" if self._path is not None and node.slug is not None else None
        content = self._text[node.start : node.end]
        meta = {
            **copy_value(self._meta),
            **self._describe(node, anchor),
            "source_id": parent.id,
            "split_id": position,
            "split_idx_start": node.start - parent_start,
            "page_number": get_page(self._page_breaks, node.start) + count_leading_breaks(content),
        }
        return Document(content=content, meta=meta)

    def _describe(self, node: SectionNode, anchor: str | None) -> Meta:
        """Return the heading path, the anchor and the links of a node."""
        place: Meta = {"section": list(node.path)}
        if anchor is not None:
            place["anchor"] = anchor
        first = bisect_left(self._reference_starts, node.start)
        last = bisect_left(self._reference_starts, node.end)
        for _, target, kind in self._references[first:last]:
            place.setdefault(_LINK_KEYS[kind], {})[target] = None
        return {key: list(value) if isinstance(value, dict) else value for key, value in place.items()}
