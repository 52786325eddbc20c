"""`python -m tools.pythons`: run the fast tests on each Python version that this machine has, with
the package as a wheel.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tools.pythons.environment import Environment
from tools.pythons.interpreters import VERSIONS, find_interpreters
from tools.pythons.selection import select_tests
from tools.pythons.wheel import ROOT, build_wheel, digest_of

_FROM_WHEEL = "import spaniel, sys; sys.exit(not spaniel.__file__.startswith(sys.prefix) and spaniel.__file__)"

_PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "fast")


def main(arguments: list[str] | None = None) -> int:
    """Return the exit status of the command: 1 if a test failed on one of the versions."""
    parser = argparse.ArgumentParser(prog="python -m tools.pythons", description=__doc__)
    parser.add_argument("--workers", type=int, default=2, help="how many tests run at a time (2)")
    parser.add_argument("versions", nargs="*", default=VERSIONS, help=f"which versions ({' '.join(VERSIONS)})")
    options = parser.parse_args(arguments)
    found = find_interpreters(tuple(options.versions))
    for version in options.versions:
        print(f"Python {version}: {found.get(version, 'not found')}")
    failed = list(run_on(found, options.workers))
    if failed:
        print(f"Tests failed on Python {', '.join(failed)}.", file=sys.stderr)
    return bool(failed)


def run_on(found: dict[str, Path], workers: int) -> Iterator[str]:
    """Test the wheel on each version, and yield the versions on which a test failed.

    Where nothing has changed since the tests passed, they are not run again.
    """
    wheel, key = build_wheel()
    tests = [str(path) for path in select_tests()]
    state = key + digest_of(path for folder in ("tests", "tools") for path in (ROOT / folder).rglob("*.py"))
    for version, python in found.items():
        environment = Environment(version, python)
        began = time.monotonic()
        environment.install(wheel, key)
        if environment.is_marked("passed", state):
            print(f"Python {version}: passed before, and nothing has changed since.")
            continue
        installed = time.monotonic()
        passed = environment.run("-c", _FROM_WHEEL) and environment.run(*_PYTEST, "-n", str(workers), *tests)
        seconds = f"{time.monotonic() - installed:.0f} s of tests, {installed - began:.0f} s to install"
        print(f"Python {version}: {'passed' if passed else 'FAILED'}, {seconds}.")
        if passed:
            environment.mark("passed", state)
        else:
            yield version


if __name__ == "__main__":
    sys.exit(main())
