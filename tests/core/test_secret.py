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
def test_a_token_is_never_shown(shown):
    assert TOKEN not in shown(Secret.from_token(TOKEN))


def test_a_token_is_not_among_the_attributes_that_are_listed():
    with pytest.raises(TypeError):
        vars(Secret.from_token(TOKEN))


def test_a_token_refuses_to_be_written():
    with pytest.raises(ValueError, match="Cannot serialize token-based secret") as caught:
        Secret.from_token(TOKEN).to_dict()
    assert isinstance(caught.value, SpanielError)
    assert TOKEN not in str(caught.value)


def test_a_token_gives_its_value():
    assert Secret.from_token(TOKEN).resolve_value() == TOKEN


def test_an_empty_token_is_refused():
    with pytest.raises(ValueError, match="cannot be empty"):
        Secret.from_token("")


def test_the_first_variable_that_is_set_counts(monkeypatch):
    monkeypatch.delenv("FIRST_KEY", raising=False)
    monkeypatch.setenv("SECOND_KEY", TOKEN)
    secret = Secret.from_env_var(["FIRST_KEY", "SECOND_KEY"])
    assert secret.resolve_value() == TOKEN
    assert TOKEN not in repr(secret) + repr(secret.to_dict())


def test_a_variable_that_is_not_set_is_an_error_unless_it_may_be_missing(monkeypatch):
    monkeypatch.delenv("FIRST_KEY", raising=False)
    assert Secret.from_env_var("FIRST_KEY", strict=False).resolve_value() is None
    with pytest.raises(ValueError, match="FIRST_KEY"):
        Secret.from_env_var("FIRST_KEY").resolve_value()


def test_a_name_of_a_variable_is_needed():
    with pytest.raises(ValueError, match="must be provided"):
        Secret.from_env_var([])


@given(st.lists(st.text(min_size=1), min_size=1, max_size=3), st.booleans())
def test_names_of_variables_are_written_as_in_haystack(names, strict):
    ours, theirs = Secret.from_env_var(names, strict=strict), Reference.from_env_var(names, strict=strict)
    assert ours.to_dict() == theirs.to_dict()
    assert Secret.from_dict(theirs.to_dict()) == ours


@pytest.mark.parametrize("data", [{"type": "token", "token": TOKEN}, {"type": "disk"}, {}])
def test_data_of_no_secret_that_can_be_saved_is_refused(data):
    with pytest.raises(SecretError, match="only 'env_var' can") as caught:
        Secret.from_dict(data)
    assert TOKEN not in str(caught.value)


def test_a_secret_is_written_and_built_as_a_parameter():
    data = default_to_dict(Client(Secret.from_env_var("KEY")), key=Secret.from_env_var("KEY"))
    assert data["init_parameters"] == {"key": {"type": "env_var", "env_vars": ["KEY"], "strict": True}}
    assert default_from_dict(Client, data).key == Secret.from_env_var("KEY")


@pytest.mark.parametrize(
    "secret", [Secret.from_token(TOKEN), Secret.from_env_var(["A", "B"], strict=False)], ids=["token", "env"]
)
def test_a_copy_is_equal(secret):
    assert copy.deepcopy(secret) == secret == pickle.loads(pickle.dumps(secret))  # noqa: S301 (written by the test)
    assert len({secret, copy.copy(secret)}) == 1


def test_a_secret_cannot_be_changed():
    with pytest.raises(AttributeError, match="can't be changed"):
        Secret.from_env_var("A").strict = False


def test_types_have_the_names_of_haystack():
    assert [str(kind) for kind in SecretType] == ["token", "env_var"]
    assert SecretType.from_str("env_var") is SecretType.ENV_VAR
    with pytest.raises(ValueError, match="Unknown secret type 'disk'"):
        SecretType.from_str("disk")


def test_secrets_are_put_in_the_place_of_their_data():
    data = {
        "key": Secret.from_env_var("A").to_dict(),
        "none": None,
        "nested": {"key": Secret.from_env_var("B").to_dict()},
    }
    auth.deserialize_secrets_inplace(data, ["key", "none"], recursive=True)
    assert data == {"key": EnvVarSecret(["A"]), "none": None, "nested": {"key": EnvVarSecret(["B"])}}
