"""Stores by URL: ``opensearch://host:9200/index?replicas=1``, or ``opensearch+https://`` for TLS."""

from collections.abc import Callable, Mapping
from typing import Any

from spaniel.core.secret import Secret
from spaniel.document_stores.opensearch.document_store import OpenSearchDocumentStore
from spaniel.document_stores.urls import StoreUrl

_PORT = 9200


def _parse_flag(text: str) -> bool:
    values = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
    if text.lower() not in values:
        raise ValueError(f"'{text}' must be true or false")
    return values[text.lower()]


def _parse_count(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise ValueError(f"'{text}' must be a whole number")
    return int(text)


def _parse_seconds(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"'{text}' must be a number of seconds") from None


PARAMETERS: Mapping[str, Callable[[str], object]] = {
    "verify_certs": _parse_flag,
    "ca_certs": str,
    "client_cert": str,
    "client_key": str,
    "timeout": _parse_seconds,
    "patience": _parse_seconds,
    "embedding_dim": lambda text: None if text.lower() == "none" else _parse_count(text),
    "content_field": str,
    "search": str,
    "search_type": str,
    "chunk_size": _parse_count,
    "writers": _parse_count,
    "create_index": _parse_flag,
}
"""The options that are parameters of the store or its client, with their parsers."""

SETTINGS: Mapping[str, str] = {"shards": "number_of_shards", "replicas": "number_of_replicas"}
"""The options that are settings of a new index."""

VECTORS: Mapping[str, str] = {"engine": "lucene", "space_type": "innerproduct"}
"""The options for vectors in a new index; the defaults rank like a local store."""

OPTIONS = sorted({*PARAMETERS, *SETTINGS, *VECTORS})


def store_from_url(url: StoreUrl) -> OpenSearchDocumentStore:
    """Return the store of a URL; it searches leaves, unless the URL has ``search=all``."""
    if unknown := sorted(url.options.keys() - set(OPTIONS)):
        raise ValueError(f"it has no option {', '.join(unknown)}. Options: {', '.join(OPTIONS)}.")
    parameters: dict[str, Any] = {"search": "leaves"}
    settings: dict[str, bool | int] = {"index.knn": True}
    vectors = dict(VECTORS)
    for name, text in url.options.items():
        try:
            if name in VECTORS:
                vectors[name] = text
            elif name in SETTINGS:
                settings[f"index.{SETTINGS[name]}"] = _parse_count(text)
            else:
                parameters[name] = PARAMETERS[name](text)
        except ValueError as error:
            raise ValueError(f"the option {name}={error}.") from None
    if parameters.get("verify_certs") is False:
        parameters["ssl_show_warn"] = False  # a deliberate choice
    tls = url.scheme.endswith("+https")
    hosts = [f"{'https' if tls else 'http'}://{_with_port(host)}" for host in url.hosts]
    if (auth := _auth(url)) is not None:
        parameters["http_auth"] = auth
    if "embedding_dim" in parameters and parameters["embedding_dim"] is None:
        settings.pop("index.knn")  # unknown to a server without the plugin
    return OpenSearchDocumentStore(
        hosts=hosts, index=url.name, settings=settings, method={"name": "hnsw", **vectors}, **parameters
    )


def _with_port(host: str) -> str:
    return host if ":" in host.rpartition("]")[2] else f"{host}:{_PORT}"


def _auth(url: StoreUrl) -> tuple[Secret, Secret] | None:
    """Return the user of a URL; a missing password is read from the environment."""
    if url.user is None:
        return None
    password = (
        Secret.from_token(url.password) if url.password else Secret.from_env_var("OPENSEARCH_PASSWORD", strict=False)
    )
    return Secret.from_token(url.user), password
