"""Gold passages within a budget, with links."""

from collections import Counter

from benchmarks.quality.links import linked, measure_links


def test_shuffled_links_are_as_many_to_the_same_passages(judged):
    with linked(judged, is_shuffled=True) as other:
        passages = {passage["_id"]: passage for passage in other.read_passages()}

    links = {id: passage["metadata"]["links"] for id, passage in passages.items()}
    assert {id: len(found) for id, found in links.items()} == {"h1": 1, "h2": 0, "h3": 1}
    assert Counter(link for found in links.values() for link in found) == {"corpus.jsonl#h1": 1, "corpus.jsonl#h2": 1}
    assert passages["h1"]["text"] == "Dogs bark at night. Wolves howl."


def test_a_linked_passage_is_found_only_by_following_links(judged):
    methods = measure_links(judged)

    assert methods["links not followed"]["all"]["q1"] == 0
    assert methods["links not followed"]["share"]["q1"] == 0.5
    assert methods["whole passages"]["all"]["q2"] == 1
    assert methods["links followed"]["tokens"]["q1"] > methods["links not followed"]["tokens"]["q1"]
    assert methods["links followed"]["facts"]["q1"] == methods["links followed"]["all"]["q1"] == 1
