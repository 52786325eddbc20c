"""Store URLs, such as ``opensearch://localhost:9200/docs``: parsing and opening."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote, urlsplit

from spaniel.errors import StoreUrlError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spaniel.document_stores.opensearch import OpenSearchDocumentStore

_MARK = "://"
_PORT = re.compile(r"[0-9]{1,5}")
_HOST = re.compile(r"\[[0-9A-Fa-f:.%]+\]|[A-Za-z0-9._-]+")
_MAX_PORT = 65_535


@dataclass(frozen=True)
class StoreUrl:
    """The parts of a store URL. Neither ``repr`` nor ``str`` shows the credentials.

    :param scheme: in lower case.
    :param hosts: ``host:port`` or ``host``, as in the URL; an IPv6 address in brackets.
    :param name: the path: name of the index, table or collection.
    :param options: the query string.
    """

    scheme: str
    hosts: tuple[str, ...]
    name: str
    options: Mapping[str, str] = field(default_factory=dict)
    user: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)

    def __str__(self) -> str:
        return f"{self.scheme}{_MARK}{','.join(self.hosts)}/{self.name}"


SCHEMES: Mapping[str, str] = {
    "opensearch": "opensearch://HOST:9200/INDEX",
    "opensearch+https": "opensearch+https://HOST:9200/INDEX",
}
"""The schemes with the form of their URLs, for errors."""


def is_url(place: object) -> bool:
    """Return if a place is a URL, valid or not, and not a path.

    >>> is_url("opensearch://localhost:9200/docs"), is_url("docs/kb")
    (True, False)
    """
    return isinstance(place, str) and _MARK in place


def parse_store_url(url: str) -> StoreUrl:
    """Return the parts of a URL. Host and name are validated; options are validated by the store.

    >>> parse_store_url("opensearch://localhost:9200/docs?replicas=1")
    StoreUrl(scheme='opensearch', hosts=('localhost:9200',), name='docs', options={'replicas': '1'})
    """
    shown = without_secrets(url)
    try:
        parts = urlsplit(url)
        pairs = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
    except ValueError:  # its message may hold the password
        raise StoreUrlError(f"'{shown}' is not a store URL. {_forms()}") from None
    form = SCHEMES.get(parts.scheme)
    if form is None:
        raise StoreUrlError(f"'{shown}' has an unknown scheme. {_forms()}")
    if "@" in url.partition(_MARK)[2][len(parts.netloc) :]:
        raise StoreUrlError(
            f"'{shown}' has a '@' after the host. Escape / ? # @ : in a user name or password as %2F %3F %23 %40 %3A, or "
            f"set OPENSEARCH_USERNAME and OPENSEARCH_PASSWORD in the environment."
        )
    credentials, _, hosts_text = parts.netloc.rpartition("@")
    hosts, name = tuple(hosts_text.split(",")), unquote(parts.path.strip("/"))
    if fault := next(filter(None, map(_fault, hosts)), None) or _fault_of_name(name, parts.fragment):
        raise StoreUrlError(f"'{shown}' {fault}. Write {form}")
    options = dict(pairs)
    if len(options) < len(pairs):
        raise StoreUrlError(f"'{shown}' has an option twice. Write {form}?NAME=VALUE&OTHER=VALUE")
    user, colon, password = credentials.partition(":")
    return StoreUrl(
        parts.scheme, hosts, name, options, unquote(user) if user else None, unquote(password) if colon else None
    )


def open_store(url: str | StoreUrl) -> OpenSearchDocumentStore:
    """Return the store of a URL, without a request to it.

    :raises StoreUrlError: the URL is invalid; the message shows the valid form.
    """
    from spaniel.document_stores.opensearch.url import store_from_url

    parts = parse_store_url(url) if isinstance(url, str) else url
    try:
        return store_from_url(parts)
    except ValueError as error:
        raise StoreUrlError(f"'{parts}' can't be opened: {error}") from error


def without_secrets(url: str) -> str:
    """Return a URL for messages and logs: without user name and password.

    >>> without_secrets("opensearch://me:secret@localhost:9200/docs")
    'opensearch://localhost:9200/docs'
    """
    scheme, mark, rest = url.partition(_MARK)
    # The password of an invalid URL may contain "/", "?" or "#": drop all up to the last "@".
    return f"{scheme}{mark}{rest.rpartition('@')[2]}" if mark else url


def with_options(url: StoreUrl, **options: str) -> StoreUrl:
    """Return a URL with additional options; existing ones win."""
    return replace(url, options={**options, **url.options})


def _fault(host: str) -> str:
    has_port = ":" in host and not host.endswith("]")
    name, colon, port = host.rpartition(":") if has_port else (host, "", "")
    if not name or not _HOST.fullmatch(name):
        if name.count(":") > 0 and not name.startswith("["):
            return "has an IPv6 address without brackets, such as [::1]"
        return "has no host" if not name else "has an invalid host"
    if colon and (not _PORT.fullmatch(port) or not 0 < int(port) <= _MAX_PORT):
        return "has a port that is not a number from 1 to 65535"
    return ""


def _fault_of_name(name: str, fragment: str) -> str:
    if not name:
        return "names no index"
    if "/" in name:
        return "has more than one name after the host"
    return "contains a '#', which must be written %23" if fragment else ""


def _forms() -> str:
    return f"Valid stores: the path of a folder, or {', or '.join(SCHEMES.values())}."
