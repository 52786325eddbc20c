"""Python files below folders, and atomic replacement of a file."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

_EXCLUDED = frozenset({"__pycache__", "node_modules", "site-packages"})


def python_files(path: Path) -> Iterator[Path]:
    """Yield the Python files below a folder in name order, or a file itself.

    Hidden folders, virtual environments and links to folders are skipped.
    """
    if not path.exists():
        raise FileNotFoundError(2, os.strerror(2), str(path))
    if not path.is_dir():
        yield path
        return
    for entry in sorted(path.iterdir()):
        if entry.is_dir():
            skipped = entry.name.startswith(".") or entry.name in _EXCLUDED or entry.is_symlink()
            if not skipped and not (entry / "pyvenv.cfg").exists():
                yield from python_files(entry)
        elif entry.suffix in (".py", ".pyi"):
            yield entry


def replace_file(path: Path, data: bytes) -> None:
    """Replace a file atomically, or the target of a symbolic link; permissions are kept."""
    target = path.resolve()
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(target.stat().st_mode if target.exists() else 0o666 & ~_umask())
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
