"""Secrets such as API keys: never printed, logged or serialised."""

import enum
import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from spaniel.errors import SecretError
from spaniel.json_types import JsonObject


class SecretType(enum.Enum):
    """The source of a secret."""

    TOKEN = "token"  # noqa: S105 (a name, no secret)
    ENV_VAR = "env_var"

    def __str__(self) -> str:
        return self.value

    @staticmethod
    def from_str(string: str) -> "SecretType":
        """Return the type of this name.

        :raises ValueError: the name is unknown.
        """
        if string not in (known := [kind.value for kind in SecretType]):
            raise ValueError(f"Unknown secret type '{string}'; known are {known}.")
        return SecretType(string)


class Secret(ABC):
    """A value that is never printed, logged or serialised.

    >>> print(Secret.from_token("abc"))
    TokenSecret(hidden)
    >>> Secret.from_env_var("API_KEY").to_dict()
    {'type': 'env_var', 'env_vars': ['API_KEY'], 'strict': True}
    """

    __slots__ = ()
    type: SecretType

    @staticmethod
    def from_token(token: str) -> "Secret":
        """Return a secret from its value. It can't be serialised.

        :raises ValueError: the token is empty.
        """
        return TokenSecret(token)

    @staticmethod
    def from_env_var(env_vars: str | Sequence[str], *, strict: bool = True) -> "Secret":
        """Return a secret that is read from the environment on demand.

        :param env_vars: the names of environment variables; the first that is set has the value.
        :param strict: raise an error if none is set; else the value is None.
        :raises ValueError: there are no names.
        """
        return EnvVarSecret([env_vars] if isinstance(env_vars, str) else env_vars, strict)

    @staticmethod
    def from_dict(dict: JsonObject) -> "Secret":
        """Return a secret from its serialised form.

        :raises ValueError: the data is not a secret that can be serialised.
        """
        if dict.get("type") != SecretType.ENV_VAR.value:
            raise SecretError(f"A secret of type {dict.get('type')!r} can't be read from data, only 'env_var' can.")
        return EnvVarSecret(dict["env_vars"], dict.get("strict", True))

    @abstractmethod
    def to_dict(self) -> JsonObject:
        """Return the serialised form, without the value.

        :raises ValueError: the secret is a token.
        """

    @abstractmethod
    def resolve_value(self) -> str | None:
        """Return the value.

        :raises ValueError: no environment variable is set.
        """

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"A secret can't be changed, so '{name}' can't be set.")


class TokenSecret(Secret):
    """A token, which can't be serialised."""

    __slots__ = ("_token",)
    _token: str
    type = SecretType.TOKEN

    def __init__(self, token: str) -> None:
        if not token:
            raise ValueError("An authentication token cannot be empty.")
        object.__setattr__(self, "_token", token)

    def to_dict(self) -> NoReturn:
        """Raise an error, since a token must not be written."""
        raise SecretError("Cannot serialize token-based secret. Use an environment variable: Secret.from_env_var.")

    def resolve_value(self) -> str:
        """Return the token."""
        return self._token

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TokenSecret) and other._token == self._token

    def __hash__(self) -> int:
        return hash(self._token)

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return TokenSecret, (self._token,)

    def __repr__(self) -> str:
        return "TokenSecret(hidden)"


@dataclass(frozen=True, slots=True, repr=False)
class EnvVarSecret(Secret):
    """A secret in an environment variable: the first of several that is set."""

    env_vars: Sequence[str]
    strict: bool = True
    type = SecretType.ENV_VAR

    def __post_init__(self) -> None:
        if not self.env_vars:
            raise ValueError("One or more environment variables must be provided for the secret.")
        object.__setattr__(self, "env_vars", tuple(self.env_vars))

    def to_dict(self) -> JsonObject:
        """Return the names of the variables."""
        return {"type": str(self.type), "env_vars": list(self.env_vars), "strict": self.strict}

    def resolve_value(self) -> str | None:
        """Return the value of the first variable that is set."""
        value = next((os.environ[name] for name in self.env_vars if name in os.environ), None)
        if value is None and self.strict:
            raise ValueError(f"None of the following authentication environment variables are set: {self.env_vars}")
        return value

    def __repr__(self) -> str:
        return f"EnvVarSecret(env_vars={list(self.env_vars)}, strict={self.strict})"
