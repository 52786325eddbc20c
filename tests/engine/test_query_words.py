import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spaniel._engine import analyze, query_words
from tests.engine.test_words import texts


def found(query: str, *languages: str) -> list[str]:
    return [word.term for word in query_words(query, languages or ("english",))]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("what is ownership", ["ownership"]),
        ("How do I publish a package?", ["publish", "package"]),
        ("who's the author", ["author"]),
        ("US economy in the 1990s", ["us", "economy", "1990s"]),
        ("When was WHO founded in Geneva", ["who", "founded", "geneva"]),
        ("how do IT teams work", ["it", "teams", "work"]),
        ("HOW DO IT TEAMS WORK", ["teams", "work"]),
        ("while loop", ["while", "loop"]),
        ("this", ["this"]),
        ("why", ["why"]),
        ("what is this", ["is", "this"]),
        ("to be or not to be", ["to", "be", "or", "not"]),
        ("is it not over yet", ["not", "over", "yet"]),
        ("up-regulation of the gene", ["up", "regulation", "gene"]),
        ("", []),
        ("?!", []),
    ],
)
def test_stop_words_are_left_out_while_another_word_is_left(query, expected):
    assert found(query) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("was ist Eigentum", ["eigentum"]),
        ("wer hat die Mauer gebaut", ["mauer", "gebaut"]),
        ("what is the size of a die", ["size", "die"]),
        ("where was the wall", ["wall"]),
    ],
)
def test_the_stop_words_are_those_of_the_language_that_has_most_of_the_words(query, expected):
    assert found(query, "english", "german") == expected


@pytest.mark.parametrize(
    ("language", "query", "expected"),
    [
        ("french", "qu'est-ce que l'économie", ["économie"]),
        ("spanish", "¿Qué es la propiedad?", ["propiedad"]),
        ("russian", "Что такое собственность", ["такое", "собственность"]),
        ("romanian", "cine și când a scris cartea", ["scris", "cartea"]),
        ("code", "what is this", ["what", "is", "this"]),
        ("cjk", "what is this", ["what", "is", "this"]),
        ("cjk", "什么是猫?", ["是猫", "猫"]),
        ("cjk", "什么?", ["什", "什么", "么"]),
    ],
)
def test_stop_words_by_language(language, query, expected):
    assert found(query, language) == expected


def test_a_word_is_there_once_with_its_count_and_first_place():
    first, second = query_words("Rust or rust, crates", ["code"])[::2]

    assert (first.term, first.count, first.start, first.end) == ("rust", 2, 0, 4)
    assert (second.term, second.count, second.start, second.end) == ("crates", 1, 14, 20)


def test_an_identifier_weighs_as_much_as_its_pieces_together():
    words = query_words("getUserName", ["english"])

    assert [word.term for word in words] == ["getusername", "get", "user", "name"]
    assert [word.weight for word in words] == pytest.approx([1, 1 / 3, 1 / 3, 1 / 3])
    assert words[0].alternatives == [("get_user_name", 1.0)]


def test_both_conventions_of_an_identifier_meet():
    (snake, *_), (camel, *_) = query_words("user_name", []), query_words("userName", [])

    assert snake.alternatives == [(camel.term, 1.0)]
    assert camel.alternatives == [(snake.term, 1.0)]


def test_the_joined_form_stands_for_each_connected_word():
    words = query_words("e-mail", ["english"])

    assert [(word.term, word.alternatives) for word in words] == [
        ("e", [("email", 1.0)]),
        ("mail", [("email", 1.0)]),
    ]


@pytest.mark.parametrize(
    ("query", "term", "alternative"), [(".NET", ".net", "net"), ("3.11.2", "3.11.2", "3.11"), ("3.000", "3.000", "3000")]
)
def test_other_forms_stand_for_a_word_at_half_weight(query, term, alternative):
    (word,) = query_words(query, ["english"])

    assert (word.term, word.alternatives) == (term, [(alternative, 0.5)])


def test_characters_weigh_half_of_pairs():
    weights = {word.term: word.weight for word in query_words("日本 猫", ["cjk"])}

    assert weights == {"日": 0.5, "日本": 1, "本": 0.5, "猫": 1}


def test_pairs_with_a_character_without_content_weigh_half_in_chinese():
    assert {word.term: word.weight for word in query_words("猫的耳", ["cjk"])}["猫的"] == 0.5
    assert {word.term: word.weight for word in query_words("目的は", ["cjk"])}["目的"] == 1


def test_an_unknown_language_is_rejected():
    with pytest.raises(ValueError, match="language must be one of arabic, .*, got 'klingon'"):
        query_words("nuqneH", ["klingon"])


@given(texts, st.lists(st.sampled_from(["english", "german", "french", "cjk", "code"]), max_size=3))
@settings(deadline=None)
def test_the_words_of_any_query_are_index_terms_of_it(query, languages):
    words = query_words(query, languages)
    terms = analyze(query, "auto")

    assert len({word.term for word in words}) == len(words)
    assert {word.term for word in words} <= set(terms)
    assert bool(words) == bool(terms)
    for word in words:
        assert 0 < word.weight <= 1 <= word.count
        assert word.term in analyze(query[word.start : word.end], "auto")
