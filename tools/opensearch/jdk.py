"""The JDK that compiles and runs OpenSearch, often not the `java` on PATH."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from tools.opensearch.errors import OpenSearchNotStarted
from tools.opensearch.folders import closed_to_others

INSTALLED = (
    "/usr/lib/jvm/*",
    "/opt/java/*",
    "/opt/homebrew/opt/openjdk*",
    "/Library/Java/JavaVirtualMachines/*/Contents/Home",
)


def find_jdk(at_least: int) -> Path:
    """Return the home of the first JDK that is new enough.

    Looked at in this order: $OPENSEARCH_JAVA_HOME, $JAVA_HOME, `javac` on PATH, then the folders
    where systems install JDKs.

    :raises OpenSearchNotStarted: if there is none.
    """
    passed = []
    for home in candidates(os.environ):
        if not os.access(home / "bin" / "javac", os.X_OK):
            continue
        version = major(home / "bin" / "java")
        closed = closed_to_others(home) if os.geteuid() == 0 else None
        if version >= at_least and closed is None:
            return home
        passed.append(f"{home} (Java {version}{f', {closed} is closed to the user nobody' if closed else ''})")
    msg = f"OpenSearch needs a JDK {at_least} or newer. Install one, or set OPENSEARCH_JAVA_HOME to its folder."
    raise OpenSearchNotStarted(f"{msg} Found: {', '.join(passed) or 'none'}.")


def candidates(environment: Mapping[str, str]) -> Iterator[Path]:
    """Give the folders that may be the home of a JDK, each once."""
    places = [Path(environment[name]) for name in ("OPENSEARCH_JAVA_HOME", "JAVA_HOME") if environment.get(name)]
    on_path = shutil.which("javac", path=environment.get("PATH"))
    if on_path:
        places.append(Path(on_path).resolve().parents[1])
    for pattern in INSTALLED:
        places += sorted(Path("/").glob(pattern[1:]))
    seen = set()
    for place in places:
        home = place.resolve()
        if home not in seen:
            seen.add(home)
            yield home


def major(java: Path) -> int:
    """Return the major version of a `java` program, 0 if it doesn't run."""
    try:
        answer = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return 0
    return major_of(answer.stderr)


def major_of(text: str) -> int:
    """Return the major version in the output of `java -version`, or 0.

    >>> major_of('openjdk version "25.0.1" 2025-10-21'), major_of('java version "1.8.0_392"')
    (25, 8)
    """
    found = re.search(r'version "(?:1\.)?(\d+)', text)
    return int(found[1]) if found else 0
