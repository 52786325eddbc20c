"""Haystack's path of secrets (see `spaniel.core.haystack_names`)."""

from collections.abc import Iterable

from spaniel.core.secret import EnvVarSecret, Secret, SecretType, TokenSecret
from spaniel.json_types import JsonObject

__all__ = ["EnvVarSecret", "Secret", "SecretType", "TokenSecret", "deserialize_secrets_inplace"]


def deserialize_secrets_inplace(data: JsonObject, keys: Iterable[str], *, recursive: bool = False) -> None:
    """Replace serialised secrets by secrets.

    :param data: serialised data; it is changed.
    :param keys: the keys of secrets.
    :param recursive: search nested dictionaries too.
    """
    keys = frozenset(keys)
    for key, value in data.items():
        if key in keys and value is not None:
            data[key] = Secret.from_dict(value)
        elif recursive and isinstance(value, dict):
            deserialize_secrets_inplace(value, keys, recursive=True)
