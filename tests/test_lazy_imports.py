import pytest

from spaniel.lazy_imports import LazyImport


def test_imports_installed_packages():
    with LazyImport() as found:
        import json
    found.check()
    assert json.dumps([]) == "[]"


def test_missing_package_is_an_error_on_check():
    with LazyImport("Run 'pip install {}'") as missing:
        import not_there_at_all  # noqa: F401 -- it is not there
    with pytest.raises(
        ImportError, match=r"Failed to import 'not_there_at_all'\. Run 'pip install not_there_at_all'\."
    ):
        missing.check()


def test_other_errors_are_raised_at_once():
    with pytest.raises(ZeroDivisionError), LazyImport():
        1 / 0  # noqa: B018 -- it is to raise
