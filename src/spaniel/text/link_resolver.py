"""Targets of links, as a file writes them, resolved to the addresses of files and sections."""

import posixpath
import re
import unicodedata
from collections.abc import Callable, Collection, Mapping
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias
from urllib.parse import unquote

from spaniel.text.slugs import github_slug, loose_slug

LinkKind: TypeAlias = Literal["link", "url", "broken"]

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+-]+:")
_IGNORED_SCHEMES = ("javascript:", "data:", "about:", "blob:")
_INDEX_FILES = (
    *(
        "index.md",
        "README.md",
        "index.mdx",
        "index.rst",
        "README.rst",
        "index.html",
        "index.htm",
        "index.txt",
        "README",
    ),
    "README.txt",
)
_SUFFIXES = (".md", ".rst", ".html", ".txt", ".markdown", ".htm", ".text", ".rst.txt", ".md.txt")
_BUILT_SUFFIXES = (".html", ".htm")  # pages of a site, built from a source
_WIKI = ":wiki:"
_SPHINX_PAGES = {"genindex", "modindex", "py-modindex", "search"}  # generated, without a source

# NUL: a backslash before the bracket.
_ROLE_TITLE = re.compile(r"(?P<title>.+?)\s*(?<!\x00)<(?P<target>[^<>]+)>\s*$", re.DOTALL)
_LINKING_ROLES = {"ref": "ref", "numref": "ref", "any": "ref", "doc": "doc"} | {
    **dict.fromkeys(("pep", "PEP"), "pep"),
    **dict.fromkeys(("rfc", "RFC"), "rfc"),
}
_ROLE_PREFIXES = {"pep": "PEP ", "rfc": "RFC "}
_VERBATIM_ROLES = frozenset(
    {
        *("code", "literal", "math", "kbd", "samp", "file", "menuselection", "guilabel", "command", "regexp"),
        *("sub", "subscript", "sup", "superscript", "abbr", "dfn", "emphasis", "strong", "title-reference", "title"),
    }
)
PYTHON_ROLES = frozenset(("func", "class", "meth", "attr", "exc", "data", "mod", "obj", "const", "deco", "type"))
"""The roles of Sphinx for objects of Python, without their prefix ``py:``."""

_DOMAINS = ("c", "cpp", "js")
_WITHOUT_OBJECTS = frozenset(
    {
        *("index", "download", "eq", "program", "mimetype", "makevar", "mailheader", "manpage", "newsgroup", "raw"),
        *("ticket", "commit", "cve", "cwe", "pypi", "source", "bpo", "issue", "gh", "pr", "pull", "user"),
    }
)


def parse_role(role: str, content: str, *, module: str = "", class_name: str = "") -> tuple[str, str]:
    """Return the text of a Sphinx role, and its target as in `Reference`, or "" without a link.

    :param module: the module around the role, if it names a Python object.
    :param class_name: the class around it.

    >>> parse_role("doc", "the guide <usage/guide>"), parse_role("pep", "8")
    (('the guide', ':doc:usage/guide'), ('PEP 8', ':pep:8'))
    >>> parse_role("py:class", "~os.PathLike"), parse_role("func", "join", module="os")
    (('os.PathLike', ':obj:py:os.PathLike|auto:os'), ('join', ':obj:py:os.join|py:join|auto:os'))
    """
    role = role.removeprefix("std:")
    if role in _VERBATIM_ROLES:
        return content, ""
    titled = _ROLE_TITLE.match(content)
    text, target = (titled["title"], titled["target"].strip()) if titled else (content, content.strip())
    kind = _LINKING_ROLES.get(role.removeprefix("py:"))
    if kind is None:
        is_hidden = not titled and content.startswith("!")
        keys = [] if is_hidden or role in _WITHOUT_OBJECTS else _list_object_keys(role, target, module, class_name)
        shown = text if titled else text.removeprefix("~").removeprefix("!")
        return shown, f":obj:{'|'.join(keys)}" if keys else ""
    if kind in _ROLE_PREFIXES and not titled:
        text = _ROLE_PREFIXES[kind] + content.partition("#")[0]
    return text, f":{kind}:{target}"


def _list_object_keys(role: str, target: str, module: str, class_name: str) -> list[str]:
    """Return the keys under which the object of a role may be recorded, the likeliest first."""
    if role.removeprefix("py:") in PYTHON_ROLES:
        name = target.strip().lstrip("~!.").removesuffix("()")
        scopes = dict.fromkeys((f"{module}.{class_name}", module, class_name, ""))
        names = [f"{scope.strip('.')}.{name}".lstrip(".") for scope in scopes if scope != "." or len(scopes) == 1]
        keys = [f"py:{found}" for found in dict.fromkeys(names) if found]
        keys += [f"auto:{found.rpartition('.')[0]}" for found in dict.fromkeys(names) if "." in found]
        return [*keys, f"py:.{name}"] if target.lstrip("~!").startswith(".") else keys
    domain, _, rest = role.partition(":")
    if domain in _DOMAINS and rest:
        return [f"{domain}:{target.removesuffix('()')}"]
    if role in ("term", "py:term"):
        return [f"term:{normalize_label(target)}"]
    kind = rest if domain in ("rst", "py") and rest else role
    keys = [f"{kind}:{target}"]
    return [*keys, f"option:{target.rsplit(maxsplit=1)[-1]}"] if role == "option" and " " in target else keys


class ResolvedLink(NamedTuple):
    """A ``link`` (``dir/file.md#slug``), a ``url``, or a ``broken`` target as written."""

    kind: LinkKind
    target: str


class LinkResolver:
    """Resolves the targets of links between the files of a folder.

    :param paths: the files of the folder, relative to it, with ``/``. Without them every relative
        target inside the folder counts as a link.
    :param labels: addresses (``path`` or ``path#slug``) of named places: reStructuredText labels
        (from `find_labels`), or other anchors, written ``path#anchor``.

    >>> resolver = LinkResolver({"guide/start.md", "guide/index.md", "api.rst"})
    >>> resolver.resolve("../api.html#Errors", "guide/start.md")
    ResolvedLink(kind='link', target='api.rst#Errors')
    >>> resolver.resolve("missing.md", "guide/start.md")
    ResolvedLink(kind='broken', target='missing.md')
    """

    def __init__(self, paths: Collection[str] | None = None, labels: Mapping[str, str] | None = None) -> None:
        self.paths = None if paths is None else frozenset(paths)
        self.labels = dict(labels or {})
        foreign = (path for path in self.paths or () if not path.isascii())
        self._composed = {unicodedata.normalize("NFC", path): path for path in foreign}
        self._roles: dict[str, Callable[[str, str], ResolvedLink | None]] = {
            "ref": self._resolve_label,
            "doc": self._resolve_document,
            "obj": self._resolve_object,
            "pep": self._resolve_pep,
            "rfc": self._resolve_rfc,
        }

    def expand(self, target: str, path: str) -> list[str]:
        """Return a target, or those of the documents that match it: ``:glob:guide/*`` is the
        pattern of a ``toctree``.

        >>> LinkResolver({"a.rst", "guide/b.rst", "guide/c.rst"}).expand(":glob:guide/*", "a.rst")
        [':doc:/guide/b', ':doc:/guide/c']
        """
        if not target.startswith(":glob:"):
            return [target]
        pattern = target.removeprefix(":glob:")
        suffix = _get_suffix(path)
        place = posixpath.normpath(posixpath.join(posixpath.dirname(path), pattern))
        above = "(?:.*/)?" if pattern.startswith("/") else ""
        matches = re.compile(above + _translate_glob(place.lstrip("/")) + re.escape(suffix)).fullmatch
        found = sorted(name for name in self.paths or () if name != path and matches(name))
        return [f":doc:/{name.removesuffix(suffix)}" for name in found]

    def resolve(self, target: str, path: str, anchors: Mapping[str, str] | None = None) -> ResolvedLink | None:
        """Return the resolved target, or None for targets such as ``#`` and ``javascript:``."""
        target = target.strip()
        if target.startswith(_WIKI):
            return self._resolve_page(target.removeprefix(_WIKI), path, anchors or {})
        role, _, rest = target[1:].partition(":")
        if target.startswith(":") and role in self._roles:
            return self._roles[role](rest, path)
        if target in ("", "#") or target.lower().startswith(_IGNORED_SCHEMES):
            return None
        if _SCHEME.match(target) or target.startswith("//"):
            return ResolvedLink("url", target)
        return self._resolve_relative(target, path, anchors or {})

    def _resolve_relative(self, target: str, path: str, anchors: Mapping[str, str]) -> ResolvedLink:
        name, _, fragment = target.partition("#")
        name, fragment = unquote(name.partition("?")[0]), unquote(fragment)
        found = self._find(name, path) if name else path
        if found is None:
            label = self.labels.get(normalize_label(name))  # MyST links to labels as to files
            return ResolvedLink("broken", target) if label is None else ResolvedLink("link", label)
        if not name or (found == path and fragment):
            return self._resolve_anchor(target, fragment, path, anchors)
        return ResolvedLink("link", self._add_fragment(found, fragment))

    def _resolve_anchor(self, target: str, fragment: str, path: str, anchors: Mapping[str, str]) -> ResolvedLink:
        if not fragment or fragment == "top":
            return ResolvedLink("link", path)
        slug = anchors.get(fragment)
        if slug is None:
            loose = loose_slug(fragment)
            slug = next((slug for anchor, slug in anchors.items() if loose_slug(anchor) == loose), None)
        if slug is None:
            return ResolvedLink("broken", target)
        return ResolvedLink("link", f"{path}#{slug}" if slug else path)

    def _add_fragment(self, path: str, fragment: str) -> str:
        address = f"{path}#{fragment}" if fragment else path
        return self.labels.get(address) or self._loose_labels.get(f"{path}#{loose_slug(fragment)}") or address

    @cached_property
    def _loose_labels(self) -> dict[str, str]:
        places = ((*label.partition("#"), address) for label, address in self.labels.items())
        return {f"{path}#{loose_slug(anchor)}": address for path, sign, anchor, address in places if sign}

    def _resolve_page(self, target: str, path: str, anchors: Mapping[str, str]) -> ResolvedLink | None:
        """Return the page and section of ``[[page#section]]``; None if there is no such page, since
        the brackets may mean something else, such as an attribute in C++.
        """
        name, _, section = target.partition("#")
        found = self._find_page(name, path) if name else path
        if found is None:
            return None
        section = section.rpartition("#")[2]
        slug = "" if not section or section.startswith("^") else github_slug(section)  # ^ names a paragraph
        if found == path:
            return self._resolve_anchor(f"#{slug}", slug, path, anchors)
        return ResolvedLink("link", self._add_fragment(found, slug))

    def _find_page(self, name: str, path: str) -> str | None:
        """Return the file with a name, next to the linking file or else anywhere in the folder."""
        if self.paths is None:
            return self._find_at(name if posixpath.splitext(name)[1] else f"{name}.md")
        return self._find(name, path) or self._pages.get(name.casefold())

    @cached_property
    def _pages(self) -> dict[str, str]:
        """The files by the ends of their paths, with and without a suffix; higher ones first."""
        pages: dict[str, str] = {}
        for path in sorted(self.paths or (), key=lambda path: (path.count("/"), path)):
            parts = path.casefold().split("/")
            for start in range(len(parts)):
                name = "/".join(parts[start:])
                pages.setdefault(name, path)
                pages.setdefault(posixpath.splitext(name)[0], path)
        return pages

    def _find(self, name: str, path: str) -> str | None:
        """Return the file of a relative path; ``/`` is the indexed folder or one above the file."""
        if not name.startswith("/"):
            return self._find_at(posixpath.join(posixpath.dirname(path), name))
        parts = posixpath.dirname(path).split("/")
        roots = ["", *("/".join(parts[:count]) for count in range(1, len(parts) + 1) if parts[0])]
        return next((found for root in roots if (found := self._find_at(posixpath.join(root, name.lstrip("/"))))), None)

    def _find_at(self, joined: str) -> str | None:
        place = posixpath.normpath(joined)
        if place == ".." or place.startswith(("../", "/")):
            return None
        if self.paths is None:
            return place
        for candidate in _list_candidates(place):
            if candidate in self.paths:
                return candidate
            # Some systems store names with combining accents.
            if not candidate.isascii() and (composed := self._composed.get(unicodedata.normalize("NFC", candidate))):
                return composed
        return None

    def _resolve_label(self, label: str, _: str) -> ResolvedLink | None:
        if label in _SPHINX_PAGES:
            return None
        address = self.labels.get(normalize_label(label))
        return ResolvedLink("broken", f":ref:{label}") if address is None else ResolvedLink("link", address)

    def _resolve_document(self, name: str, path: str) -> ResolvedLink | None:
        if name in _SPHINX_PAGES:
            return None
        found = self._find(name + _get_suffix(path), path) or self._find(name, path)
        return ResolvedLink("broken", f":doc:{name}") if found is None else ResolvedLink("link", found)

    def _resolve_object(self, keys: str, _: str) -> ResolvedLink | None:
        address = next((self.labels[key] for key in keys.split("|") if key in self.labels), None)
        return None if address is None else ResolvedLink("link", address)  # else it is described elsewhere

    def _resolve_pep(self, number: str, path: str) -> ResolvedLink | None:
        number, _, fragment = number.partition("#")
        if not number.isdigit():
            return ResolvedLink("broken", f":pep:{number}")
        page = f"pep-{int(number):04d}"
        found = self._find(page, path) if self.paths is not None else None
        if found is None:
            return ResolvedLink("url", f"https://peps.python.org/{page}/" + (f"#{fragment}" if fragment else ""))
        return ResolvedLink("link", self._add_fragment(found, fragment))

    def _resolve_rfc(self, number: str, _: str) -> ResolvedLink | None:
        number, _, fragment = number.partition("#")
        page = f"https://datatracker.ietf.org/doc/html/rfc{number}"
        return ResolvedLink("url", page + (f"#{fragment}" if fragment else ""))


def normalize_label(label: str) -> str:
    """Return a label in lower case with single spaces, the form for comparison."""
    return " ".join(label.lower().split())


def _get_suffix(path: str) -> str:
    """Return the suffix of a source, ``.rst.txt`` for a copy in the ``_sources`` of a built site."""
    stem, suffix = posixpath.splitext(path)
    before = posixpath.splitext(stem)[1]
    return before + suffix if before + suffix in _SUFFIXES else suffix


def _translate_glob(pattern: str) -> str:
    """Return the regular expression of a pattern, in which ``*`` matches no ``/``."""
    return "".join({"*": "[^/]*", "?": "[^/]"}.get(sign, re.escape(sign)) for sign in pattern).replace(
        "[^/]*[^/]*", ".*"
    )


def _list_candidates(place: str) -> list[str]:
    stem, suffix = posixpath.splitext(place)
    candidates = [place]
    if suffix in _BUILT_SUFFIXES:
        candidates += [stem + source for source in _SUFFIXES]
        if posixpath.basename(stem) == "index":  # index.html is built from README.md too
            candidates += [posixpath.join(posixpath.dirname(stem), name) for name in _INDEX_FILES]
    candidates += [place + suffix for suffix in _SUFFIXES]
    candidates += [name if place == "." else f"{place}/{name}" for name in _INDEX_FILES]
    return candidates
