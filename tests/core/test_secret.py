import copy
import pickle

import pytest
from haystack.utils import Secret as Reference
from hypothesis import given
from hypothesis import strategies as st

from spaniel.core.secret import EnvVarSecret, Secret, SecretType
from spaniel.core.serialization import default_from_dict, default_to_dict
from spaniel.errors import SecretError, SpanielError
from spaniel.utils import auth

TOKEN = "s3cr3t-value"  # noqa: S105 (made up)


class Client:
    def __init__(self, key: Secret):
        self.key = key


@pytest.mark.parametrize("shown", [repr, str, "{}".format, lambda secret: f"{[secret]!r}"])
def test_token_is_never_printed(shown):
    assert TOKEN not in shown(Secret.from_token(TOKEN))


def test_token_is_not_a_listed_attribute():
    with pytest.raises(TypeError):
        vars(Secret.from_token(TOKEN))


def test_rejects_serialisation_of_a_token():
    with pytest.raises(ValueError, match="Cannot serialize token-based secret") as caught:
        Secret.from_token(TOKEN).to_dict()
    assert isinstance(caught.value, SpanielError)
    assert TOKEN not in str(caught.value)


def test_token_resolves_to_its_value():
    assert Secret.from_token(TOKEN).resolve_value() == TOKEN


def test_rejects_empty_tokens():
    with pytest.raises(ValueError, match="cannot be empty"):
        Secret.from_token("")


def test_resolves_to_the_first_variable_that_is_set(monkeypatch):
    monkeypatch.delenv("FIRST_KEY", raising=False)
    monkeypatch.setenv("SECOND_KEY", TOKEN)
    secret = Secret.from_env_var(["FIRST_KEY", "SECOND_KEY"])
    assert secret.resolve_value() == TOKEN
    assert TOKEN not in repr(secret) + repr(secret.to_dict())


def test_unset_variable_is_an_error_if_strict(monkeypatch):
    monkeypatch.delenv("FIRST_KEY", raising=False)
    assert Secret.from_env_var("FIRST_KEY", strict=False).resolve_value() is None
    with pytest.raises(ValueError, match="FIRST_KEY"):
        Secret.from_env_var("FIRST_KEY").resolve_value()


def test_rejects_missing_variable_names():
    with pytest.raises(ValueError, match="must be provided"):
        Secret.from_env_var([])


@given(st.lists(st.text(min_size=1), min_size=1, max_size=3), st.booleans())
def test_serialises_variable_names_as_haystack_does(names, strict):
    ours, theirs = Secret.from_env_var(names, strict=strict), Reference.from_env_var(names, strict=strict)
    assert ours.to_dict() == theirs.to_dict()
    assert Secret.from_dict(theirs.to_dict()) == ours


@pytest.mark.parametrize("data", [{"type": "token", "token": TOKEN}, {"type": "disk"}, {}])
def test_rejects_data_of_unserialisable_secrets(data):
    with pytest.raises(SecretError, match="only 'env_var' can") as caught:
        Secret.from_dict(data)
    assert TOKEN not in str(caught.value)


def test_secret_parameter_round_trips():
    data = default_to_dict(Client(Secret.from_env_var("KEY")), key=Secret.from_env_var("KEY"))
    assert data["init_parameters"] == {"key": {"type": "env_var", "env_vars": ["KEY"], "strict": True}}
    assert default_from_dict(Client, data).key == Secret.from_env_var("KEY")


@pytest.mark.parametrize(
    "secret", [Secret.from_token(TOKEN), Secret.from_env_var(["A", "B"], strict=False)], ids=["token", "env"]
)
def test_copied_secret_is_equal(secret):
    assert copy.deepcopy(secret) == secret == pickle.loads(pickle.dumps(secret))  # noqa: S301 (written by the test)
    assert len({secret, copy.copy(secret)}) == 1


def test_secret_is_immutable():
    with pytest.raises(AttributeError, match="cannot assign to field"):
        Secret.from_env_var("A").strict = False


def test_secret_types_have_haystack_names():
    assert [str(kind) for kind in SecretType] == ["token", "env_var"]
    assert SecretType.from_str("env_var") is SecretType.ENV_VAR
    with pytest.raises(ValueError, match="Unknown secret type 'disk'"):
        SecretType.from_str("disk")


def test_replaces_serialised_secrets():
    data = {
        "key": Secret.from_env_var("A").to_dict(),
        "none": None,
        "nested": {"key": Secret.from_env_var("B").to_dict()},
    }
    auth.deserialize_secrets_inplace(data, ["key", "none"], recursive=True)
    assert data == {"key": EnvVarSecret(["A"]), "none": None, "nested": {"key": EnvVarSecret(["B"])}}
