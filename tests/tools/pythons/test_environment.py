import pytest

from tools.pythons import environment, wheel
from tools.pythons.environment import Environment, requirements_of_tests


@pytest.fixture
def made(tmp_path, monkeypatch):
    """An environment whose commands are noted in place of being run."""
    monkeypatch.setattr(environment, "BUILD", tmp_path)
    commands = []

    def note(command, **_options):
        commands.append([str(part) for part in command])
        (tmp_path / "pythons" / "3.98").mkdir(parents=True, exist_ok=True)

    monkeypatch.setattr(environment.subprocess, "run", note)
    return Environment("3.98", tmp_path / "python"), commands


def test_nothing_is_installed_twice(made, tmp_path):
    it, commands = made
    it.install(tmp_path / "a.whl", "first")
    assert [command[1:3] for command in commands] == [["-m", "venv"], ["-m", "pip"]]
    it.install(tmp_path / "a.whl", "first")
    assert len(commands) == 2
    it.install(tmp_path / "a.whl", "second")
    assert commands[2][-3:] == ["--no-deps", "--force-reinstall", str(tmp_path / "a.whl")]


def test_the_tests_need_pytest_as_the_project_does():
    assert any(line.startswith("pytest>=") for line in requirements_of_tests())


def test_a_digest_tells_names_and_contents(tmp_path, monkeypatch):
    monkeypatch.setattr(wheel, "ROOT", tmp_path)
    digests = set()
    for name, text in (("a", "x"), ("a", "y"), ("b", "y")):
        (tmp_path / name).write_text(text)
        digests.add(wheel.digest_of([tmp_path / name]))
    assert len(digests) == 3
