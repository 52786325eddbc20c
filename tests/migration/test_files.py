"""Files below folders, and atomic replacement."""

import os
from pathlib import Path

import pytest

from spaniel.migration import python_files, replace_file


def test_python_files_below_a_folder_are_found_in_order(tmp_path: Path) -> None:
    for name in ["b.py", "a/c.pyi", "a/d.txt", ".hidden/e.py", "venv/pyvenv.cfg", "venv/f.py", "__pycache__/g.py"]:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "linked").symlink_to(tmp_path / "a")
    assert [file.relative_to(tmp_path).as_posix() for file in python_files(tmp_path)] == ["a/c.pyi", "b.py"]


def test_a_file_that_is_named_is_taken_whatever_its_name(tmp_path: Path) -> None:
    (tmp_path / "script").write_text("")
    assert list(python_files(tmp_path / "script")) == [tmp_path / "script"]


def test_a_path_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nothing"):
        list(python_files(tmp_path / "nothing"))


def test_a_file_keeps_its_permissions_and_a_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "real.py").write_bytes(b"old")
    (tmp_path / "real.py").chmod(0o751)
    (tmp_path / "link.py").symlink_to("real.py")
    replace_file(tmp_path / "link.py", b"new")
    assert (tmp_path / "link.py").is_symlink()
    assert (tmp_path / "real.py").read_bytes() == b"new"
    assert (tmp_path / "real.py").stat().st_mode & 0o777 == 0o751


def test_a_write_that_fails_leaves_the_file_and_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.py").write_bytes(b"old")

    def fail(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space left"):
        replace_file(tmp_path / "a.py", b"new")
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [("a.py", b"old")]
