"""The command as a process: signals, pipes, terminals, encodings, permissions."""

import ctypes
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

import spaniel
from spaniel.document_stores.local import LocalDocumentStore
from tests.knowledge_base.folders import GUIDE, write
from tests.knowledge_base.test_index_run import fresh, same

COMMAND = [sys.executable, "-m", "spaniel"]
FILES = 45
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 24, 1, 2


def as_from_a_terminal(before: Callable[[], None] | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a background job, such as a test run may be, ignores it
    if before is not None:
        before()


def start(*args: str, cwd: Path, before: Callable[[], None] | None = None, **env: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, *args],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "COLUMNS": "100", **env},
        preexec_fn=partial(as_from_a_terminal, before),  # noqa: PLW1509 (this test has one thread)
    )


def run(*args: str, cwd: Path, before: Callable[[], None] | None = None, **env: str) -> tuple[int, str, str]:
    process = start(*args, cwd=cwd, before=before, **env)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """A folder that takes seconds to index."""
    section = "## Part {0}.{1}\n\n" + "Some *words* about [things](f{0}.md) and `code`. " * 30 + "\n\n"
    files = {f"f{number}.md": "".join(section.format(number, part) for part in range(20)) for number in range(FILES)}
    write(tmp_path / "many", files)
    return tmp_path


def wait_for_files(store: Path, process: subprocess.Popen[str]) -> None:
    """Wait until a run has made its store, so that it is in the middle of its work."""
    while not (store / "documents.db").exists():
        assert process.poll() is None
        time.sleep(0.005)


def test_an_interrupted_run_is_resumed_by_the_next_one(many: Path) -> None:
    process = start("index", "many", cwd=many)
    wait_for_files(many / ".spaniel", process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Interrupted. What was read is saved; run the same command again to go on." in err
    files = spaniel.open(many / ".spaniel").statistics().files if "new" in out else 0
    assert files < FILES
    kb = spaniel.open(many / ".spaniel")
    report = kb.index(many / "many")
    assert len(report.added) == FILES - files
    assert same(kb, fresh(many / "many", many / "other"))


def list_workers(parent: int) -> list[int]:
    """Return the processes that convert files for another."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
        if int(fields[1]) == parent and fields[0] != "Z":
            found.append(int(status.parent.name))
    return found


def wait_for_workers(process: subprocess.Popen[str]) -> list[int]:
    while not (found := list_workers(process.pid)):
        assert process.poll() is None
        time.sleep(0.01)
    return found


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_ctrl_c_while_files_are_converted_keeps_the_converted_ones(many: Path) -> None:
    shutil.copytree(many / "many", many / "many/copy")
    process = start("index", "many", cwd=many, before=os.setsid)
    workers = wait_for_workers(process)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    out, err = process.communicate(timeout=100)
    assert process.returncode == 130
    assert "Interrupted. What was read is saved; run the same command again to go on." in err
    assert "Traceback" not in err + out
    assert not any(map(is_running, workers))
    kb = spaniel.open(many / ".spaniel")
    files = kb.statistics().files
    assert 0 < files < FILES * 2
    assert len(kb.index(many / "many").added) == FILES * 2 - files
    assert same(kb, fresh(many / "many", many / "other"))


def test_the_processes_of_a_killed_run_end(tmp_path: Path) -> None:
    write(tmp_path / "big", {"big.txt": "Some words about things.\n\n" * 400_000})
    process = start("index", "big", cwd=tmp_path)
    workers = wait_for_workers(process)
    time.sleep(1)
    process.kill()
    process.communicate(timeout=60)
    for _ in range(200):
        if not any(map(is_running, workers)):
            break
        time.sleep(0.1)
    assert not any(map(is_running, workers))


@pytest.mark.parametrize("seconds", [0, 0.1, 0.4, 0.8])
def test_ctrl_c_at_any_moment_ends_without_a_traceback(many: Path, seconds: float) -> None:
    process = start("index", "many", cwd=many)
    while not (many / ".spaniel").exists():
        time.sleep(0.005)
    time.sleep(seconds)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode in {130, 0}, err  # 0: it is done already
    assert "Traceback" not in out + err


def test_a_kill_loses_nothing_that_was_saved_and_leaves_nothing_double(many: Path) -> None:
    process = start("index", "many", cwd=many)
    wait_for_files(many / ".spaniel", process)
    time.sleep(0.3)
    process.kill()
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    kb = spaniel.open(many / ".spaniel")
    kb.index(many / "many")
    assert same(kb, fresh(many / "many", many / "other"))
    assert same(spaniel.open(many / ".spaniel"), kb)


def test_a_second_interrupt_ends_at_once(tmp_path: Path) -> None:
    write(tmp_path / "big", {"big.txt": "Some words about things.\n\n" * 400_000})
    process = start("index", "big", cwd=tmp_path)
    while not (tmp_path / ".spaniel/writer.lock").exists():
        assert process.poll() is None
        time.sleep(0.005)
    time.sleep(0.3)  # it reads the one file now
    process.send_signal(signal.SIGINT)
    line = process.stderr.readline()
    assert line == "Stopping after this file; what is read so far is kept. Once more stops at once.\n"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "Stopped.\n")
    assert not spaniel.open(tmp_path / ".spaniel").exists


def test_a_second_run_waits_for_the_first(many: Path) -> None:
    first = start("index", "many", cwd=many)
    wait_for_files(many / ".spaniel", first)
    code, _, err = run("index", "many", cwd=many)
    first.communicate(timeout=60)
    assert (first.returncode, code) == (0, 0), err
    assert same(spaniel.open(many / ".spaniel"), fresh(many / "many", many / "other"))


def test_a_run_names_the_process_that_does_not_let_it_write(many: Path) -> None:
    with LocalDocumentStore(many / ".spaniel", search="leaves") as store, store.transaction():
        code, _, err = run("index", "many", cwd=many)
    assert code == 1
    assert re.fullmatch(
        rf"Error: '\.spaniel' is being changed by process {os.getpid()} on .* \(since .*\)\. Wait until that is done, then try "
        r"again\.\n",
        err,
    )


@pytest.mark.parametrize(
    "args", [["search", "open"], ["search", "open", "--json"], ["search", "open", "--trace"], ["show", "a.md"]]
)
def test_a_reader_that_has_seen_enough_is_no_error(tmp_path: Path, args: list[str]) -> None:
    fresh(write(tmp_path / "docs", {"a.md": "# A\n\n" + "open words\n\n" * 20_000}), tmp_path / ".spaniel")
    process = start(*args, "--store", ".spaniel", cwd=tmp_path)
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(timeout=60) == 0
    process.stderr.close()


def test_a_stream_that_lacks_a_character_is_no_error(tmp_path: Path) -> None:
    fresh(write(tmp_path / "docs", {"a.md": "Straße 漢字 words"}), tmp_path / ".spaniel")
    code, out, err = run("search", "words", cwd=tmp_path, PYTHONIOENCODING="ascii")
    assert (code, err) == (0, "")
    assert "Stra?e ?? words" in out


def on_terminal(*args: str, cwd: Path, **env: str) -> str:
    """Return the output of a command on a terminal."""
    outer, inner = pty.openpty()
    variables = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    process = subprocess.Popen(
        [*COMMAND, *args],
        cwd=cwd,
        stdout=inner,
        stderr=inner,
        env={**variables, "TERM": "xterm", "COLUMNS": "100", **env},
    )
    os.close(inner)
    written = b""
    while True:
        try:
            data = os.read(outer, 65536)
        except OSError:  # how Linux says that the other side is closed
            break
        if not data:
            break
        written += data
    os.close(outer)
    assert process.wait(timeout=60) == 0
    return written.decode()


def test_a_terminal_gets_colours_and_a_progress_bar_and_no_color_is_honoured(tmp_path: Path) -> None:
    write(tmp_path / "guide", GUIDE)
    assert "files" in on_terminal("index", "guide", cwd=tmp_path)
    assert "\x1b[1;33mwalk\x1b[0m" in on_terminal("search", "walk", cwd=tmp_path)
    assert "\x1b[1;33m" not in on_terminal("search", "walk", cwd=tmp_path, NO_COLOR="1")
    assert "\x1b" not in run("search", "walk", cwd=tmp_path)[1]


def test_a_paragraph_is_wrapped_once_and_code_is_kept(tmp_path: Path) -> None:
    line = "needle words that fill the line of a source file which is ninety columns wide or so and wide"
    code = "    needle = compute(1)\n    print(needle)\n"
    fresh(write(tmp_path / "docs", {"a.md": f"{line}\n{line}\nend\n\n{code}"}), tmp_path / ".spaniel")
    for args in (["search", "needle"], ["search", "needle", "--full"], ["show", "a.md"]):
        output = on_terminal(*args, cwd=tmp_path, COLUMNS="80", NO_COLOR="1").replace("\r\n", "\n")
        text = re.sub("\x1b[^m]*m", "", output)
        lines = [shown.strip() for shown in text.splitlines() if "words" in shown or "source" in shown]
        assert [len(shown) > 60 for shown in lines] == [True, True, False][: len(lines)]
        assert "needle = compute(1)\n" in text


def test_the_shell_completes_commands_and_options(tmp_path: Path) -> None:
    script = write(tmp_path, {"spaniel": f"#!{sys.executable}\nfrom spaniel.cli import main\n\nmain()\n"}) / "spaniel"
    script.chmod(0o755)

    def complete(words: str) -> list[str]:
        variables = {"_SPANIEL_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
        return subprocess.run(
            [script], env={**os.environ, **variables}, capture_output=True, text=True, check=True, timeout=60
        ).stdout.split()

    assert complete("spaniel se") == ["search"]
    assert complete("spaniel search --to") == ["--top-k"]
    shown = subprocess.run(
        [script, "--show-completion", "bash"],
        env={**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stdout
    assert "complete -o default -F _spaniel_completion spaniel" in shown


def without_privileges() -> None:
    """Let file modes count for root too."""
    if os.geteuid() == 0:
        for capability in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
            ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)


def test_unreadable_files_are_listed_and_stay_indexed(tmp_path: Path) -> None:
    docs = write(tmp_path / "docs", {"a.md": "open", "b.md": "closed", "secret/c.md": "hidden"})
    fresh(docs, tmp_path / ".spaniel")
    write(docs, {"a.md": "open still", "b.md": "closed now"})
    (docs / "b.md").chmod(0)
    (docs / "secret").chmod(0)
    try:
        code, out, err = run("index", "docs", "--strict", cwd=tmp_path, before=without_privileges)
    finally:
        (docs / "secret").chmod(0o755)
    assert code == 1
    assert out.startswith("Files: 1 changed. ")
    assert err.splitlines() == [
        "2 files could not be read:",
        "  secret: the folder can't be read: Permission denied",
        "  b.md: Permission denied",
    ]
    assert spaniel.open(tmp_path / ".spaniel").statistics().files == 3


def test_a_store_that_may_not_be_written_can_be_searched(tmp_path: Path) -> None:
    docs = write(tmp_path / "docs", {"a.md": "open"})
    fresh(docs, tmp_path / ".spaniel")
    for file in [*(tmp_path / ".spaniel").iterdir(), tmp_path / ".spaniel"]:
        file.chmod(0o555 if file.is_dir() else 0o444)
    assert run("search", "open", cwd=tmp_path, before=without_privileges)[0] == 0
    code, _, err = run("index", "docs", cwd=tmp_path, before=without_privileges)
    assert code == 1
    place = tmp_path / ".spaniel"
    assert err == f"Error: '{place}' is read-only. Searching it works; to change it, make it writable.\n"
