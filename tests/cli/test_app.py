"""The commands, run in this process."""

import io
import json
from dataclasses import fields
from pathlib import Path

import pytest
import typer
from rich.console import Console
from typer.testing import CliRunner, Result

import spaniel
from spaniel.cli import app, options
from spaniel.cli.reports import show_report
from spaniel.knowledge_base import IndexReport, SearchOptions
from tests.knowledge_base.folders import GUIDE, write

NAMES = list(typer.main.get_command(app).commands)  # type: ignore[attr-defined]


def run(*args: str, **env: str) -> Result:
    return CliRunner().invoke(app, list(args), env={"COLUMNS": "100", "SPANIEL_STORE": None, **env})


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a guide."""
    write(tmp_path / "guide", GUIDE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def indexed(home: Path) -> Path:
    assert run("index", "guide").exit_code == 0
    return home


def test_index_prints_a_report(home: Path) -> None:
    write(home / "guide", {"pic.png": "", "bad.txt": b"\0"})
    result = run("index", "guide")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].startswith("Files: 3 new. 9 documents written in ")
    assert lines[1:] == ["Passed over 1 file of other kinds: .png 1."]
    assert result.stderr == "1 file could not be read:\n  bad.txt: is binary, not text.\n"
    assert run("index", "guide").stdout.startswith("Files: 3 unchanged. 0 documents written in ")


def test_the_report_lists_warnings_with_the_file(home: Path) -> None:
    write(home / "guide", {"bad.md": "---\ntitle: [open\n---\n\n# Bad\n\nBadly begun.\n"})
    result = run("index", "guide")
    assert (result.exit_code, result.stderr) == (0, "")
    title, warning = result.stdout.splitlines()[1:]
    assert title == "1 file with warnings:"
    assert warning.startswith("  bad.md: ")
    assert "bad.md" not in run("index", "guide").stdout


def test_strict_fails_where_a_file_could_not_be_read(home: Path) -> None:
    assert run("index", "--strict", "guide").exit_code == 0
    write(home / "guide", {"bad.txt": b"\0"})
    assert run("index", "--strict", "guide").exit_code == 1


def test_quiet_prints_failures_alone(home: Path) -> None:
    assert run("index", "-q", "guide").output == ""
    write(home / "guide", {"bad.txt": b"\0", "x.png": ""})
    assert run("index", "-q", "guide").output == "1 file could not be read:\n  bad.txt: is binary, not text.\n"


def test_many_failures_are_counted(home: Path) -> None:
    write(home / "guide", {f"{number:02}.txt": b"\0" for number in range(13)})
    assert run("index", "-q", "guide").output.splitlines()[-2:] == ["  09.txt: is binary, not text.", "  and 3 more"]


def test_bad_rows_are_listed_and_strict_fails(home: Path) -> None:
    rows = ['{"id": "rex", "text": "Rex barks.", "year": 2020}', *["bad"] * 12]
    write(home / "guide", {"pets.jsonl": "\n".join(rows)})
    result = run("index", "--strict", "guide", "--quiet")
    assert result.exit_code == 1
    output = result.stderr.splitlines()
    assert output[:2] == [
        "12 rows of pets.jsonl left out:",
        "  pets.jsonl: line 2: it is not JSON: Expecting value, at character 1",
    ]
    assert output[-1] == "  and 2 more"
    assert run("search", "barks", "--filter", "year == 2020").stdout.startswith("1. pets.jsonl:1  #rex  ")
    assert run("show", "rex").stdout.startswith("id ")


def test_the_fields_of_rows_can_be_named(home: Path) -> None:
    write(home / "guide", {"pets.csv": "name,says\nRex,bark\n"})
    result = run("index", "guide/pets.csv", "--text-field", "says", "--id-field", "name")
    assert (result.exit_code, result.stdout.split(".")[0]) == (0, "Files: 1 new")
    lines = run("search", "bark").stdout.splitlines()
    assert lines[0].startswith("1. pets.csv:2  #Rex  ")
    assert lines[0].endswith("  Rex")


def test_an_empty_folder_is_no_error(home: Path) -> None:
    (home / "empty").mkdir()
    result = run("index", "empty")
    assert (result.exit_code, result.stdout.split(".")[0]) == (0, "Files: none to read")


def test_a_result_shows_score_place_passage_and_reason(indexed: Path) -> None:
    kb = spaniel.open(".spaniel")
    (hit,) = kb.search("walk")
    result = run("search", "walk")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (
        f"1. tour.md:1  {hit.score:.2f}  {hit.id[:8]}\n   Tour\n   A short walk.\n   why: {hit.why[0]}\n\n"
    )


def test_a_linked_result_says_where_the_link_stands(indexed: Path) -> None:
    lines = run("search", "pip", "--follow", "links").stdout.splitlines()
    assert lines[0].startswith("1. start.md:1  ")
    linked = lines[lines.index("") + 1 :]
    assert linked[0].startswith("2. tour.md:5  linked  ")
    score = linked[0].split()[3]
    assert linked[1:] == [
        "   Tour > First steps",
        "   Open a knowledge base.",
        f"   why: linked from start.md > Start (+{score})",
        "",
    ]


def test_exits_with_1_if_nothing_is_found(indexed: Path) -> None:
    result = run("search", "what on earth is xyzzy")
    assert (result.exit_code, result.stdout) == (1, "Nothing found. Words looked for: earth, xyzzy.\n")
    result = run("search", "xyzzy", "--json")
    assert (result.exit_code, json.loads(result.stdout)["results"]) == (1, [])
    assert run("search", "pip", "--filter", "title == Tour").exit_code == 1


def test_filters_must_all_hold(indexed: Path) -> None:
    both = ["--filter", "path starts with more/", "--filter", "title == Deep"]
    assert run("search", "postings", *both).stdout.startswith("1. more/deep.md:1 ")
    assert run("search", "postings", *both, "--filter", "title == Tour").stdout.startswith("Nothing found.")


def test_json_has_the_documented_keys(indexed: Path) -> None:
    data = json.loads(run("search", "pip", "--follow", "links", "--json", "--trace").stdout)
    page = (Path(__file__).parents[2] / "docs/cli.md").read_text(encoding="utf-8")
    totals = ["offset", "total", "total_is_exact"]
    assert list(data) == ["schema", "query", "terms", *totals, "suggestion", "spellings", "results", "trace"]
    assert [key for key in [*data, *data["results"][0]] if f"`{key}`" not in page] == []
    assert [result["kind"] for result in data["results"]] == ["hit", "linked"]


def test_the_trace_is_printed_after_the_results(indexed: Path) -> None:
    plain, traced = run("search", "pip").stdout, run("search", "pip", "--trace").stdout
    assert traced.startswith(plain)
    assert "1. bm25  query=" in traced.removeprefix(plain)


def test_long_passages_are_cut_unless_asked(home: Path) -> None:
    write(home / "guide", {"long.md": "long-filler-word " * 40 + "needle " + "long-filler-word " * 9})
    run("index", "guide")
    short, full = run("search", "needle").stdout, run("search", "needle", "--full").stdout
    assert "needle" in short
    assert short.count("filler") < full.count("filler")


def test_control_characters_of_a_file_never_reach_the_terminal(home: Path) -> None:
    write(home / "guide", {"a\x1b[2Jb.md": "# T\x1b[31m\n\nevil \x1b]0;title\x07 words\n"})
    run("index", "guide")
    for args in (
        ["search", "evil"],
        ["search", "evil", "--full", "--trace"],
        ["show", "--all", "a\x1b[2Jb.md"],
        ["stats"],
    ):
        result = run(*args)
        assert (result.exit_code, "\x1b" in result.output, "\x07" in result.output) == (0, False, False)


def test_a_name_can_forge_no_line_of_a_result(home: Path) -> None:
    write(home / "guide", {"a.md\n2. b.md": "evil words\n", "c\u202e.md": "# T\u2028itle\n\nother wor\u2066ds\n"})
    run("index", "guide")
    lines = run("search", "evil").stdout.splitlines()
    assert lines[0].startswith("1. a.md?2. b.md:1  ")
    assert [line for line in lines if line.startswith("2.")] == []
    result = run("search", "other")
    assert result.stdout.startswith("1. c?.md:1  ")
    assert not {"\u202e", "\u2028", "\u2066"} & set(result.stdout)


def test_links_to_files_outside_are_listed_and_are_not_a_failure(home: Path) -> None:
    write(home, {"secret.md": "xyzzy"})
    (home / "guide/out.md").symlink_to(home / "secret.md")
    result = run("index", "--strict", "guide")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[1:] == ["Links to outside: 1, passed over: out.md."]
    assert run("search", "xyzzy").stdout.startswith("Nothing found.")


def test_the_report_of_an_interrupted_run_counts_the_files_read() -> None:
    def output(report: IndexReport) -> str:
        console = Console(file=io.StringIO(), width=200)
        show_report(console, report)
        return console.file.getvalue().split(".")[0]

    assert output(IndexReport(left=45, interrupted=True)) == "Files: 0 of 45 read"
    assert output(IndexReport(added=["a"], unchanged=2, left=44, interrupted=True)) == (
        "Files: 1 new, 2 unchanged, 1 of 45 read"
    )
    assert output(IndexReport()) == "Files: none to read"


def test_a_depth_says_that_it_needs_links_to_follow(indexed: Path) -> None:
    assert "It needs --follow KEY, such as --follow links." in " ".join(
        run("search", "x", "--depth", "3").stderr.split()
    )
    assert run("search", "pip", "--follow", "links", "--depth", "2").exit_code == 0


def test_statistics(indexed: Path) -> None:
    assert run("stats").stdout.splitlines()[1].split() == ["files", "3", "(.md", "3)"]
    assert json.loads(run("stats", "--json").stdout) == spaniel.open(".spaniel").statistics().to_dict()


def test_statistics_name_the_analyzer_and_the_other_fields(indexed: Path) -> None:
    rows = dict(line.split(maxsplit=1) for line in run("stats").stdout.splitlines() if line.strip())
    assert rows["analyzer"].split()[0].rstrip(";") == "auto"
    assert "also searched: file_name, section, title" in rows["analyzer"]


def test_show_prints_metadata_and_text(indexed: Path) -> None:
    result = run("show", "tour.md#first-steps")
    assert result.stdout.rstrip().endswith("\n\nFirst steps\n\nOpen a knowledge base.")
    assert "anchor           tour.md#first-steps" in result.stdout
    document = spaniel.open(".spaniel").find("tour.md#first-steps")
    assert json.loads(run("show", document.id[:12], "--json").stdout) == {
        **document.to_dict(flatten=False),
        "file": str(Path("guide/tour.md").absolute()),
    }


def test_show_hides_internal_metadata_without_all(indexed: Path) -> None:
    shown, everything = run("show", "tour.md").stdout, run("show", "tour.md", "--all").stdout
    assert [name for name in ("__level", "__children_ids", "heading_slugs") if name in shown] == []
    assert [name for name in ("__level", "__children_ids", "heading_slugs") if name not in everything] == []
    assert "__level" in run("show", "tour.md", "--json").stdout


def test_delete_takes_files_out_and_leaves_them_on_disk(indexed: Path) -> None:
    result = run("delete", "more")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "2 documents deleted.\n", "")
    assert (indexed / "guide/more/deep.md").exists()
    assert run("search", "postings").stdout.startswith("Nothing found")


@pytest.mark.parametrize(
    "args",
    [
        ["--store", "kb", "search", "pip"],
        ["--store=kb", "search", "pip"],
        ["search", "--store", "kb", "pip"],
        ["search", "pip", "--store", "kb"],
    ],
)
def test_the_store_may_be_named_anywhere(home: Path, args: list[str]) -> None:
    run("index", "guide", "--store", "kb")
    assert run(*args).stdout.startswith("1. start.md:1 ")
    assert not (home / ".spaniel").exists()


def test_the_environment_names_the_store(home: Path) -> None:
    run("index", "guide", SPANIEL_STORE="kb")
    assert run("search", "pip", SPANIEL_STORE="kb").stdout.startswith("1. start.md:1 ")
    assert run("search", "pip").exit_code == 1


def test_a_store_inside_the_folder_is_not_indexed(home: Path) -> None:
    for _ in range(2):
        run("index", "guide", "--store", "guide/kb")
    assert spaniel.open("guide/kb").statistics().files == 3


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["index", "nowhere"], "There is no file or folder 'nowhere'. Nothing was changed."),
        (["index", "guide", "--store", "guide"], "The folder 'guide' holds other things"),
        (
            ["index", "guide", "--store", "guide/start.md"],
            "'guide/start.md' is a file, but a knowledge base is a folder",
        ),
        (["search", "x", "--store", "s3://bucket"], "'s3://bucket' has an unknown scheme. Valid stores: "),
        (
            ["search", "x", "--store", "none"],
            "Nothing is indexed at 'none' yet. Index something first: spaniel index PATH",
        ),
        (["index", ""], "The path is empty. Name a file or folder; '.' is the current folder."),
        (["index", "guide", ""], "The path is empty."),
        (["stats", "--store", ""], "The path is empty."),
        (["index", "~nouser-x/y"], "'~nouser-x/y' names no place: there is no such home folder."),
        (["stats", "--store", "~nouser-x/y"], "'~nouser-x/y' names no place: there is no such home folder."),
        (["delete", "~nouser-x/y"], "'~nouser-x/y' names no place: there is no such home folder."),
        (["search", "x", "--min-score", "nan"], "min_score must be a number, got NaN."),
        (["search", ""], "The query '' contains no searchable terms."),
        (["search", "x", "--filter", "pth == 3"], "No document has the field 'pth'. Fields: anchor, "),
        (["search", "x", "--filter", "path ~ 3"], "'path ~ 3' is not a filter. Write FIELD OPERATOR VALUE"),
        (["search", "x", "--filter", '{"a":'], "'{\"a\":' is not valid JSON: "),
        (
            ["search", "x", "--filter", '{"field": "path", "operator": "has", "value": 1}'],
            "'has'. Valid operators are: ",
        ),
        (["search", "x", "--follow", "lonks"], "No document has the field 'lonks'. Fields: anchor, "),
        (["search", "x", "--follow", ","], "No document has the field ''. Fields: anchor, "),
        (["show", "tours.md"], "No document has the id or the path 'tours.md'. Did you mean tour.md?"),
        (["delete", "tours.md"], "No indexed file is named 'tours.md'. Did you mean tour.md?"),
        (["delete", ""], "No indexed file is named ''."),
    ],
)
def test_an_error_is_one_line_and_exit_code_1(indexed: Path, args: list[str], said: str) -> None:
    result = run(*args)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("Error: ")
    assert said in result.stderr
    assert result.stderr.count("\n") == 1


def test_an_error_about_a_path_is_one_line_even_where_the_path_is_not(indexed: Path) -> None:
    assert run("show", "a\nb").stderr.count("\n") == 1


@pytest.mark.parametrize(
    "args",
    [
        ["search"],
        ["search", "x", "--top-k", "0"],
        ["search", "x", "--top-k", "99999999999999999999"],
        ["search", "x", "--window", "99999999999999999999"],
        ["search", "x", "--depth", "3"],
        ["search", "x", "--window", "-1"],
        ["search", "x", "--depth", "-1"],
        ["search", "x", "--min-score", "abc"],
        ["search", "x", "--nothing"],
        ["serch", "x"],
        ["index"],
        ["show"],
    ],
)
def test_a_wrong_option_is_exit_code_2(indexed: Path, args: list[str]) -> None:
    assert run(*args).exit_code == 2


def test_a_damaged_store_is_an_error_that_names_the_remedy(indexed: Path) -> None:
    write(indexed / ".spaniel", {"documents.db": "junk\n" * 100})
    for command in (["search", "x"], ["stats"], ["index", "guide"], ["delete", "x"], ["show", "x"]):
        result = run(*command)
        assert result.exit_code == 1
        assert "documents.db': it is not a database" in result.stderr
        assert "Delete the folder '.spaniel' and index again." in result.stderr


def test_prints_the_version() -> None:
    assert run("--version").stdout == f"spaniel {spaniel.__version__}\n"


def test_help_lists_the_exit_codes() -> None:
    assert "Exit codes: 0 success, 1 an error or nothing found," in run("--help").stdout


@pytest.mark.parametrize("args", [[], *([name] for name in NAMES)])
def test_every_command_has_help(args: list[str]) -> None:
    result = run(*args, "--help")
    assert result.exit_code == 0
    assert "Usage: " in result.stdout


def said(*args: str) -> str:
    """Return the text of an error, without the box around it."""
    result = run(*args)
    assert result.exit_code == 2
    return " ".join(result.stderr.replace("│", " ").split())


def test_an_unknown_option_names_those_of_the_command() -> None:
    text = said("search", "dogs", "--topk", "3")
    assert "No such option: --topk. Options: --store, --top-k, --offset, --path, --not-path, --per-file, " in text
    assert "--help" in text


def test_an_unknown_option_with_a_value_is_named_without_it() -> None:
    assert "No such option: --limit. Options: --store, --top-k, " in said("search", "dogs", "--limit=3")


@pytest.mark.parametrize("name", NAMES)
def test_every_command_does_so(name: str) -> None:
    assert "No such option: --nothing. Options: --" in said(name, "--nothing")


def test_an_unknown_option_before_the_command_does_so() -> None:
    assert "No such option: --nothing. Options: --version, --install-completion, --show-completion, --help" in said(
        "--nothing"
    )


def test_an_unknown_command_names_those_that_there_are() -> None:
    text = said("serch", "dogs")
    assert f"No such command: serch. Commands: {', '.join(NAMES)}" in text


def test_an_option_without_its_value_is_said_as_before() -> None:
    assert "requires an argument" in said("search", "dogs", "--window")


def test_every_option_of_a_search_in_python_is_one_of_the_command() -> None:
    own = {"threshold", "per_row"}  # of merging, and of rows that are cut
    names = {each.name for each in fields(SearchOptions)} - own - {"filters"} | {"filter"}
    assert {each.name for each in fields(options.SearchFlags)} == names


def test_a_count_is_of_all_passages(home: Path) -> None:
    Path("many.md").write_text("\n\n".join(f"# Part {number}\n\nAn apple." for number in range(200)))
    run("index", "many.md")
    assert "or more" in run("search", "apple", "-k", "2", "--no-fold").stdout
    assert "1 to 2; 200 passages match." in run("search", "apple", "-k", "2", "--no-fold", "--count").stdout
