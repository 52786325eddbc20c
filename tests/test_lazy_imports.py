import pytest

from spaniel.lazy_imports import LazyImport


def test_what_is_there_is_imported():
    with LazyImport() as found:
        import json
    found.check()
    assert json.dumps([]) == "[]"


def test_what_is_missing_is_told_when_it_is_needed():
    with LazyImport("Run 'pip install {}'") as missing:
        import not_there_at_all  # noqa: F401 -- it is not there
    with pytest.raises(
        ImportError, match=r"Failed to import 'not_there_at_all'\. Run 'pip install not_there_at_all'\."
    ):
        missing.check()


def test_other_errors_are_not_put_off():
    with pytest.raises(ZeroDivisionError), LazyImport():
        1 / 0  # noqa: B018 -- it is to raise
