"""Errors of the client and the server, translated to errors of the library with a remedy."""

import re
import ssl
from collections.abc import Iterable

import orjson

from spaniel.document_stores.opensearch.transport.http_request import HttpRequest
from spaniel.errors import DocumentStoreError, StoreRequestError, StoreUnavailableError
from spaniel.json_types import Json, JsonObject

_BUSY = {429, 502, 503, 504}
_TRANSIENT = {  # while a node joins or leaves the cluster; the status varies
    "already_closed_exception",
    "alreadyclosed_exception",
    "cluster_manager_not_discovered_exception",
    "connect_transport_exception",
    "illegal_index_shard_state_exception",
    "index_shard_closed_exception",
    "no_shard_available_action_exception",
    "node_closed_exception",
    "node_disconnected_exception",
    "node_not_connected_exception",
    "process_cluster_event_timeout_exception",
    "receive_timeout_transport_exception",
    "send_request_transport_exception",
    "shard_not_found_exception",
    "unavailable_shards_exception",
}
_NOT_HTTP = (
    "RemoteDisconnected",
    "BadStatusLine",
    "Server disconnected",
    "Connection aborted",
    "Connection reset",
    "Invalid HTTP",
)
_REFUSED = {429}  # after any other status, a proxy or a node may have forwarded the request
_REMEDIES = {
    "index_not_found_exception": "It was deleted, or has another name. A write creates it, unless create_index is False.",
    "security_exception": "Check user and password (http_auth=..., or user:password@host in a URL, or OPENSEARCH_USERNAME and "
    "OPENSEARCH_PASSWORD), and the permissions of this user.",
}
_BLOCKS = {  # by the number in the server's reason: "[FORBIDDEN/8/index write (api)]"
    4: "The index is closed: open it.",
    5: "The index is read-only: set index.blocks.read_only to null.",
    6: "The cluster is read-only: set cluster.blocks.read_only to null.",
    7: "Reading the index is blocked: set index.blocks.read to null.",
    8: "Writing to the index is blocked: set index.blocks.write to null.",
    9: "The mapping of the index is blocked: set index.blocks.metadata to null.",
    10: "No index can be created: the disks of the cluster are too full, or cluster.blocks.create_index is set.",
    12: "The disks of the cluster are too full: free space or add nodes, then the cluster lifts the block.",
    13: "The cluster can only delete: set cluster.blocks.read_only_allow_delete to null.",
}
_BLOCK_SETTINGS = {"read_only": 5, "read": 7, "write": 8, "metadata": 9, "read_only_allow_delete": 12}
_BLOCK = re.compile(r"\[\w+/(\d+)/")


def translate_error(error: Exception, request: HttpRequest, hosts: str) -> DocumentStoreError:
    """Return the library's error for an ``opensearchpy.exceptions.OpenSearchException``."""
    from opensearchpy import exceptions

    name = f"{request.method} {request.path}"
    if (untrusted := _tls_error(error)) is not None:
        return DocumentStoreError(
            f"TLS verification failed for OpenSearch at {hosts}: {_shorten(untrusted)}. Give the CA of its certificate with "
            "ca_certs=FILE (in a URL: ?ca_certs=FILE), or turn the check off with verify_certs=False (?verify_certs=false)."
        )
    if isinstance(error, exceptions.SerializationError):
        return not_opensearch(hosts, name)
    if isinstance(error, exceptions.ConnectionTimeout):
        return StoreUnavailableError(
            f"OpenSearch at {hosts} did not answer {name} in time. Increase it with timeout=..."
        )
    if isinstance(error, exceptions.ConnectionError):
        reason = _shorten(error.error)
        tls = any(sign in reason for sign in _NOT_HTTP)
        hint = " Does it want TLS (https://..., in a URL opensearch+https://...)?" if tls else ""
        return StoreUnavailableError(f"OpenSearch at {hosts} can't be reached: {reason}. Is it running there?{hint}")
    if not isinstance(error, exceptions.TransportError):
        return DocumentStoreError(f"The request to OpenSearch at {hosts} failed ({name}): {error}")
    status = error.status_code if isinstance(error.status_code, int) else 0
    kind, reason = _root_cause(_parse(error.info or error.error), str(error.error))
    return _error_of_status(status, kind, reason, f"OpenSearch at {hosts}", name)


def not_opensearch(hosts: str, request: str) -> DocumentStoreError:
    """Return the error for an answer in a form that OpenSearch does not use."""
    return DocumentStoreError(
        f"The answer of {hosts} to {request} can't be read: it is not the JSON that OpenSearch gives. Is this OpenSearch? Check "
        "host and port; a proxy may answer in its place."
    )


def item_error(answer: JsonObject, path: str) -> DocumentStoreError:
    """Return the error of an answer within a larger answer, which has ``error`` and ``status``."""
    kind, reason = _root_cause(answer, "")
    return _error_of_status(int(answer.get("status", 0)), kind, reason, "OpenSearch", path)


def is_transient(status: int, kind: str) -> bool:
    """Return True for an error after which the same request may succeed later.

    >>> is_transient(429, "rejected_execution_exception"), is_transient(400, "mapper_parsing_exception")
    (True, False)
    """
    return status in _BUSY or kind in _TRANSIENT


def remedy_for(kind: str, reason: str) -> str:
    """Return the remedy for an error of a server, or an empty text.

    >>> remedy_for("cluster_block_exception", "index [docs] blocked by: [FORBIDDEN/8/index write (api)];")
    'Writing to the index is blocked: set index.blocks.write to null.'
    """
    if kind == "cluster_block_exception":
        return " ".join(_BLOCKS[int(number)] for number in _BLOCK.findall(reason) if int(number) in _BLOCKS)
    return _REMEDIES.get(kind, "")


def remedy_for_settings(blocks: Iterable[str]) -> str:
    """Return the remedy for blocks in the settings of an index.

    >>> remedy_for_settings(["write"])
    'Writing to the index is blocked: set index.blocks.write to null.'
    """
    return " ".join(_BLOCKS[_BLOCK_SETTINGS[name]] for name in blocks if name in _BLOCK_SETTINGS)


def reason_of(cause: Json) -> str:
    """Return the reasons of an error and its causes, as a line.

    >>> reason_of({"reason": "failed to parse", "caused_by": {"reason": "For input string: 'abc'"}})
    "failed to parse: For input string: 'abc'"
    """
    reasons: list[str] = []
    while isinstance(cause, dict):
        reason = _shorten(cause.get("reason") or cause.get("type") or "")
        if reason and not any(reason in earlier for earlier in reasons):
            reasons.append(reason)
        cause = cause.get("caused_by")
    return ": ".join(reasons)


def _tls_error(error: BaseException) -> BaseException | None:
    """Return the certificate error nested in an exception's causes, contexts or arguments."""
    from opensearchpy import exceptions

    if isinstance(error, exceptions.SSLError):
        return error
    seen: set[int] = set()
    causes: list[object] = [error]
    while causes:
        each = causes.pop()
        if not isinstance(each, BaseException) or id(each) in seen:
            continue
        seen.add(id(each))
        if isinstance(each, ssl.SSLError) or "Certificate" in type(each).__name__:
            return each
        causes += [each.__cause__, each.__context__, *each.args]
    return None


def _parse(info: Json) -> Json:
    """Return the error body as data: the client for coroutines leaves it as text."""
    try:
        return orjson.loads(info) if isinstance(info, (str, bytes)) else info
    except orjson.JSONDecodeError:
        return info


def _error_of_status(status: int, kind: str, reason: str, server: str, request: str) -> DocumentStoreError:
    if is_transient(status, kind):
        text = f"{server} can't answer {request} now (status {status}, {kind}): {reason}"
        return StoreUnavailableError(_with_remedy(text, remedy_for(kind, reason)), refused=status in _REFUSED)
    text = f"{server} refused {request} (status {status}, {kind}): {reason}"
    remedy = remedy_for("security_exception" if status == 401 else kind, reason)
    return StoreRequestError(_with_remedy(text, remedy), status, kind)


def _with_remedy(text: str, remedy: str) -> str:
    return f"{text.rstrip('.')}. {remedy}".rstrip()


def _root_cause(info: Json, error: str) -> tuple[str, str]:
    cause = info.get("error") if isinstance(info, dict) else None
    if not isinstance(cause, dict):
        return error, _shorten(cause or info or error)
    roots = cause.get("root_cause") or [cause]
    shards = [shard.get("reason") for shard in cause.get("failed_shards", []) if isinstance(shard.get("reason"), dict)]
    first = shards[0] if shards and not cause.get("root_cause") else roots[0]
    if first.get("reason") == cause.get("reason"):
        first = cause  # the same failure, with its causes
    while isinstance(first.get("caused_by"), dict) and "too_many" in str(first["caused_by"].get("type")):
        first = first["caused_by"]
    return str(first.get("type", error)), reason_of(first)


def _shorten(text: object) -> str:
    line = " ".join(str(text).split())
    return line if len(line) <= 500 else f"{line[:497]}..."
