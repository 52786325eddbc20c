"""`python -m tools.pythons`: run the fast tests on each Python version that this machine has, with the package as a wheel."""

import argparse
import sys
import time

from tools.pythons.environment import Environment
from tools.pythons.interpreters import VERSIONS, find_interpreters
from tools.pythons.selection import select_tests
from tools.pythons.wheel import ROOT, build_wheel, digest_of

_FROM_WHEEL = "import spaniel, sys; sys.exit(not spaniel.__file__.startswith(sys.prefix) and spaniel.__file__)"


def main(arguments: list[str] | None = None) -> int:
    """Return the exit status of the command: 1 if a test failed on one of the versions."""
    parser = argparse.ArgumentParser(prog="python -m tools.pythons", description=__doc__)
    parser.add_argument("--workers", type=int, default=2, help="how many tests run at a time (2)")
    parser.add_argument("versions", nargs="*", default=VERSIONS, help=f"which versions ({' '.join(VERSIONS)})")
    options = parser.parse_args(arguments)
    found = find_interpreters(tuple(options.versions))
    for version in options.versions:
        print(f"Python {version}: {found.get(version, 'not found')}")
    wheel, key = build_wheel()
    tests = [str(path) for path in select_tests()]
    state = key + digest_of(path for path in (ROOT / "tests").rglob("*.py"))
    failed = []
    for version, python in found.items():
        environment = Environment(version, python)
        began = time.monotonic()
        environment.install(wheel, key)
        installed = time.monotonic()
        if environment.is_marked("passed", state):
            print(f"Python {version}: passed before, and nothing has changed since.")
            continue
        options_of_pytest = [
            "-q",
            "--numprocesses",
            str(options.workers),
            "-p",
            "no:cacheprovider",
            "-m",
            "not opensearch",
        ]
        passed = environment.run("-c", _FROM_WHEEL) and environment.run("-m", "pytest", *options_of_pytest, *tests)
        if passed:
            environment.mark("passed", state)
        else:
            failed.append(version)
        print(
            f"Python {version}: {'passed' if passed else 'FAILED'}, {time.monotonic() - installed:.0f} s of tests, "
            f"{installed - began:.0f} s to install."
        )
    if failed:
        print(f"Tests failed on Python {', '.join(failed)}.", file=sys.stderr)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
