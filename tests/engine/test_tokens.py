import re
import sys
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from spaniel._engine import UNICODE_VERSION, tokenize
from tests.engine import reference

ASSIGNED = [chr(c) for c in range(sys.maxunicode + 1) if unicodedata.category(chr(c)) != "Cn"]
# letters, marks that compose, capitals that fold to several letters, jamo that compose, kana,
# symbols, a lone surrogate
TRICKY = (
    "aZ_9 .-ßẞİıſΣςΐŉǰÅ\u0301\u0307\u0327\u0345\u1112\u1161\u11ab가カ゛・ーｶﾞ漢字豈أ\u09c7\u09be\u0958ⓐ²Ⅷ\ud800\udfff"
)
texts = st.text(st.one_of(st.sampled_from(TRICKY), st.sampled_from(ASSIGNED)), max_size=30)


@pytest.mark.parametrize("context", ["{0}", "a{0}b", "e\u0301{0}\u0327 {0}{0}", "\u1112{0}\u11ab"])
def test_every_assigned_code_point_gives_the_tokens_of_python(context):
    different = [c for c in ASSIGNED if tokenize(context.format(c)) != reference.tokenize(context.format(c))]

    assert different == []


@given(texts)
@example("ΑΣ ΑΣΑ")
@example("Å\u0327 \ud800\udfff")
@settings(deadline=None)
def test_any_text_gives_the_tokens_of_python(text):
    assert tokenize(text) == reference.tokenize(text)


@given(texts)
@settings(deadline=None)
def test_bigrams_are_the_neighbours_within_each_cjk_run(text):
    assert tokenize(text, "bigrams") == reference.bigrams(text)


@given(texts)
@settings(deadline=None)
def test_the_number_of_tokens_is_haystacks(text):
    assert len(tokenize(text)) == len(reference.PATTERN.findall(reference.prepared(text)))


@given(st.text(st.characters(codec="ascii")))
@settings(deadline=None)
def test_ascii_words_are_lower_case_word_runs(text):
    assert tokenize(text) == re.findall(r"\w+", text.lower())


@pytest.mark.parametrize(
    ("one", "other"), [("Straße", "STRASSE"), ("ΟΔΟΣ", "οδος"), ("caf\u00e9", "CAFE\u0301"), ("ﬁn", "FIN")]
)
def test_spellings_of_one_word_are_one_token(one, other):
    assert tokenize(one) == tokenize(other)


def test_a_lone_surrogate_separates_words():
    assert tokenize("caf\u00e9\ud800bar \udc00 x\udfff") == ["caf\u00e9", "bar", "x"]


def test_a_text_without_words_has_no_tokens():
    assert tokenize("") == tokenize(" .,!\u0301") == []


def test_an_unknown_cjk_mode_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="'characters' or 'bigrams', not 'words'"):
        tokenize("a", "words")


def test_the_unicode_version_is_no_older_than_pythons():
    version = tuple(map(int, UNICODE_VERSION.split(".")))

    assert version >= tuple(map(int, unicodedata.unidata_version.split(".")))
