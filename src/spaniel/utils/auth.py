"""Haystack's path of secrets (see `spaniel.core.haystack_paths`)."""

from collections.abc import Iterable
from typing import Any

from spaniel.core.secret import EnvVarSecret, Secret, SecretType, TokenSecret

__all__ = ["EnvVarSecret", "Secret", "SecretType", "TokenSecret", "deserialize_secrets_inplace"]


def deserialize_secrets_inplace(data: dict[str, Any], keys: Iterable[str], *, recursive: bool = False) -> None:
    """Put secrets in the place of the plain data that they were written as.

    :param data: plain data; it is changed.
    :param keys: the keys under which secrets are.
    :param recursive: whether dictionaries inside are looked through, too.
    """
    keys = frozenset(keys)
    for key, value in data.items():
        if key in keys and value is not None:
            data[key] = Secret.from_dict(value)
        elif recursive and isinstance(value, dict):
            deserialize_secrets_inplace(value, keys, recursive=True)
