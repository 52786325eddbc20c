"""The wheel of the package: one for every version, as it uses the stable ABI."""

import hashlib
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / ".build"
_SOURCES = ("pyproject.toml", "engine/Cargo.*", "engine/src/**/*.rs", "src/spaniel/**/*.py*", "src/spaniel/py.typed")


def build_wheel() -> tuple[Path, str]:
    """Return the wheel of the sources as they are, and its key; it is built if they have changed.

    :raises subprocess.CalledProcessError: it can't be built.
    """
    folder = BUILD / "wheel"
    stamp = folder / "key"
    key = digest_of(path for pattern in _SOURCES for path in ROOT.glob(pattern) if path.suffix != ".pyc")
    if not stamp.is_file() or stamp.read_text() != key:
        shutil.rmtree(folder, ignore_errors=True)
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
        subprocess.run([*pip, "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT], check=True)
        stamp.write_text(key)
    return next(folder.glob("*-abi3-*.whl")), key


def digest_of(paths: Iterable[Path]) -> str:
    """Return a digest of the names and contents of files."""
    digest = hashlib.sha256()
    for path in sorted(set(paths)):
        digest.update(f"{path.relative_to(ROOT)} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()
