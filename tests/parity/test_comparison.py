"""`spaniel parity`: both packages agree on random inputs, and every correction occurs and has a
row.
"""

import copy
import dataclasses
import json
from importlib import metadata
from pathlib import Path

import pytest

from spaniel.parity import AREAS, CORRECTIONS, Area, ReferenceMissingError, as_data, compare
from spaniel.parity.area import Outcome, agree, outcome_of, same
from spaniel.parity.comparison import shrink
from spaniel.parity.library import SPANIEL
from spaniel.parity.random_data import RandomData
from tests.cli.test_app import run

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "parity.md").read_text(encoding="utf-8")
CASES = 150


@pytest.fixture(scope="module")
def compared():
    return {each.area: each for each in compare(cases=CASES)}


@pytest.mark.parametrize("name", AREAS)
def test_nothing_differs_without_an_explanation(compared, name):
    assert compared[name].example is None
    assert compared[name].different == 0
    assert compared[name].cases == CASES


@pytest.mark.parametrize("name", AREAS)
def test_most_inputs_of_an_area_are_valid(name):
    """An area whose inputs both packages reject would compare nothing."""
    area = AREAS[name]
    drawn = [area.draw(RandomData(f"inputs/{number}")) for number in range(40)]
    rejected = [given for given in drawn if outcome_of(area.run, copy.deepcopy(given), SPANIEL).error is not None]
    assert len(rejected) <= 25


def test_the_same_seed_draws_the_same_inputs():
    first, again = (as_data(compare(["joiners", "policies"], cases=30, seed=5)) for _ in range(2))
    assert first == again


@pytest.mark.parametrize("anchor", CORRECTIONS)
def test_a_correction_has_one_row_in_the_page(anchor):
    assert PAGE.count(f'<a id="{anchor}"></a>') == 1


def test_every_anchor_of_the_page_is_a_correction():
    assert {line.split('"')[1] for line in PAGE.splitlines() if line.startswith("| <a id=")} == set(CORRECTIONS)


def test_most_corrections_occur(compared):
    """The others are rare: `spaniel parity --cases 2000` covers them all."""
    met = {anchor for each in compared.values() for anchor in each.corrected}
    assert len(met) > len(CORRECTIONS) * 0.7
    assert met <= set(CORRECTIONS)


WRONG = Area(
    "wrong",
    draw=lambda rng: {"numbers": [rng.integer(0, 9) for _ in range(5)], "more": "text"},
    run=lambda given, library: sum(n for n in given["numbers"] if n != 3 or library.package == "spaniel"),
)


@pytest.fixture
def wrong_area(monkeypatch):
    monkeypatch.setitem(AREAS, "wrong", WRONG)


def test_a_difference_is_shrunk(wrong_area):
    (found,) = compare(["wrong"], cases=30)
    assert found.different
    assert found.example.given == {"numbers": [3], "more": ""}
    assert (found.example.ours, found.example.theirs) == (Outcome(3), Outcome(0))


def test_a_difference_ends_the_command_with_1_and_its_example(wrong_area):
    result = run("parity", "--area", "wrong", "--cases", "30", "--seed", "1")
    assert result.exit_code == 1
    assert "Different in wrong, made small:" in result.output
    assert "given    {'numbers': [3], 'more': ''}" in result.output


def test_an_explanation_makes_it_a_correction(monkeypatch):
    explained = dataclasses.replace(WRONG, explain=lambda _given, _ours, _theirs: "casefold")
    monkeypatch.setitem(AREAS, "wrong", explained)
    result = run("parity", "--area", "wrong", "--cases", "10")
    assert result.exit_code == 0
    assert "docs/parity.md#casefold" in result.output


def test_the_command_prints_a_table_or_json():
    result = run("parity", "--area", "joiners", "--area", "rankers", "--cases", "20")
    assert result.exit_code == 0
    assert result.output.splitlines()[0].split() == ["area", "cases", "equal", "corrected", "different"]
    assert result.output.splitlines()[2].split()[:2] == ["rankers", "20"]
    data = json.loads(run("parity", "--area", "rankers", "--cases", "20", "--json").output)
    assert data["areas"] == [
        {"area": "rankers", "cases": 20, "equal": 20, "corrected": {}, "different": 0, "example": None}
    ]


def test_rejects_an_unknown_area():
    result = run("parity", "--area", "other")
    assert result.exit_code == 1
    assert "There is no area 'other'. There are: documents, filters," in " ".join(result.output.split())


@pytest.mark.parametrize("found", ["3.4.0", None])
def test_without_the_reference_the_error_names_the_extra(monkeypatch, found):
    def version(_):
        if found is None:
            raise metadata.PackageNotFoundError
        return found

    monkeypatch.setattr(metadata, "version", version)
    with pytest.raises(ReferenceMissingError, match=r"pip install 'spaniel\[parity\]'"):
        compare(["joiners"], cases=1)


def test_floats_may_differ_a_little_and_types_may_not():
    assert same({"a": [1.0, None]}, {"a": [1.0 + 1e-12, None]})
    assert not same(1.0, 1.001)
    assert not same(1, 1.0)
    assert not same([1], [1, 2])
    assert same(float("nan"), float("nan"))


def test_an_error_agrees_if_the_same_except_catches_it():
    class OursError(ValueError):
        pass

    assert agree(Outcome(error=OursError()), Outcome(error=ValueError()))
    assert not agree(Outcome(error=ValueError()), Outcome(error=TypeError()))
    assert not agree(Outcome(error=ValueError()), Outcome(None))
    assert agree(Outcome(None), Outcome(None))


def test_inputs_shrink_within_lists_mappings_and_texts():
    given = {"rows": [{"a": 1, "text": "abcdef"}, {"b": 2}], "kept": 1}
    small = shrink(given, lambda smaller: any("d" in row.get("text", "") for row in smaller["rows"]))
    assert small == {"rows": [{"text": "d"}], "kept": 1}
    assert given["rows"][0]["text"] == "abcdef"
