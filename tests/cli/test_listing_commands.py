"""The commands `ls` and `links`, and the addresses that `search` prints and `show` takes."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

import spaniel
from spaniel.cli.completion import complete_address, join_words
from spaniel.cli.passages import show_results
from tests.cli.test_app import run
from tests.knowledge_base.folders import write

FILES = {
    "start.txt": "# Start\n\nInstall it with pip.\nSee [the tour](tuor.txt).\n",
    "more/tour.txt": "# Tour\n\nA walk. [Back](../start.txt)\n",
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with an indexed folder."""
    write(tmp_path / "docs", FILES)
    monkeypatch.chdir(tmp_path)
    assert run("index", "docs").exit_code == 0
    return tmp_path


def test_search_prints_the_path_and_the_line(home: Path) -> None:
    assert run("search", "pip").stdout.startswith("1. start.txt:1  ")
    [result] = json.loads(run("search", "pip", "--json").stdout)["results"]
    assert (result["file"], result["line"], result["end_line"]) == (str(home / "docs/start.txt"), 1, 4)


def test_the_address_that_search_prints_is_shown(home: Path) -> None:
    address = run("search", "walk").stdout.split()[1]
    shown = run("show", address)
    assert shown.exit_code == 0
    assert "A walk." in shown.stdout
    assert run("show", "start.txt:99").exit_code == 1


def test_the_files_of_results_are_printed_alone_as_programs_can_open_them(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("search", "-l", "pip walk").stdout.splitlines() == ["docs/more/tour.txt", "docs/start.txt"]
    assert json.loads(run("search", "--files", "--json", "pip").stdout) == ["docs/start.txt"]
    monkeypatch.chdir(home / "docs/more")
    assert run("search", "-l", "pip", "--store", str(home / ".spaniel")).stdout == f"{home}/docs/start.txt\n"
    assert run("search", "-l", "nothing", "--store", str(home / ".spaniel")).exit_code == 1


def test_files_that_are_gone_are_listed_by_their_path(home: Path) -> None:
    (home / "docs/start.txt").unlink()
    assert run("search", "-l", "pip").stdout == "start.txt\n"


@pytest.mark.parametrize(("is_terminal", "count"), [(True, 1), (False, 0)])
def test_a_terminal_gets_a_hyperlink_to_the_file(home: Path, is_terminal: bool, count: int) -> None:
    console = Console(force_terminal=is_terminal, color_system="standard" if is_terminal else None, width=100)
    with console.capture() as captured:
        show_results(console, spaniel.open(".spaniel").search("pip", top_k=1), full=False)
    uri = re.escape((home / "docs/start.txt").as_uri())
    assert len(re.findall(rf"\x1b\]8;[^;]*;{uri}\x1b\\.*?start\.txt:1", captured.get())) == count
    assert "start.txt:1" in captured.get()


def test_ls_lists_files_with_their_passages_sizes_and_titles(home: Path) -> None:
    sizes = [(home / "docs" / name).stat().st_size for name in FILES]
    assert [line.split() for line in run("ls").stdout.splitlines()] == [
        ["1", str(sizes[1]), "B", "-", "more/tour.txt", "Tour"],
        ["1", str(sizes[0]), "B", "english", "start.txt", "Start"],
    ]
    assert [file["path"] for file in json.loads(run("ls", "more", "--json").stdout)] == ["more/tour.txt"]
    missing = run("ls", "*.rst")
    assert (missing.exit_code, missing.stderr) == (1, "Error: No indexed file matches '*.rst'.\n")


def test_broken_links_are_listed_with_their_line_and_fail(home: Path) -> None:
    result = run("links", "--broken")
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "start.txt:4  broken: tuor.txt  (did you mean more/tour.txt?)",
        "1 broken link in 1 file.",
    ]
    [link] = json.loads(run("links", "--broken", "--json").stdout)
    assert (link["path"], link["line"], link["suggestion"]) == ("start.txt", 4, "more/tour.txt")
    write(home / "docs", {"start.txt": FILES["start.txt"].replace("tuor", "more/tour")})
    run("index", "docs")
    whole = run("links", "--broken")
    assert (whole.exit_code, whole.stdout) == (0, "No broken links.\n")


def test_links_of_a_page_are_listed_with_those_into_it(home: Path) -> None:
    assert run("links", "start.txt").stdout.splitlines() == [
        "start.txt:4  broken: tuor.txt",
        "more/tour.txt:3  from outside: start.txt",
    ]
    assert run("links", "nothing.txt").exit_code == 1


def complete(words: str, folder: Path) -> list[str]:
    """Return the completions for Bash, for the words as it splits them."""
    variables = {"_SPANIEL_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count("\n"))}
    program = [sys.executable, "-c", "import sys; sys.argv[0] = 'spaniel'; from spaniel.cli import main; main()"]
    environment = {**os.environ, **variables, "SPANIEL_STORE": str(folder)}
    ran = subprocess.run(program, env=environment, capture_output=True, text=True, check=True, timeout=60)
    return ran.stdout.split()


def test_bash_completes_addresses(home: Path) -> None:
    store = home / ".spaniel"
    assert complete("spaniel\nshow\nst", store) == ["start.txt"]
    assert complete("spaniel\nshow\nmore/tour.txt\n:", store) == ["1"]
    assert complete("spaniel\nshow\nmore/tour.txt\n:\n1", store) == ["1"]
    assert complete("spaniel\nlinks\nmore/tour.txt#", store) == ["more/tour.txt#tour"]
    assert complete("spaniel\nshow\n", home / "missing") == []
    assert not (home / "missing").exists()


def test_words_without_a_colon_stay_as_they_are() -> None:
    words = {"COMP_WORDS": "spaniel\nsearch\n--to", "COMP_CWORD": "2"}
    assert join_words(words) == ""
    assert words == {"COMP_WORDS": "spaniel\nsearch\n--to", "COMP_CWORD": "2"}


def test_nothing_is_completed_for_a_place_that_is_no_knowledge_base(home: Path) -> None:
    class Context:
        params = {"store": str(home / "docs")}  # noqa: RUF012 (never changed)

    assert complete_address(Context(), "") == []  # type: ignore[arg-type]  # all that it reads of a context
