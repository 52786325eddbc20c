"""Stores named by a URL, such as ``opensearch://localhost:9200/docs``: its parts, and the table of those that can be opened."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from spaniel.errors import StoreUrlError

_MARK = "://"
_PORT = re.compile(r"[0-9]{1,5}")
_HOST = re.compile(r"\[[0-9A-Fa-f:.%]+\]|[A-Za-z0-9._-]+")
_LARGEST_PORT = 65_535


@dataclass(frozen=True)
class StoreUrl:
    """The parts of a URL that names a store. Neither ``repr`` nor ``str`` shows who asks.

    :param scheme: in lower case.
    :param hosts: ``host:port`` or ``host``, as they stand there; an IPv6 address in brackets.
    :param name: of the index, table or collection: the path.
    :param options: what stands behind the ``?``.
    :param user: who asks; None: the URL does not say.
    :param password: of the user.
    """

    scheme: str
    hosts: tuple[str, ...]
    name: str
    options: Mapping[str, str] = field(default_factory=dict)
    user: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)

    def __str__(self) -> str:
        return f"{self.scheme}{_MARK}{','.join(self.hosts)}/{self.name}"


@dataclass(frozen=True)
class Scheme:
    """What can be opened under a scheme.

    :param form: of its URLs.
    :param open: gives the store.
    """

    form: str
    open: Callable[[StoreUrl], Any]


def _opensearch(url: StoreUrl) -> Any:
    from spaniel.document_stores.opensearch.url import store_at

    return store_at(url)


SCHEMES: Mapping[str, Scheme] = {
    "opensearch": Scheme("opensearch://HOST:9200/INDEX", _opensearch),
    "opensearch+https": Scheme("opensearch+https://HOST:9200/INDEX", _opensearch),
}
"""A store of a new kind is a row here."""


def is_url(place: object) -> bool:
    """Return whether a text names a store by a URL, be it a right one or not; else it is a path.

    >>> is_url("opensearch://localhost:9200/docs"), is_url("docs/kb")
    (True, False)
    """
    return isinstance(place, str) and _MARK in place


def parse_store_url(url: str) -> StoreUrl:
    """Return the parts of a URL; its host and name are checked, its options are the store's affair.

    :raises StoreUrlError: it is none, or of an unknown scheme. The message shows the right form, and no password.

    >>> parse_store_url("opensearch://localhost:9200/docs?replicas=1")
    StoreUrl(scheme='opensearch', hosts=('localhost:9200',), name='docs', options={'replicas': '1'})
    """
    shown = without_secrets(url)
    try:
        parts = urlsplit(url)
        pairs = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
    except ValueError:  # its message may hold the password
        raise StoreUrlError(f"'{shown}' is no URL of a store. {_forms()}") from None
    scheme = SCHEMES.get(parts.scheme)
    if scheme is None:
        raise StoreUrlError(f"'{shown}' is no store that can be opened. {_forms()}")
    if "@" in url.partition(_MARK)[2][len(parts.netloc) :]:
        raise StoreUrlError(
            f"'{shown}' has a '@' too late. A user name or password that holds / ? # @ or : is written with %2F %3F %23 %40 "
            f"%3A, or better given in the environment (OPENSEARCH_USERNAME, OPENSEARCH_PASSWORD)."
        )
    who, _, where = parts.netloc.rpartition("@")
    hosts, name = tuple(where.split(",")), unquote(parts.path.strip("/"))
    if fault := next(filter(None, map(_fault, hosts)), None) or _fault_of_name(name, parts.fragment):
        raise StoreUrlError(f"'{shown}' {fault}. Write {scheme.form}")
    options = dict(pairs)
    if len(options) < len(pairs):
        raise StoreUrlError(f"'{shown}' has an option twice. Write {scheme.form}?NAME=VALUE&OTHER=VALUE")
    user, colon, password = who.partition(":")
    return StoreUrl(
        parts.scheme, hosts, name, options, unquote(user) if user else None, unquote(password) if colon else None
    )


def open_store(url: str | StoreUrl) -> Any:
    """Return the store that a URL names. It is not asked before it is used.

    :raises StoreUrlError: the URL is wrong; the message shows the right form.
    """
    parts = parse_store_url(url) if isinstance(url, str) else url
    try:
        return SCHEMES[parts.scheme].open(parts)
    except ValueError as error:
        raise StoreUrlError(f"'{parts}' can't be opened: {error}") from error


def without_secrets(url: str) -> str:
    """Return a URL as it may be shown: without user name and password.

    >>> without_secrets("opensearch://me:secret@localhost:9200/docs")
    'opensearch://localhost:9200/docs'
    """
    scheme, mark, rest = url.partition(_MARK)
    # What stands before the last "@" of a wrong URL may be a password that holds "/", "?" or "#".
    return f"{scheme}{mark}{rest.rpartition('@')[2]}" if mark else url


def with_options(url: StoreUrl, **options: str) -> StoreUrl:
    """Return a URL with further options; those that it has stay."""
    return replace(url, options={**options, **url.options})


def _fault(host: str) -> str:
    name, colon, port = host, "", ""
    if not host.endswith("]"):
        name, colon, port = host.rpartition(":") if ":" in host else (host, "", "")
    if not name or not _HOST.fullmatch(name):
        if name.count(":") > 0 and not name.startswith("["):
            return "has an IPv6 address without brackets, such as [::1]"
        return "has no host" if not name else "has a host that can't be one"
    if colon and (not _PORT.fullmatch(port) or not 0 < int(port) <= _LARGEST_PORT):
        return "has a port that is no number from 1 to 65535"
    return ""


def _fault_of_name(name: str, fragment: str) -> str:
    if not name:
        return "names no index"
    if "/" in name:
        return "has more behind the host than one name"
    return "holds a '#', which must be written %23" if fragment else ""


def _forms() -> str:
    return f"Valid stores: the path of a folder, or {', or '.join(scheme.form for scheme in SCHEMES.values())}."
