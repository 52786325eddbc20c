"""Questions and errors of the demo."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from examples import demo

ROOT = Path(__file__).parents[2]


def test_arguments_come_before_the_variable_and_that_before_the_built_in_questions() -> None:
    assert demo.choose_questions(["one", "two"], {"Q": "three"}) == ["one", "two"]
    assert demo.choose_questions([], {"Q": "costs $5"}) == ["costs $5"]
    assert demo.choose_questions([], {"Q": ""}) == demo.choose_questions([], {}) == demo.QUESTIONS


def test_a_question_without_words_is_one_line_and_exit_code_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def reference(folder: Path) -> list[Path]:
        folder.mkdir(parents=True)
        (folder / "a.txt").write_text("A slice is a part of a sequence.")
        return [folder / "a.txt"]

    monkeypatch.setattr(demo, "export", reference)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        demo.main(["!!!"])
    assert (
        ended.value.code == "Error: The query '!!!' contains no searchable terms. Use at least one word."
    )  # printed by Python, which exits with 1
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "question", ["what does `yield` return", 'it\'s "x"', "costs $5", "$(shell echo no) # not a comment", ""]
)
def test_make_hands_a_question_over_as_it_is_typed(tmp_path: Path, question: str) -> None:
    make = shutil.which("make") or "make"
    python, ready = tmp_path / "python", tmp_path / "ready"
    python.write_text('#!/bin/sh\nprintf %s "$Q"\n')
    python.chmod(0o755)
    ready.touch()  # newer than the sources, so nothing is set up
    clean = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "Q")}
    for words, variables in ([f"Q={question}"], {}), ([], {"Q": question}):
        made = subprocess.run(
            [make, "--silent", "demo", f"BIN={tmp_path}", f"READY={ready}", *words],
            cwd=ROOT,
            env={**clean, **variables},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (made.returncode, made.stdout, made.stderr) == (0, question, "")
