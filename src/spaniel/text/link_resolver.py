"""Turn the target of a link, as a file writes it, into the address of a file or section."""

import posixpath
import re
from collections.abc import Callable, Collection, Mapping
from typing import Literal, NamedTuple
from urllib.parse import unquote

from spaniel.text.slugs import loose_slug

LinkKind = Literal["link", "url", "broken"]

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+-]+:")
_IGNORED_SCHEMES = ("javascript:", "data:", "about:", "blob:")
_INDEX_FILES = (
    "index.md",
    "README.md",
    "index.rst",
    "README.rst",
    "index.html",
    "index.htm",
    "index.txt",
    "README",
    "README.txt",
)
_SUFFIXES = (".md", ".rst", ".html", ".txt", ".markdown", ".htm", ".text")
_BUILT_SUFFIXES = (".html", ".htm")  # a site's page names its source
_SPHINX_PAGES = {"genindex", "modindex", "search"}  # made by the builder, never files


class ResolvedLink(NamedTuple):
    """What a target stands for: ``link`` (``dir/file.md#slug``), ``url``, or ``broken`` (the target as written)."""

    kind: LinkKind
    target: str


class LinkResolver:
    """Resolves the targets of links between the files of one folder.

    :param paths: the files of the folder, relative to it, with ``/``. Without them every relative target inside the
        folder counts as a link.
    :param labels: what named places stand for: reStructuredText labels (from `rst_labels`), or other anchors written
        ``path#anchor``; the values are ``path`` or ``path#slug``.

    >>> resolver = LinkResolver({"guide/start.md", "guide/index.md", "api.rst"})
    >>> resolver.resolve("../api.html#Errors", "guide/start.md")
    ResolvedLink(kind='link', target='api.rst#Errors')
    >>> resolver.resolve("missing.md", "guide/start.md")
    ResolvedLink(kind='broken', target='missing.md')
    """

    def __init__(self, paths: Collection[str] | None = None, labels: Mapping[str, str] | None = None) -> None:
        self.paths = None if paths is None else frozenset(paths)
        self.labels = dict(labels or {})
        self._roles: dict[str, Callable[[str, str], ResolvedLink | None]] = {
            "ref": self._labelled,
            "doc": self._document,
            "pep": self._pep,
            "rfc": self._rfc,
        }

    def resolve(self, target: str, path: str, anchors: Mapping[str, str] | None = None) -> ResolvedLink | None:
        """Return what a target stands for, or None for what leads nowhere by intent (``#``, ``javascript:``).

        :param target: as the file writes it.
        :param path: the file that it stands in.
        :param anchors: every anchor of that file, with the slug of its section (`ConvertedText.anchors`).
        """
        target = target.strip()
        role, _, rest = target[1:].partition(":")
        if target.startswith(":") and role in self._roles:
            return self._roles[role](rest, path)
        if target in ("", "#") or target.lower().startswith(_IGNORED_SCHEMES):
            return None
        if _SCHEME.match(target) or target.startswith("//"):
            return ResolvedLink("url", target)
        return self._relative(target, path, anchors or {})

    def _relative(self, target: str, path: str, anchors: Mapping[str, str]) -> ResolvedLink:
        name, _, fragment = target.partition("#")
        name, fragment = unquote(name.partition("?")[0]), unquote(fragment)
        found = self._find(name, path) if name else path
        if found is None:
            label = self.labels.get(normalized_label(name))  # MyST links to labels as to files
            return ResolvedLink("broken", target) if label is None else ResolvedLink("link", label)
        if not name or (found == path and fragment):
            return self._in_file(target, fragment, path, anchors)
        return ResolvedLink("link", self._with_fragment(found, fragment))

    def _in_file(self, target: str, fragment: str, path: str, anchors: Mapping[str, str]) -> ResolvedLink:
        if not fragment or fragment == "top":
            return ResolvedLink("link", path)
        slug = anchors.get(fragment)
        if slug is None:
            loose = loose_slug(fragment)
            slug = next((slug for anchor, slug in anchors.items() if loose_slug(anchor) == loose), None)
        if slug is None:
            return ResolvedLink("broken", target)
        return ResolvedLink("link", f"{path}#{slug}" if slug else path)

    def _with_fragment(self, path: str, fragment: str) -> str:
        address = f"{path}#{fragment}" if fragment else path
        return self.labels.get(address) or self.labels.get(f"{path}#{loose_slug(fragment)}") or address

    def _find(self, name: str, path: str) -> str | None:
        """Return the file that `name` means in `path`; a leading ``/`` means the folder, or a folder above the file."""
        if not name.startswith("/"):
            return self._at(posixpath.join(posixpath.dirname(path), name))
        parts = posixpath.dirname(path).split("/")
        roots = ["", *("/".join(parts[:count]) for count in range(1, len(parts) + 1) if parts[0])]
        return next((found for root in roots if (found := self._at(posixpath.join(root, name.lstrip("/"))))), None)

    def _at(self, joined: str) -> str | None:
        place = posixpath.normpath(joined)
        if place == ".." or place.startswith(("../", "/")):
            return None
        if self.paths is None:
            return place
        return next((candidate for candidate in _candidates(place) if candidate in self.paths), None)

    def _labelled(self, label: str, _: str) -> ResolvedLink | None:
        if label in _SPHINX_PAGES:
            return None
        address = self.labels.get(normalized_label(label))
        return ResolvedLink("broken", f":ref:{label}") if address is None else ResolvedLink("link", address)

    def _document(self, name: str, path: str) -> ResolvedLink | None:
        if name in _SPHINX_PAGES:
            return None
        own_suffix = posixpath.splitext(path)[1]
        found = self._find(name + own_suffix, path) or self._find(name, path)
        return ResolvedLink("broken", f":doc:{name}") if found is None else ResolvedLink("link", found)

    def _pep(self, number: str, path: str) -> ResolvedLink | None:
        number, _, fragment = number.partition("#")
        if not number.isdigit():
            return ResolvedLink("broken", f":pep:{number}")
        page = f"pep-{int(number):04d}"
        found = self._find(page, path) if self.paths is not None else None
        if found is None:
            return ResolvedLink("url", f"https://peps.python.org/{page}/" + (f"#{fragment}" if fragment else ""))
        return ResolvedLink("link", self._with_fragment(found, fragment))

    def _rfc(self, number: str, _: str) -> ResolvedLink | None:
        number, _, fragment = number.partition("#")
        return ResolvedLink(
            "url", f"https://datatracker.ietf.org/doc/html/rfc{number}" + (f"#{fragment}" if fragment else "")
        )


def normalized_label(label: str) -> str:
    """Return a label as it is compared: lower case, single spaces."""
    return " ".join(label.lower().split())


def _candidates(place: str) -> list[str]:
    """Return the files that an address may mean, the likeliest first."""
    stem, suffix = posixpath.splitext(place)
    candidates = [place]
    if suffix in _BUILT_SUFFIXES:
        candidates += [stem + source for source in _SUFFIXES]
        if posixpath.basename(stem) == "index":  # index.html is built from README.md too
            candidates += [posixpath.join(posixpath.dirname(stem), name) for name in _INDEX_FILES]
    candidates += [place + suffix for suffix in _SUFFIXES]
    candidates += [name if place == "." else f"{place}/{name}" for name in _INDEX_FILES]
    return candidates
