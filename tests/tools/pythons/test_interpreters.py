import sys
from pathlib import Path

import pytest

from tools.pythons.interpreters import find_interpreters, is_version

HERE = f"{sys.version_info[0]}.{sys.version_info[1]}"


def interpreter(folder: Path, version: str) -> Path:
    """Make a program that says that it is a Python of a version."""
    folder.mkdir(parents=True)
    path = folder / "python"
    path.write_text(f"#!/bin/sh\necho {version.replace('.', ' ')} 0\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def root(tmp_path, monkeypatch):
    """An empty machine: nothing on the PATH but a shell, and a folder of pyenv."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_the_version_that_runs_is_found(root):
    assert find_interpreters((HERE,)) == {HERE: Path(sys.executable)}


def test_a_version_that_is_nowhere_is_left_out(root):
    assert find_interpreters(("3.99",)) == {}


def test_the_newest_release_under_pyenv_is_taken(root):
    for release in ("3.98.2", "3.98.10", "3.9.1"):
        interpreter(root / "pyenv" / "versions" / release / "bin", "3.98")
    assert find_interpreters(("3.98",)) == {"3.98": root / "pyenv" / "versions" / "3.98.10" / "bin" / "python"}


def test_a_shim_of_another_version_is_passed_over(root):
    interpreter(root / "bin", "3.97").rename(root / "bin" / "python3.98")
    assert find_interpreters(("3.98",)) == {}


def test_a_file_that_does_not_run_has_no_version(tmp_path):
    assert not is_version(tmp_path / "absent", HERE)
    assert is_version(Path(sys.executable), HERE)
