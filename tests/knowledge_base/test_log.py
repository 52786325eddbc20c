"""`Log`: a mapping in a file, where changes are appended."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spaniel.errors import KnowledgeBaseError
from spaniel.knowledge_base import log as log_module
from spaniel.knowledge_base.log import Log

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
STEPS = st.lists(
    st.tuples(st.sampled_from(["a", "b", "é\n", '"\t']), st.sampled_from(["put", "remove", "close", "reopen"]), VALUES),
    max_size=12,
)


def content(log: Log) -> dict[str, object]:
    return dict(log.items())


@settings(deadline=None)
@given(STEPS)
def test_it_holds_what_a_dictionary_holds(tmp_path_factory: pytest.TempPathFactory, steps: list) -> None:
    file = tmp_path_factory.mktemp("log") / "log"
    log, expected = Log(file), {}
    for key, step, value in steps:
        if step == "put" and value is not None:
            log.put(key, value)
            expected[key] = value
        elif step == "remove":
            log.remove(key)
            expected.pop(key, None)
        elif step == "close":
            log.close()
        else:
            log.close()
            log = Log(file)
    log.close()
    assert content(log) == content(Log(file)) == expected


def test_each_start_of_the_file_is_an_earlier_state(tmp_path: Path) -> None:
    log = Log(tmp_path / "log")
    states = [{}]
    for key, value in [("a", 1), ("b", "é"), ("a", [2]), ("b", None)]:
        log.remove(key) if value is None else log.put(key, value)
        states.append({**states[-1], key: value})
    log.close()
    states = [{key: value for key, value in state.items() if value is not None} for state in states]
    data = (tmp_path / "log").read_bytes()
    seen = []
    for end in range(len(data) + 1):
        cut = tmp_path / "cut"
        cut.write_bytes(data[:end])
        state = content(Log(cut))
        assert state in states
        if not seen or seen[-1] != state:
            seen.append(state)
    assert seen == states


def test_a_line_that_was_cut_short_is_written_over(tmp_path: Path) -> None:
    file = tmp_path / "log"
    log = Log(file)
    log.put("a", 1)
    log.close()
    with file.open("ab") as out:
        out.write(b'"b"\t"cut sh')
    log = Log(file)
    log.put("c", 3)
    log.close()
    assert content(Log(file)) == {"a": 1, "c": 3}


def test_a_change_appends_and_leaves_the_rest_of_the_file_alone(tmp_path: Path) -> None:
    file = tmp_path / "log"
    log = Log(file)
    log.put("a", "x" * 1000)
    log.close()
    before = file.read_bytes()
    log.put("b", 1)
    log.close()
    assert file.read_bytes() == before + b'"b"\t1\n'


def test_a_file_of_mostly_old_lines_is_rewritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_module, "_WORTH_COMPACTING", 0)
    file = tmp_path / "log"
    log = Log(file)
    for number in range(9):
        log.put("a", number)
        log.put("b", "kept")
    log.close()
    assert file.read_text().splitlines()[1:] == ['"a"\t8', '"b"\t"kept"']
    assert content(log) == content(Log(file)) == {"a": 8, "b": "kept"}
    log.put("c", 1)
    log.close()
    assert content(Log(file)) == {"a": 8, "b": "kept", "c": 1}
    assert [path.name for path in tmp_path.iterdir()] == ["log"]


def test_it_tells_whether_another_has_written(tmp_path: Path) -> None:
    ours, theirs = Log(tmp_path / "log"), Log(tmp_path / "log")
    assert ours.is_current
    theirs.put("a", 1)
    theirs.close()
    assert theirs.is_current
    assert not ours.is_current


@pytest.mark.parametrize("damage", ["junk\n", '"spaniel knowledge base"\t1\nno json\t1\n', '"a"\t1\n', "\udcff\n"])
def test_damage_names_the_file_the_place_and_the_remedy(tmp_path: Path, damage: str) -> None:
    file = tmp_path / "log"
    file.write_bytes(damage.encode("utf-8", "surrogateescape"))
    with pytest.raises(
        KnowledgeBaseError, match=rf"{file} is damaged at byte \d+: .* Delete the folder .* and index again"
    ):
        Log(file)


def test_damage_inside_a_value_is_found_when_it_is_read(tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_text('"spaniel knowledge base"\t1\n"a"\t[1,\n')
    with pytest.raises(KnowledgeBaseError, match="damaged at byte 27"):
        list(Log(file).items())


def test_a_newer_format_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_text('"spaniel knowledge base"\t2\n')
    with pytest.raises(KnowledgeBaseError, match="is of format 2, but this version of Spaniel reads format 1"):
        Log(file)


def test_names_that_are_no_unicode_survive(tmp_path: Path) -> None:
    log = Log(tmp_path / "log")
    log.put("caf\udce9", {"file": "caf\udce9"})
    log.close()
    assert content(Log(tmp_path / "log")) == {"caf\udce9": {"file": "caf\udce9"}}


def test_lines_are_json(tmp_path: Path) -> None:
    log = Log(tmp_path / "log")
    log.put("a\nb", {"x": "tab\there"})
    log.close()
    key, value = (tmp_path / "log").read_text().splitlines()[1].split("\t")
    assert (json.loads(key), json.loads(value)) == ("a\nb", {"x": "tab\there"})
