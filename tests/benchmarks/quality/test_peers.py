"""Rankings of other libraries, and where they are kept."""

import json

import pytest

from benchmarks.quality import peers


@pytest.fixture(autouse=True)
def kept(tmp_path, monkeypatch):
    monkeypatch.setattr(peers, "KEPT", tmp_path / "kept")
    return tmp_path / "kept"


def test_fts5_finds_stems_and_weighs_the_title(judged):
    rankings = peers.rank_fts5(judged)

    assert rankings == {"q1": ["h1"], "q2": ["h3"]}


def test_haystack_ranks_every_passage_that_matches(judged):
    assert peers.rank_haystack(judged)["q1"][0] == "h1"


def test_rankings_are_kept(judged, kept, monkeypatch):
    first = peers.read_rankings("fts5", judged)
    monkeypatch.setitem(peers.PEERS, "fts5", peers.Peer("SQLite", "apsw", lambda _: pytest.fail("asked again")))

    assert peers.read_rankings("fts5", judged) == first
    assert [path.name for path in kept.iterdir()] == ["hotpotqa100-fts5.json"]


@pytest.mark.parametrize("change", [{"version": "0.0.1"}, {"mark": "another set"}])
def test_rankings_of_another_version_or_set_are_made_again(judged, kept, change):
    first = peers.read_rankings("fts5", judged)
    path = kept / "hotpotqa100-fts5.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "rankings": {}, **change}))

    assert peers.read_rankings("fts5", judged) == first


def test_a_peer_that_is_not_installed_is_left_out(judged, monkeypatch):
    monkeypatch.setitem(peers.PEERS, "fts5", peers.Peer("none", "not-installed-anywhere", peers.rank_fts5))

    assert peers.read_rankings("fts5", judged) is None


def test_the_headings_of_a_page():
    assert (
        peers._headings({"text": "Abstract\n========\n\ntext\n\nMore words\n----------\n\n- a\n---\n"})
        == "Abstract\nMore words\n- a"
    )
