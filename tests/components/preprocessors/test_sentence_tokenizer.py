import sys
from importlib.util import find_spec
from typing import get_args

import haystack.components.preprocessors.sentence_tokenizer as reference
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spaniel.components.preprocessors import optional_packages
from spaniel.components.preprocessors.sentence_tokenizer import Language, SentenceSplitter

# A bar marks where a sentence ends and another begins. Those texts of docs/decisions/0005 that come
# out right, and two more.
CASES = [
    ("en", "Dr. Smith went home. |He was tired."),
    ("en", "Mr. and Mrs. Brown met Prof. Gray at 5 p.m. on Friday. |They talked."),
    ("en", "The U.S. economy grew by 3.5 percent. |Inflation fell."),
    ("en", "She lives in Washington, D.C. now. |He does not."),
    ("en", "See Fig. 3 and Eq. 2 for details. |The rest is clear."),
    ("en", "Smith et al. found this. |Others did not."),
    ("en", "Use a hammer, e.g. a claw hammer. |Then hit the nail."),
    ("en", "It is small, i.e. below 5 cm. |So it fits."),
    ("en", "J. R. R. Tolkien wrote it. |It sold well."),
    ("en", "Why?! |Nobody asked me. |Really!"),
    ("en", '"Where are you going?" she asked. |He kept silent.'),
    ("en", "Visit www.example.com for more. |It is free."),
    ("en", "1. Open the box. |2. Go in. |3. Close it."),
    ("en", "He paused... and went on. |Nobody moved."),
    ("en", "It costs $5.99. |That is cheap."),
    ("en", "The meeting is on Jan. 5. |Bring a pen."),
    ("en", "No. 5 is the best. |I like it."),
    ("en", "The answer was no. |Everyone agreed."),
    ("en", "I don't know. |He isn't here."),
    ("en", "He was born in St. Louis. |She was not."),
    ("de", "Das ist z.B. ein Satz. |Und noch einer."),
    ("de", "Am 3. Oktober ist Feiertag. |Alle haben frei."),
    ("de", "Der Preis beträgt ca. 12,50 Euro. |Das ist viel."),
    ("de", "Prof. Dr. Meier sprach u.a. über Bienen. |Es war gut."),
    ("de", "Er rief: „Komm her!“ |Sie kam nicht."),
    ("de", "Das 19. Jahrhundert war lang. |Es endete 1914."),
    ("de", "Nr. 7 lebt. |Nr. 8 auch."),
    ("fr", "M. Dupont est arrivé. |Il est parti à 8 h."),
    ("fr", "Il a dit : « Bonjour ! » |Puis il est parti."),
    ("fr", "Voir p. 12 et fig. 3. |C'est clair."),
    ("es", "El Sr. García llegó. |Se fue temprano."),
    ("es", "¿Qué dices? |¡No puede ser! |Es verdad."),
    ("it", "Il Sig. Rossi è arrivato. |È andato via."),
    ("nl", "Dhr. Jansen woont in Amsterdam. |Hij is oud."),
    ("pt", "O Sr. Silva chegou. |Ele saiu cedo."),
    ("ru", "Он родился в 1990 г. в Москве. |Он живёт там."),
    ("ru", "А. С. Пушкин писал стихи. |Он умер в 1837 году."),
    ("pl", "Kosztuje ok. 5 zł. |To dużo."),
    ("zh", "这是一支笔。|那是一本书。"),
    ("zh", "你好吗？|我很好！|价格是3.5元。"),
    ("zh", "他说：“我很累。”|然后他走了。"),
    ("ja", "これはペンです。|元気ですか？|はい、元気です！"),
]


@pytest.mark.parametrize(("language", "marked"), CASES)
def test_sentences_of_many_languages_are_found(language, marked):
    text = marked.replace("|", "")

    sentences = SentenceSplitter(language, keep_white_spaces=True).split_sentences(text)

    assert "|".join(each["sentence"] for each in sentences) == marked


def test_sentences_end_at_their_marks_unless_white_space_is_kept():
    assert SentenceSplitter().split_sentences(" One.  Two. \n") == [
        {"sentence": " One.", "start": 0, "end": 5},
        {"sentence": "Two.", "start": 7, "end": 11},
    ]


def test_more_abbreviations_are_known_on_demand():
    text = "Use a hammer, e.g. a claw hammer. Then hit."

    assert len(SentenceSplitter().split_sentences(text)) == 2
    assert len(SentenceSplitter(extend_abbreviations=False).split_sentences(text)) == 3


def test_the_reference_s_languages_are_all_known():
    assert set(get_args(Language)) == set(reference.ISO639_TO_NLTK) | {"zh", "ja"}


def test_an_unknown_language_means_english_with_a_warning(caplog):
    splitter = SentenceSplitter("xx")

    assert splitter.language == "en"
    assert "'xx'" in caplog.text


def test_a_missing_package_is_named_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "punkt", None)
    monkeypatch.setattr(optional_packages, "find_spec", lambda name: None if name == "punkt" else find_spec(name))

    with pytest.raises(ImportError, match=r"pip install 'spaniel\[sentences\]'"):
        SentenceSplitter()


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from(["Dr.", "U.S.", "z.B.", "No.", " ", "\n", ".", "?", '"', "J.", "5", "a", "The"])).map(
        "".join
    ),
    st.sampled_from(get_args(Language)),
    st.booleans(),
    st.booleans(),
)
def test_sentences_cover_a_text_of_any_language(text, language, rules, abbreviations):
    splitter = SentenceSplitter(language, rules, abbreviations, keep_white_spaces=True)

    assert "".join(each["sentence"] for each in splitter.split_sentences(text)) == text.rstrip()
