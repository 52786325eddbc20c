"""Rows and tables of measured scores."""

from dataclasses import replace

import pytest

from benchmarks.quality.measuring import Quality, list_ours
from benchmarks.quality.rows import make_rows
from benchmarks.quality.tables import format_markdown, format_text, make_tables
from spaniel.evaluation.judged_set import part_of


def find(rows, **wanted):
    [row] = [row for row in rows if wanted.items() <= row.items()]
    return row


def test_a_peer_has_the_difference_of_ours_from_it(quality):
    row = find(make_rows(quality, "all")["rankings"], set="scifact", method="peer")

    assert (row["score"], row["difference"], row["queries"]) == (0.25, 0.25, 40)
    assert row["p"] == pytest.approx(1 / 10_001)
    assert row["p_holm"] == pytest.approx(2 / 10_001)  # of two sets


def test_a_mean_weighs_each_set_the_same(quality):
    row = find(make_rows(quality, "all")["rankings"], set="mean", method="peer")

    assert (row["score"], row["difference"]) == (0.375, 0.125)


def test_a_part_has_its_queries_only(quality):
    assert find(make_rows(quality, "dev")["contexts"], method="default")["queries"] == sum(
        part_of(str(number)) == "dev" for number in range(40)
    )


def test_the_difference_of_a_context_is_from_the_default(quality):
    row = find(make_rows(quality, "all")["contexts"], method="chunks of 60")

    assert (row["recall"], row["difference"]) == (1.0, -0.5)


def test_the_difference_of_links_is_from_not_following_them(quality):
    row = find(make_rows(quality, "all")["links"], method="links followed")

    assert (row["all"], row["difference"]) == (0.0, -1.0)


def test_a_significant_difference_is_marked_in_the_table(quality):
    [table, against, *_] = make_tables(make_rows(quality, "all"))

    assert table.lines == [
        ["scifact", "40", ".500", ".250 -"],
        ["xquad_de", "40", ".500", ".500"],
        ["mean", "80", ".500", ".375"],
    ]
    assert against.lines == [["mean", "peer", "+0.125", "p < .001", "+0.125 to +0.125", "scifact", "-"]]


def test_without_peers_a_measure_is_a_column(quality):
    ours = Quality(rankings={name: {"Spaniel": methods["Spaniel"]} for name, methods in quality.rankings.items()})

    [table] = make_tables(make_rows(ours, "all"))

    assert table.head == ["set", "queries", "nDCG@10"]
    assert table.lines[0] == ["scifact", "40", ".5000"]


def test_a_table_as_text_and_as_markdown(quality):
    table = make_tables(make_rows(quality, "all"))[-1]

    assert format_text(table).splitlines()[2].startswith("hotpotqa100  links not followed  40       400 of 450  1.000")
    assert format_markdown(table).splitlines()[3].startswith("| --- | --- |")


def test_our_scores_are_listed_by_measure_and_set(quality):
    listed = list_ours(replace(quality, contexts={}))

    assert {name: list(sets) for name, sets in listed.items()} == {
        "nDCG@10": ["scifact", "xquad_de"],
        "links not followed: all": ["hotpotqa100"],
        "links followed: all": ["hotpotqa100"],
    }
    assert listed["nDCG@10"]["scifact"]["7"] == 0.5
