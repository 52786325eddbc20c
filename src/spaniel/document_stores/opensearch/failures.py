"""What the client raises, as errors that say what to do."""

from typing import Any

import orjson

from spaniel.document_stores.opensearch.http_request import Ask
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
_NOT_DONE = {429}  # a proxy or a node that answers otherwise may have passed the request on
_REMEDIES = {
    "index_not_found_exception": "Create it, or leave create_index at True.",
    "security_exception": "Check http_auth, and what this user may do.",
    "cluster_block_exception": "The index is write-blocked: see to the disks of the cluster, then lift the block.",
}


def translated(error: Exception, ask: Ask, hosts: str) -> DocumentStoreError:
    """Return the error of Spaniel for one of the client.

    :param error: an ``opensearchpy.exceptions.OpenSearchException``.
    :param hosts: where the server is, for the message.
    """
    from opensearchpy import exceptions

    request = f"{ask.method} {ask.path}"
    if isinstance(error, exceptions.SSLError):
        return DocumentStoreError(
            f"OpenSearch at {hosts} can't be trusted: {error.error}. Give its CA with ca_certs=..., or verify_certs=False."
        )
    if isinstance(error, exceptions.ConnectionTimeout):
        return StoreUnavailableError(
            f"OpenSearch at {hosts} did not answer {request} in time. A longer timeout=... waits."
        )
    if isinstance(error, exceptions.ConnectionError):
        return StoreUnavailableError(
            f"OpenSearch at {hosts} can't be reached: {_short(error.error)}. Is it running there?"
        )
    if not isinstance(error, exceptions.TransportError):
        return DocumentStoreError(f"OpenSearch at {hosts} could not be asked ({request}): {error}")
    status = error.status_code if isinstance(error.status_code, int) else 0
    kind, reason = _cause(_parsed(error.info or error.error), str(error.error))
    return _answered(status, kind, reason, f"OpenSearch at {hosts}", request)


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


def _answered(status: int, kind: str, reason: str, who: str, request: str) -> DocumentStoreError:
    if is_passing(status, kind):
        return StoreUnavailableError(
            f"{who} can't answer {request} now (status {status}, {kind}): {reason}", refused=status in _NOT_DONE
        )
    remedy = _REMEDIES.get("security_exception" if status == 401 else kind, "")
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
