"""Links of a file, as its record keeps them: an update finds those that lead elsewhere by now."""

import base64
import hashlib
import json
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Self

from spaniel.text.converted_text import ConvertedText
from spaniel.text.link_resolver import LinkResolver

_URLS = ("http:", "https:", "mailto:", "//")
_DIGEST_BYTES = 12


@dataclass(frozen=True)
class FileLinks:
    """The labels of a file, and its links that other files decide.

    :param labels: addresses in it that other files may link to, by name.
    :param targets: of its links, as written; without those that no other file can change.
    :param digest: of the addresses to which the targets were resolved.
    """

    labels: dict[str, str] = field(default_factory=dict)
    targets: list[str] = field(default_factory=list)
    digest: str = ""

    @classmethod
    def resolve(cls, path: str, converted: ConvertedText, labels: Mapping[str, str], resolver: LinkResolver) -> Self:
        """Return the links of a file that was just converted."""
        anchors = converted.anchors
        written = dict.fromkeys(reference.target for reference in converted.references)
        targets = [
            target
            for target in written
            if not target.startswith(_URLS) and not (target.startswith("#") and target[1:] in anchors)
        ]
        return cls(dict(labels), targets, _digest_addresses(path, targets, resolver))

    def are_outdated(self, path: str, resolver: LinkResolver) -> bool:
        """Return True if a link of the file now leads to another address."""
        return _digest_addresses(path, self.targets, resolver) != self.digest

    def pack(self) -> str:
        """Return a short text; a large site has a hundred thousand links.

        >>> FileLinks.unpack(FileLinks({"intro": "a.rst#intro"}, ["b.md"]).pack()).targets
        ['b.md']
        """
        values = [self.labels, self.targets, self.digest]
        return base64.b85encode(zlib.compress(json.dumps(values).encode(), 1)).decode()

    @classmethod
    def unpack(cls, packed: str) -> Self:
        """Return the links that `pack` packed; "" has none, and is outdated."""
        return cls(*json.loads(zlib.decompress(base64.b85decode(packed)))) if packed else cls()


def merge_labels(files: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Return the labels of all files; of files with the same label the first by path has it.

    >>> merge_labels({"b.rst": {"spot": "b.rst#x"}, "a.rst": {"spot": "a.rst#x"}})
    {'spot': 'a.rst#x'}
    """
    return {label: address for path in sorted(files, reverse=True) for label, address in files[path].items()}


def digest_targets(resolver: LinkResolver) -> str:
    """Return a digest of everything that links may lead to."""
    return _digest(f"{sorted(resolver.paths or ())!r}{sorted(resolver.labels.items())!r}")


def _digest_addresses(path: str, targets: Iterable[str], resolver: LinkResolver) -> str:
    # Without its anchors: links within the file are broken then and now, until they lead elsewhere.
    addresses = [resolver.resolve(target, path) for written in targets for target in resolver.expand(written, path)]
    return _digest(repr(addresses))


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).hexdigest()
