"""The links of an indexed folder: their places and targets, and suggestions for broken ones."""

import difflib
import posixpath
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal, TypeAlias
from urllib.parse import unquote

from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import END, ROOT, START
from spaniel.json_types import Json, JsonObject
from spaniel.knowledge_base.file_catalog import FileCatalog
from spaniel.knowledge_base.file_links import FileLinks
from spaniel.knowledge_base.path_patterns import compile_pattern
from spaniel.knowledge_base.references import find_document, find_files
from spaniel.text.link_resolver import LinkKind, normalize_label
from spaniel.tracing.lineage import find_lines

LinkDirection: TypeAlias = Literal["out", "in"]

ROOT_KEYS = ("path", "anchor", "line", "end_line", "links", "urls", "broken_links")
"""Metadata that links are listed from; the others only files have."""
FILE_KEYS = ("references", "reference_lines", "headings", "heading_slugs")

_KEYS: dict[str, LinkKind] = {"links": "link", "urls": "url", "broken_links": "broken"}
_MIN_SIMILARITY = 0.6


@dataclass(frozen=True)
class Link:
    """A link in an indexed file.

    :param source: the address of the section, page or row with the link.
    :param target: an address, a URL, or the target of a broken link as the file writes it.
    :param kind: ``link``, ``url`` or ``broken``.
    :param path: the path of the file with the link, and `file`: on disk.
    :param line: of the block with the link, from 1; None if the file has no lines.
    :param direction: ``in`` for a link from elsewhere into the listed page or section.
    :param suggestion: for a broken link, the existing address that is the most similar, if any is.
    """

    source: str
    target: str
    kind: LinkKind
    path: str
    file: str | None = None
    line: int | None = None
    direction: LinkDirection = "out"
    suggestion: str | None = None

    def to_dict(self) -> JsonObject:
        """Return the link as plain data."""
        return asdict(self)


def list_links(catalog: FileCatalog, address: str | None = None, *, broken: bool = False) -> list[Link]:
    """Return links by path and line, those of a page or section before those into it.

    :param address: a file, a folder, a pattern of paths, or ``path#section``; None: everything.
    :param broken: only broken links, each with a suggestion.
    :raises KnowledgeBaseError: there is no such file or section.
    """
    found = catalog.backend.find_roots(keys=(*ROOT_KEYS, *FILE_KEYS))
    roots = sorted(found, key=lambda root: (str(root.meta.get("path")), (find_lines([root]) or (0,))[0]))
    every = [link for root in roots for link in _iterate_links(root)]
    anchors = {anchor for root in roots for anchor in _iterate_anchors(root)}
    unknown = dict.fromkeys(link.target for _, link in every if link.kind == "link" and link.target not in anchors)
    anchors |= catalog.backend.find_anchors(list(unknown))  # sections of rows
    has_gone = ((at, link) for at, link in every if link.kind == "link" and link.target not in anchors)
    gone = {id(link) for _, link in has_gone}  # its target was deleted, or has no such section
    links = [(at, replace(link, kind="broken") if id(link) in gone else link) for at, link in every]
    if broken:
        links = [(at, link) for at, link in links if link.kind == "broken"]
    chosen = [link for _, link in links] if address is None else _choose(address, links, roots, catalog)
    files = catalog.locate_files({link.path for link in chosen})
    suggest = _Suggestions(roots, catalog).find if broken else None
    return [
        replace(link, file=files.get(link.path), suggestion=suggest(link) if suggest is not None else None)
        for link in chosen
    ]


def _iterate_links(root: Document) -> Iterator[tuple[int | None, Link]]:
    """Yield the links of a file or row, each with its offset in the text, if that is known."""
    meta = root.meta
    path, line = str(meta.get("path") or root.id), meta.get("line")
    source = str(meta.get("anchor") or path)
    references = meta.get("references")
    if isinstance(references, list) and references:
        starts = [heading[2] for heading in meta.get("headings") or ()]
        slugs = meta.get("heading_slugs") or []
        lines = meta.get("reference_lines") or [line] * len(references)
        for (start, _, target, kind), at in zip(references, lines, strict=True):
            above = bisect_right(starts, start) - 1
            yield (
                start,
                Link(f"{path}#{slugs[above]}" if 0 <= above < len(slugs) else source, target, kind, path, None, at),
            )
        return
    for key, kind in _KEYS.items():
        for target in _list_texts(meta.get(key)):
            yield None, Link(source, target, kind, path, None, line if type(line) is int else None)


def _iterate_anchors(root: Document) -> Iterator[str]:
    meta = root.meta
    yield str(meta.get("anchor"))
    if meta.get("anchor") == meta.get("path"):
        yield from (f"{meta.get('path')}#{slug}" for slug in _list_texts(meta.get("heading_slugs") or []))


def _list_texts(value: Json) -> list[str]:
    return [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str)]


def _choose(
    address: str, links: Sequence[tuple[int | None, Link]], roots: Iterable[Document], catalog: FileCatalog
) -> list[Link]:
    """Return the links out of a page or section, then those into it from elsewhere."""
    is_inside: Callable[[int | None, Link], bool]
    is_target: Callable[[str], bool]
    if "#" in address:
        node = find_document(address, catalog)
        path, span = node.meta.get("path"), range(node.meta.get(START) or 0, node.meta.get(END) or 0)
        root = next((root for root in roots if root.id == node.meta.get(ROOT)), node)
        headings = zip(root.meta.get("headings") or (), root.meta.get("heading_slugs") or (), strict=False)
        inside = {address, *(f"{path}#{slug}" for heading, slug in headings if heading[2] in span)}

        def is_inside(at: int | None, link: Link) -> bool:
            return link.path == path and (link.source in inside if at is None else at in span)

        is_target = inside.__contains__
    else:
        pattern = compile_pattern(address)
        paths = {path for path in catalog.files if pattern.fullmatch(path)} or set(find_files(address, catalog))

        def is_inside(at: int | None, link: Link) -> bool:
            del at
            return link.path in paths

        def is_target(target: str) -> bool:
            return target.partition("#")[0] in paths

    out = [link for at, link in links if is_inside(at, link)]
    into = [
        replace(link, direction="in")
        for at, link in links
        if link.kind != "url" and is_target(link.target) and not is_inside(at, link)
    ]
    return out + into


class _Suggestions:
    """Finds the existing address that is the most similar to a broken target."""

    def __init__(self, roots: Iterable[Document], catalog: FileCatalog) -> None:
        self._slugs: dict[str, list[str]] = {path: [] for path in catalog.files}
        for root in roots:
            slugs = self._slugs.setdefault(str(root.meta.get("path")), [])
            slugs += _list_texts(root.meta.get("heading_slugs"))
        self._names: dict[str, list[str]] = {}
        for path in self._slugs:
            self._names.setdefault(posixpath.basename(path).lower(), []).append(path)
            self._names.setdefault(_get_stem(path), []).append(path)
        self._labels = {
            label: target
            for file in catalog.files.values()
            for label, target in FileLinks.unpack(file.links).labels.items()
        }
        self._known: dict[tuple[str, str], str | None] = {}

    def find(self, link: Link) -> str | None:
        """Return the suggestion for a link; None if nothing is similar."""
        key = (posixpath.dirname(link.path), link.target)
        if key not in self._known:
            self._known[key] = self._find(link)
        return self._known[key]

    def _find(self, link: Link) -> str | None:
        role, _, label = link.target[1:].partition(":")
        if link.target.startswith(":") and role == "ref":
            return self._labels.get(_find_closest(normalize_label(label), self._labels) or "")
        name, _, fragment = (label if link.target.startswith(":") else link.target).partition("#")
        name = unquote(name.partition("?")[0])
        path = self._find_path(name, link.path) if name else link.path
        if path is None:
            return None
        slug = _find_closest(unquote(fragment).lower(), self._slugs.get(path, [])) if fragment else None
        return f"{path}#{slug}" if slug is not None else path if name and path != link.path else None

    def _find_path(self, name: str, source: str) -> str | None:
        """Return the file at a relative path, else one with its name, else one with a similar name."""
        place = posixpath.normpath(posixpath.join(posixpath.dirname(source), name)).lstrip("/")
        for candidate in (place, name):
            if candidate in self._slugs:
                return candidate
        for key in (posixpath.basename(place).lower(), _get_stem(place)):
            if same := self._names.get(key):
                return max(same, key=lambda path: difflib.SequenceMatcher(None, place, path).ratio())
        similar = _find_closest(_get_stem(place), (name for name, paths in self._names.items() if paths != [source]))
        return None if similar is None else next(path for path in self._names[similar] if path != source)


def _get_stem(path: str) -> str:
    return posixpath.splitext(posixpath.basename(path))[0].lower()


def _find_closest(name: str, names: Iterable[str]) -> str | None:
    return next(iter(difflib.get_close_matches(name, list(names), n=1, cutoff=_MIN_SIMILARITY)), None)
