"""Files of programs: found below folders, and replaced whole or not at all."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

_PASSED_OVER = frozenset({"__pycache__", "node_modules", "site-packages"})


def python_files(path: Path) -> Iterator[Path]:
    """Yield a file itself, or the Python files below a folder in the order of their names.

    Hidden folders, virtual environments and links to folders are left out.

    :param path: a file or a folder.
    :raises FileNotFoundError: there is none.
    """
    if not path.exists():
        raise FileNotFoundError(2, os.strerror(2), str(path))
    if not path.is_dir():
        yield path
        return
    for entry in sorted(path.iterdir()):
        if entry.is_dir():
            left_out = entry.name.startswith(".") or entry.name in _PASSED_OVER or entry.is_symlink()
            if not left_out and not (entry / "pyvenv.cfg").exists():
                yield from python_files(entry)
        elif entry.suffix in (".py", ".pyi"):
            yield entry


def replace_file(path: Path, data: bytes) -> None:
    """Put a new content in the place of a file's: beside it first, then renamed, with its permissions.

    :param path: the file, which may be new; of a symbolic link, what it leads to is replaced.
    :param data: its bytes.
    :raises OSError: it can't be written; the file is as it was then.
    """
    target = path.resolve()
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    beside = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.chmod(target.stat().st_mode if target.exists() else 0o666 & ~_umask())
        beside.replace(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
