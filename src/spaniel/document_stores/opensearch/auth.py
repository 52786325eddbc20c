"""Who asks: user name and password, or an object that signs requests."""

from typing import Any

from spaniel.core.secret import Secret
from spaniel.errors import DocumentStoreError

_PAIR = 2


def resolved_auth(auth: Any) -> Any:
    """Return what the client takes for a pair of secrets; anything else as it is.

    :raises DocumentStoreError: only one of the two has a value.
    """
    if not _is_secret_pair(auth):
        return auth or None
    name, password = (secret.resolve_value() for secret in auth)
    if bool(name) != bool(password):
        missing = "password" if name else "user name"
        raise DocumentStoreError(f"http_auth has no {missing}: both must be set, or neither ({auth[0]}, {auth[1]}).")
    return (name, password) if name else None


def saved_auth(auth: Any) -> Any:
    """Return an auth as plain data; names and passwords that are written in the program are left out."""
    if _is_secret_pair(auth):
        return [secret.to_dict() for secret in auth]
    return auth.to_dict() if hasattr(auth, "to_dict") else None


def _is_secret_pair(auth: Any) -> bool:
    return isinstance(auth, (tuple, list)) and len(auth) == _PAIR and all(isinstance(item, Secret) for item in auth)
