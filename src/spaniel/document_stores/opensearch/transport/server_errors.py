"""What the client raises, as errors that say what to do."""

import re
import ssl
from collections.abc import Iterable
from typing import Any

import orjson

from spaniel.document_stores.opensearch.transport.http_request import Ask
from spaniel.errors import DocumentStoreError, StoreRequestError, StoreUnavailableError

_BUSY = {429, 502, 503, 504}
_PASSING = {  # what a cluster says while a node comes or goes, with whatever status
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
_NO_HTTP = (
    "RemoteDisconnected",
    "BadStatusLine",
    "Server disconnected",
    "Connection aborted",
    "Connection reset",
    "Invalid HTTP",
)
_NOT_DONE = {429}  # a proxy or a node that answers otherwise may have passed the request on
_REMEDIES = {
    "index_not_found_exception": "It was deleted, or has another name. A write makes it, unless create_index is False.",
    "security_exception": "Check user and password (http_auth=..., or user:password@host in a URL, or OPENSEARCH_USERNAME and "
    "OPENSEARCH_PASSWORD), and what this user may do.",
}
_BLOCKS = {  # by the number that the server gives in its reason: "[FORBIDDEN/8/index write (api)]"
    4: "The index is closed: open it.",
    5: "The index is read-only: set index.blocks.read_only to null.",
    6: "The cluster is read-only: set cluster.blocks.read_only to null.",
    7: "Reading the index is blocked: set index.blocks.read to null.",
    8: "Writing to the index is blocked: set index.blocks.write to null.",
    9: "The mapping of the index is blocked: set index.blocks.metadata to null.",
    10: "No index can be created: the disks of the cluster are too full, or cluster.blocks.create_index is set.",
    12: "The disks of the cluster are too full: free space or add nodes, then the block ends by itself.",
    13: "The cluster can only delete: set cluster.blocks.read_only_allow_delete to null.",
}
_BLOCK_SETTINGS = {"read_only": 5, "read": 7, "write": 8, "metadata": 9, "read_only_allow_delete": 12}
_BLOCK = re.compile(r"\[\w+/(\d+)/")


def translated(error: Exception, ask: Ask, hosts: str) -> DocumentStoreError:
    """Return the error of Spaniel for one of the client.

    :param error: an ``opensearchpy.exceptions.OpenSearchException``.
    :param hosts: where the server is, for the message.
    """
    from opensearchpy import exceptions

    request = f"{ask.method} {ask.path}"
    if (untrusted := _tls_error(error)) is not None:
        return DocumentStoreError(
            f"TLS verification failed for OpenSearch at {hosts}: {_short(untrusted)}. Give the CA of its certificate with "
            "ca_certs=FILE (in a URL: ?ca_certs=FILE), or turn the check off with verify_certs=False (?verify_certs=false)."
        )
    if isinstance(error, exceptions.SerializationError):
        return not_opensearch(hosts, request)
    if isinstance(error, exceptions.ConnectionTimeout):
        return StoreUnavailableError(
            f"OpenSearch at {hosts} did not answer {request} in time. A longer timeout=... waits."
        )
    if isinstance(error, exceptions.ConnectionError):
        reason = _short(error.error)
        tls = any(sign in reason for sign in _NO_HTTP)
        hint = " Does it want TLS (https://..., in a URL opensearch+https://...)?" if tls else ""
        return StoreUnavailableError(f"OpenSearch at {hosts} can't be reached: {reason}. Is it running there?{hint}")
    if not isinstance(error, exceptions.TransportError):
        return DocumentStoreError(f"OpenSearch at {hosts} could not be asked ({request}): {error}")
    status = error.status_code if isinstance(error.status_code, int) else 0
    kind, reason = _cause(_parsed(error.info or error.error), str(error.error))
    return _answered(status, kind, reason, f"OpenSearch at {hosts}", request)


def not_opensearch(hosts: str, request: str) -> DocumentStoreError:
    """Return the error for an answer that no OpenSearch gives."""
    return DocumentStoreError(
        f"The answer of {hosts} to {request} can't be read: it is not the JSON that OpenSearch gives. Is this OpenSearch? Check "
        "host and port; a proxy may answer in its place."
    )


def _tls_error(error: BaseException) -> BaseException | None:
    """Return why a certificate was not accepted, wherever in an error a client has put it; None: it was not that."""
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


def _parsed(info: Any) -> Any:
    """Return what the server said, as data: the client for coroutines leaves it as text."""
    try:
        return orjson.loads(info) if isinstance(info, (str, bytes)) else info
    except orjson.JSONDecodeError:
        return info


def answer_error(answer: dict[str, Any], path: str) -> DocumentStoreError:
    """Return the error for one answer of several that came together.

    :param answer: with ``error`` and ``status``.
    """
    kind, reason = _cause(answer, "")
    return _answered(int(answer.get("status", 0)), kind, reason, "OpenSearch", path)


def is_passing(status: int, kind: str) -> bool:
    """Return whether an error says that the server can't now, but may a little later.

    :param status: of the answer, or of one item in it.
    :param kind: what the server calls the error.

    >>> is_passing(429, "rejected_execution_exception"), is_passing(400, "mapper_parsing_exception")
    (True, False)
    """
    return status in _BUSY or kind in _PASSING


def remedy_for(kind: str, reason: str) -> str:
    """Return what to do about an error of a server; nothing if that depends.

    >>> remedy_for("cluster_block_exception", "index [docs] blocked by: [FORBIDDEN/8/index write (api)];")
    'Writing to the index is blocked: set index.blocks.write to null.'
    """
    if kind == "cluster_block_exception":
        found = [_BLOCKS[int(number)] for number in _BLOCK.findall(reason) if int(number) in _BLOCKS]
        return " ".join(found)
    return _REMEDIES.get(kind, "")


def setting_remedy(blocks: Iterable[str]) -> str:
    """Return what to do about blocks in the settings of an index.

    >>> setting_remedy(["write"])
    'Writing to the index is blocked: set index.blocks.write to null.'
    """
    return " ".join(_BLOCKS[_BLOCK_SETTINGS[name]] for name in blocks if name in _BLOCK_SETTINGS)


def _answered(status: int, kind: str, reason: str, who: str, request: str) -> DocumentStoreError:
    if is_passing(status, kind):
        remedy = remedy_for(kind, reason)
        text = f"{who} can't answer {request} now (status {status}, {kind}): {reason}"
        return StoreUnavailableError(f"{text.rstrip('.')}. {remedy}".rstrip(" "), refused=status in _NOT_DONE)
    remedy = remedy_for("security_exception" if status == 401 else kind, reason)
    text = f"{who} refused {request} (status {status}, {kind}): {reason}"
    return StoreRequestError(f"{text.rstrip('.')}. {remedy}".rstrip(), status, kind)


def _cause(info: Any, error: str) -> tuple[str, str]:
    """Return type and reason of what went wrong first."""
    cause = info.get("error") if isinstance(info, dict) else None
    if not isinstance(cause, dict):
        return error, _short(cause or info or error)
    roots = cause.get("root_cause") or [cause]
    failed = [shard.get("reason") for shard in cause.get("failed_shards", []) if isinstance(shard.get("reason"), dict)]
    first = failed[0] if failed and not cause.get("root_cause") else roots[0]
    if first.get("reason") == cause.get("reason"):
        first = cause  # the same, with what caused it
    while isinstance(first.get("caused_by"), dict) and "too_many" in str(first["caused_by"].get("type")):
        first = first["caused_by"]
    return str(first.get("type", error)), reason_of(first)


def reason_of(cause: dict[str, Any]) -> str:
    """Return the reasons of a cause and what caused it, as one line.

    >>> reason_of({"reason": "failed to parse", "caused_by": {"reason": "For input string: 'abc'"}})
    "failed to parse: For input string: 'abc'"
    """
    reasons: list[str] = []
    inner: Any = cause
    while isinstance(inner, dict):
        reason = _short(inner.get("reason") or inner.get("type") or "")
        if reason and not any(reason in earlier for earlier in reasons):
            reasons.append(reason)
        inner = inner.get("caused_by")
    return ": ".join(reasons)


def _short(text: Any) -> str:
    line = " ".join(str(text).split())
    return line if len(line) <= 500 else f"{line[:497]}..."
