"""Small folders of files for tests."""

from collections.abc import Mapping
from pathlib import Path

GUIDE = {
    "start.md": "# Start\n\nInstall it with pip. Then see [the tour](tour.md#first-steps).\n",
    "tour.md": "# Tour\n\nA short walk.\n\n## First steps\n\nOpen a knowledge base.\n\n## Next steps\n\nRead [more](more/deep.md).\n",
    "more/deep.md": "# Deep\n\nAll about postings and segments.\n",
}


def write(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files into a folder, made if need be, and return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder
