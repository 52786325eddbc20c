"""The speed of the converter of Markdown, beside markdown-it-py alone with the same plugins.

``python -m benchmarks.markdown FOLDER`` converts the Markdown files of a folder.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path

from spaniel.components.converters._markdown_parser import create_parser
from spaniel.components.converters.markdown import convert_markdown

RUNS = 3


def measure(run: Callable[[str], object], texts: list[str]) -> float:
    """Return the megabytes that a function reads per second of a core: the best of three runs."""
    seconds = []
    for _ in range(RUNS):
        start = time.process_time()
        for text in texts:
            run(text)
        seconds.append(time.process_time() - start)
    return sum(len(text.encode()) for text in texts) / 1e6 / min(seconds)


def main(folder: str) -> None:
    """Print the speeds and their ratio."""
    texts = [file.read_text(errors="replace") for file in sorted(Path(folder).rglob("*.md"))]
    parser = create_parser(dispatch=False)
    converted, parsed = measure(convert_markdown, texts), measure(parser.parse, texts)
    print(
        f"{len(texts)} files: convert {converted:.2f} MB/s, markdown-it-py {parsed:.2f} MB/s ({converted / parsed:.0%})"
    )


if __name__ == "__main__":
    main(sys.argv[1])
