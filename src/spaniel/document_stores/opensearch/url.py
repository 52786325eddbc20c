"""The store that a URL names: ``opensearch://host:9200/index?replicas=1``, or ``opensearch+https://`` for TLS."""

from collections.abc import Callable, Mapping
from typing import Any

from spaniel.core.secret import Secret
from spaniel.document_stores.opensearch.document_store import OpenSearchDocumentStore
from spaniel.document_stores.urls import StoreUrl

_PORT = 9200


def _flag(text: str) -> bool:
    values = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
    if text.lower() not in values:
        raise ValueError(f"'{text}' must be true or false")
    return values[text.lower()]


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise ValueError(f"'{text}' must be a whole number")
    return int(text)


def _seconds(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"'{text}' must be a number of seconds") from None


PARAMETERS: Mapping[str, Callable[[str], Any]] = {
    "verify_certs": _flag,
    "ca_certs": str,
    "client_cert": str,
    "client_key": str,
    "timeout": _seconds,
    "patience": _seconds,
    "embedding_dim": lambda text: None if text.lower() == "none" else _number(text),
    "content_field": str,
    "search": str,
    "search_type": str,
    "chunk_size": _number,
    "writers": _number,
    "create_index": _flag,
}
"""The options of a URL that are parameters of the store, or of its client, and what reads them."""

SETTINGS: Mapping[str, str] = {"shards": "number_of_shards", "replicas": "number_of_replicas"}
"""The options that are settings of an index that is made."""

VECTORS: Mapping[str, str] = {"engine": "lucene", "space_type": "innerproduct"}
"""The options that say how vectors are indexed in an index that is made. Their defaults are there on every server, and rank
as a local store does."""

OPTIONS = sorted({*PARAMETERS, *SETTINGS, *VECTORS})


def store_at(url: StoreUrl) -> OpenSearchDocumentStore:
    """Return the store that a URL names; it searches leaves, unless the URL says ``search=all``.

    :raises ValueError: an option is unknown, or has a wrong value.
    """
    if unknown := sorted(url.options.keys() - set(OPTIONS)):
        raise ValueError(f"it has no option {', '.join(unknown)}. Options: {', '.join(OPTIONS)}.")
    parameters: dict[str, Any] = {"search": "leaves"}
    settings: dict[str, Any] = {"index.knn": True}
    vectors = dict(VECTORS)
    for name, text in url.options.items():
        try:
            if name in VECTORS:
                vectors[name] = text
            elif name in SETTINGS:
                settings[f"index.{SETTINGS[name]}"] = _number(text)
            else:
                parameters[name] = PARAMETERS[name](text)
        except ValueError as error:
            raise ValueError(f"the option {name}={error}.") from None
    if parameters.get("verify_certs") is False:
        parameters["ssl_show_warn"] = False  # who writes it knows
    tls = url.scheme.endswith("+https")
    hosts = [f"{'https' if tls else 'http'}://{_with_port(host)}" for host in url.hosts]
    if (auth := _auth(url)) is not None:
        parameters["http_auth"] = auth
    if "embedding_dim" in parameters and parameters["embedding_dim"] is None:
        settings.pop("index.knn")  # a server without the plugin does not know it
    return OpenSearchDocumentStore(
        hosts=hosts, index=url.name, settings=settings, method={"name": "hnsw", **vectors}, **parameters
    )


def _with_port(host: str) -> str:
    return host if ":" in host.rpartition("]")[2] else f"{host}:{_PORT}"


def _auth(url: StoreUrl) -> tuple[Secret, Secret] | None:
    """Return who asks, where the URL says so; a password that it leaves out is that of the environment."""
    if url.user is None:
        return None
    password = (
        Secret.from_token(url.password) if url.password else Secret.from_env_var("OPENSEARCH_PASSWORD", strict=False)
    )
    return Secret.from_token(url.user), password
