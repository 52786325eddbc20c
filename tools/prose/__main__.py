"""``python -m tools.prose [PATH ...] [--report]``: print each finding as ``path:line: text
(remedy)``.
"""

import argparse
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from tools.prose.texts import Text, texts_of_markdown, texts_of_python, texts_of_rust
from tools.prose.words import (
    COUNTED,
    EVERYWHERE,
    FILE_NAMES,
    IN_CODE,
    IN_NAMES,
    MAX_WHAT_PER_1000,
    NAME_PREFIXES,
    QUESTION_WORDS,
    is_participle,
)

READERS = {".py": texts_of_python, ".pyi": texts_of_python, ".rs": texts_of_rust, ".md": texts_of_markdown}
PROSE = ("docstring", "parameter", "comment")
MAX_COLUMNS = 100
EXEMPT = ("tools/prose/", "tests/tools/prose/", "docs/glossary.md")
"""Files that hold the banned words, to ban them."""

HAYSTACK_FILE = "src/spaniel/components/converters/utils.py"
"""A file with a banned name, under which programs for Haystack import its contents."""


def main(arguments: list[str] | None = None) -> int:
    """Check the files, and return 1 if there is a finding."""
    parser = argparse.ArgumentParser(prog="python -m tools.prose", description="Check the prose of the project.")
    parser.add_argument("paths", nargs="*", type=Path, help="files or folders; default: all that git tracks")
    parser.add_argument(
        "--report", action="store_true", help="print words per 1,000 of docstrings and comments instead"
    )
    options = parser.parse_args(arguments)
    paths = list(tracked_files(options.paths or [Path()]))
    if options.report:
        print(report(paths))
        return 0
    findings = [finding for path in paths for finding in check(path)]
    print("\n".join(findings) if findings else f"{len(paths)} files, no finding.")
    return int(bool(findings))


def tracked_files(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield the files below `paths` that git tracks or would track, and that the check can read."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *map(str, paths)]
    for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines():
        path = Path(line)
        if path.suffix in READERS and path.is_file() and not line.startswith(EXEMPT):
            yield path


def check(path: Path) -> Iterator[str]:
    """Yield the findings of a file."""
    if path.suffix != ".md" and path.stem in FILE_NAMES and path.parts[0] == "src" and str(path) != HAYSTACK_FILE:
        yield f"{path}:1: the file's name (name it by its contents)"
    source = path.read_text("utf-8")
    texts, lines = list(READERS[path.suffix](source)), source.splitlines()
    for text in texts:
        if (
            text.kind in PROSE
            and len(line := lines[text.line - 1].removesuffix('"""')) > MAX_COLUMNS
            and _is_prose_alone(line)
        ):
            yield f"{path}:{text.line}: {len(line)} columns (at most {MAX_COLUMNS} in prose)"
        for remedy in problems(text, is_library=path.parts[0] in ("src", "engine")):
            yield f"{path}:{text.line}: {text.words.strip()[:90]} ({remedy})"
    if path.suffix == ".md" and path.name != "CHANGELOG.md":
        words = Counter(word for text in texts for word in _words(text))
        limit = max(2.0, MAX_WHAT_PER_1000 * words.total() / 1000)
        if words["what"] > limit:
            yield f"{path}:1: 'what' {words['what']} times in {words.total()} words (at most {limit:.0f})"


def problems(text: Text, *, is_library: bool) -> Iterator[str]:
    """Yield the remedy for each rule that a text breaks.

    :param is_library: if the text is of the package or the engine, where a function is named by a
        verb.
    """
    if text.kind in ("name", "function"):
        parts = [part.lower() for part in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+", text.words)]
        for part in IN_NAMES.intersection(parts):
            yield f"no name contains '{part}'"
        if text.words.lstrip("_").startswith(NAME_PREFIXES):
            yield "say MAX_, MIN_"
        if text.kind == "function" and is_library and parts and is_participle(parts[0]):
            yield "a function is a verb"
        return
    if text.kind in ("docstring", "parameter") and (first := _words(text)[:1]) and first[0] in QUESTION_WORDS:
        yield f"'{first[0]}' opens it: name the thing"
    rules = EVERYWHERE if text.kind in ("message", "page") else EVERYWHERE + IN_CODE
    for rule in rules:
        if found := rule.pattern.search(text.words):
            yield f"'{found[0]}': {rule.remedy}"


def report(paths: Iterable[Path]) -> str:
    """Return how often the counted words occur per 1,000 words of docstrings and comments."""
    words = Counter(
        word
        for path in paths
        if path.suffix != ".md"
        for text in READERS[path.suffix](path.read_text("utf-8"))
        if text.kind in ("docstring", "parameter", "comment")
        for word in _words(text)
    )
    total = max(1, words.total())
    return f"{total} words; per 1,000: " + ", ".join(f"{word} {1000 * words[word] / total:.2f}" for word in COUNTED)


def _is_prose_alone(line: str) -> bool:
    """Return False for a comment behind code, which has the width of code."""
    code, mark, _ = line.partition("#")
    return not mark or not code.strip() or line.lstrip().startswith('"""')


def _words(text: Text) -> list[str]:
    return re.findall(r"[a-z']+", text.words.lower())


if __name__ == "__main__":
    sys.exit(main())
