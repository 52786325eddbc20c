"""The Python interpreters of this machine, by version."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

VERSIONS = ("3.11", "3.12", "3.13", "3.14")
_FACTS = "import sys, sysconfig; print(*sys.version_info[:2], sysconfig.get_config_var('Py_GIL_DISABLED') or 0)"


def find_interpreters(versions: tuple[str, ...] = VERSIONS) -> dict[str, Path]:
    """Return an interpreter for each version that is installed: on the PATH, under pyenv, or under
    uv.
    """
    found: dict[str, Path] = {}
    for version in versions:
        path = next((path for path in _candidates(version) if is_version(path, version)), None)
        if path is not None:
            found[version] = path
    return found


def is_version(python: Path, version: str) -> bool:
    """Return whether an interpreter runs and is of a version, with the lock that wheels for the
    stable ABI need.
    """
    try:
        facts = subprocess.run([python, "-c", _FACTS], capture_output=True, text=True, check=True, timeout=60)
    except (OSError, subprocess.SubprocessError):  # a shim of pyenv for a version that is not chosen
        return False
    return facts.stdout.split() == [*version.split("."), "0"]


def _candidates(version: str) -> Iterator[Path]:
    if sys.version_info[:2] == tuple(map(int, version.split("."))):
        yield Path(sys.executable)
    if on_path := shutil.which(f"python{version}"):
        yield Path(on_path)
    yield from _newest_first(_pyenv_root() / "versions", f"{version}.*/bin/python")
    if uv_folder := _output("uv", "python", "dir"):
        yield from _newest_first(Path(uv_folder), f"cpython-{version}.*/bin/python3")


def _pyenv_root() -> Path:
    return Path(_output("pyenv", "root") or os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")


def _newest_first(folder: Path, pattern: str) -> list[Path]:
    return sorted(folder.glob(pattern), key=lambda path: [*map(int, filter(str.isdecimal, path.parts[-3].split(".")))])[
        ::-1
    ]


def _output(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""
