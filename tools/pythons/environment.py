"""An environment for each version: the wheel, its dependencies and those of the tests."""

import os
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path

from tools.pythons.wheel import BUILD, ROOT

_FOR_TESTS = ("hypothesis", "jsonschema", "pytest", "pytest-asyncio", "pytest-timeout", "pytest-xdist")


@dataclass(frozen=True)
class Environment:
    """A virtual environment in the build folder.

    :param version: such as ``3.12``.
    :param base: the interpreter that it is made with.
    """

    version: str
    base: Path

    @property
    def folder(self) -> Path:
        """The folder of the environment."""
        return BUILD / "pythons" / self.version

    @property
    def python(self) -> Path:
        """The interpreter of the environment."""
        return self.folder / "bin" / "python"

    def install(self, wheel: Path, key: str) -> None:
        """Install the wheel and the packages that it and the tests need, unless nothing has
        changed.

        :raises subprocess.CalledProcessError: one can't be installed.
        """
        requirements = [f"{wheel}[convert,sentences,tokens]", *requirements_of_tests()]
        if not self.is_marked("requirements", wanted := f"{self.base} {requirements}"):
            subprocess.run([self.base, "-m", "venv", "--clear", self.folder], check=True)
            self._pip("install", *requirements)
            self.mark("requirements", wanted)
        elif not self.is_marked("wheel", key):
            self._pip("install", "--no-deps", "--force-reinstall", str(wheel))
        self.mark("wheel", key)

    def run(self, *arguments: str) -> bool:
        """Run Python on the installed package, not the sources, and return if it succeeded."""
        environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        environ["SPANIEL_TEST_PROFILE"] = "brief"
        return subprocess.run([self.python, *arguments], cwd=ROOT, env=environ, check=False).returncode == 0

    def is_marked(self, name: str, text: str) -> bool:
        """Return whether `mark` was called with this text last."""
        return (self.folder / name).is_file() and (self.folder / name).read_text() == text

    def mark(self, name: str, text: str) -> None:
        """Note a state of the environment for later runs."""
        (self.folder / name).write_text(text)

    def _pip(self, *arguments: str) -> None:
        command = [str(self.python), "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
        subprocess.run(command, check=True)


def requirements_of_tests() -> list[str]:
    """Return the packages that the chosen tests need, with their versions from ``pyproject.toml``."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    dev = project["optional-dependencies"]["dev"]
    return [line for line in dev if line.replace("~", ">").partition(">")[0] in _FOR_TESTS]
