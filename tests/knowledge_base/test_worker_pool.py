"""Files that are converted in other processes, and files that end these."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import spaniel
from spaniel import KnowledgeBase
from spaniel.knowledge_base import step_execution, worker_pool
from spaniel.knowledge_base.step_execution import StepExecutor
from spaniel.knowledge_base.worker import PROGRAM
from tests.knowledge_base.folders import GUIDE, write
from tests.knowledge_base.test_index_run import same

EVIL = """
import os, signal, sys, time
from spaniel.components.converters import files

def convert(text):
    exec(text)
    return files.convert_text(text)

files.CONVERTERS[".text"] = convert
"""
"""A converter of `.text` files that executes them."""


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start other processes for any file."""
    monkeypatch.setattr(step_execution, "_MIN_SECONDS", 0)
    monkeypatch.setattr(step_execution, "_WORTHWHILE_SECONDS", 0)


@pytest.fixture
def evil(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_pool, "PROGRAM", PROGRAM.replace("serve()", EVIL + "serve()"))


@pytest.fixture
def kb(tmp_path: Path) -> KnowledgeBase:
    return spaniel.open(tmp_path / "kb")


def list_children() -> set[str]:
    """Return the processes of this one; those of other tests, such as servers, are among them."""
    return {id for task in Path("/proc/self/task").iterdir() for id in (task / "children").read_text().split()}


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("while True: pass", "took longer than 1 s; --max-seconds (`max_seconds`) allows more"),
        ("time.sleep(60)", "took longer than 1 s; --max-seconds (`max_seconds`) allows more"),
        ("x = ['a']\nwhile True: x += x", "needs more memory than is allowed or there is; --max-memory (`max_memory`)"),
        (
            "os.kill(os.getpid(), signal.SIGKILL)",
            "ended the process that read it (SIGKILL; the machine may lack memory)",
        ),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "ended the process that read it (SIGSEGV)"),
        ("os._exit(3)", "ended the process that read it (exit code 3)"),
        ("sys.exit(3)", "an error in its converter: SystemExit: 3"),
        ("{}['x']", "an error in its converter: KeyError: 'x'"),
        ("raise RecursionError", "is nested too deeply"),
    ],
)
@pytest.mark.usefixtures("evil")
def test_a_file_that_ends_its_process_is_a_failure_and_the_others_are_indexed(
    kb: KnowledgeBase, tmp_path: Path, code: str, reason: str
) -> None:
    before = list_children()
    report = kb.index(write(tmp_path / "docs", {**GUIDE, "a.text": code}), jobs=1, max_seconds=1, max_memory=200)
    assert list(report.failed) == ["a.text"]
    assert report.failed["a.text"].startswith(reason)
    assert sorted(report.added) == sorted(GUIDE)
    assert list_children() <= before


@pytest.mark.usefixtures("evil")
def test_output_of_a_converter_does_no_harm(kb: KnowledgeBase, tmp_path: Path) -> None:
    report = kb.index(write(tmp_path / "docs", {"a.text": "print('loud'); os.write(1, b'x')"}), jobs=1)
    assert (report.added, report.failed) == (["a.text"], {})


def test_the_store_is_that_of_a_run_in_one_process(kb: KnowledgeBase, tmp_path: Path) -> None:
    docs = write(tmp_path / "docs", {f"{number}/{name}": text for number in range(20) for name, text in GUIDE.items()})
    (docs / "pets.jsonl").write_text('{"text": "Rex barks."}\n')
    assert len(kb.index(docs, jobs=3).added) == 61
    other = spaniel.open(tmp_path / "other")
    other.index(docs, jobs=0)
    assert same(kb, other)


def test_a_run_in_a_thread_uses_them_too(kb: KnowledgeBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_execution, "_WORTHWHILE_SECONDS", 1e9)
    started = []
    start = StepExecutor._start_workers
    monkeypatch.setattr(StepExecutor, "_start_workers", lambda self: started.append(1) or start(self))
    docs = write(tmp_path / "docs", GUIDE)
    thread = threading.Thread(target=kb.index, args=(docs,))
    thread.start()
    thread.join()
    assert started
    assert kb.statistics().files == 3


@pytest.mark.parametrize("executable", ["", "/bin/false", "/nowhere/python"])
def test_without_a_python_to_start_files_are_converted_here(
    kb: KnowledgeBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, executable: str
) -> None:
    monkeypatch.setattr(sys, "executable", executable)
    report = kb.index(write(tmp_path / "docs", GUIDE))
    assert (sorted(report.added), report.failed) == (sorted(GUIDE), {})


@pytest.mark.parametrize("way", ["file", "stdin"])
def test_a_script_without_a_guard_runs_once(tmp_path: Path, way: str) -> None:
    write(tmp_path / "docs", GUIDE)
    code = (
        "import spaniel\nfrom spaniel.knowledge_base import step_execution\nstep_execution._WORTHWHILE_SECONDS = step_execution._MIN_SECONDS = 0\n"
        "print(len(spaniel.open('kb').index('docs', jobs=2).added))\n"
    )
    write(tmp_path, {"script.py": code})
    command = [sys.executable, "script.py"] if way == "file" else [sys.executable, "-"]
    done = subprocess.run(
        command, input=code, cwd=tmp_path, capture_output=True, text=True, timeout=60, env=os.environ, check=False
    )
    assert (done.stdout, done.stderr, done.returncode) == ("3\n", "", 0)
