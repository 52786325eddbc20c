"""The tree of errors."""

import inspect
import re
from pathlib import Path

import pytest

from spaniel import errors

SOURCE = Path(errors.__file__).parent
ENGINE = Path(__file__).parents[1] / "engine/src"
CLASSES = [cls for _, cls in inspect.getmembers(errors, inspect.isclass) if cls.__module__ == errors.__name__]


def test_all_errors_have_one_base() -> None:
    assert [cls for cls in CLASSES if not issubclass(cls, errors.SpanielError)] == []


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_an_error_is_documented_and_in_the_tree(cls: type[Exception]) -> None:
    assert cls.__doc__
    assert cls.__name__ in (errors.__doc__ or "")


@pytest.mark.parametrize("cls", [cls for cls in CLASSES if not cls.__subclasses__()], ids=lambda cls: cls.__name__)
def test_an_error_is_raised_somewhere(cls: type[Exception]) -> None:
    files = [*SOURCE.rglob("*.py"), *ENGINE.rglob("*.rs")]
    code = "".join(file.read_text(encoding="utf-8") for file in files)
    assert re.search(rf"(raise|return) {cls.__name__}\(|=> {cls.__name__}::new_err\(", code)


def test_a_wrong_store_is_both_a_value_and_a_type_error() -> None:
    assert issubclass(errors.WrongStoreError, ValueError)
    assert issubclass(errors.WrongStoreError, TypeError)


def test_the_errors_of_haystacks_modules_are_the_same_classes() -> None:
    from spaniel.core.errors import DeserializationError
    from spaniel.document_stores.errors import DuplicateDocumentError

    assert DeserializationError is errors.DeserializationError
    assert DuplicateDocumentError is errors.DuplicateDocumentError
