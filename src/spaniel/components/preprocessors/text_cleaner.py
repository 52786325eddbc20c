"""Cleans strings."""

import re
import string

from spaniel.core.component import component
from spaniel.core.serialization import Serializable
from spaniel.dataclasses.copying import copy_value


@component
class TextCleaner(Serializable):
    """Removes parts of strings that should not count in a comparison, such as before an evaluation.

    :param remove_regexps: regular expressions whose matches are removed, in any case.
    :param convert_to_lowercase: convert to lower case.
    :param remove_punctuation: remove ASCII punctuation.
    :param remove_numbers: remove the digits 0 to 9.

    >>> TextCleaner(convert_to_lowercase=True, remove_punctuation=True).run(["The sun, it rose!"])
    {'texts': ['the sun it rose']}
    """

    def __init__(
        self,
        remove_regexps: list[str] | None = None,
        convert_to_lowercase: bool = False,
        remove_punctuation: bool = False,
        remove_numbers: bool = False,
    ) -> None:
        self.remove_regexps = copy_value(remove_regexps)
        self.convert_to_lowercase = convert_to_lowercase
        self.remove_punctuation = remove_punctuation
        self.remove_numbers = remove_numbers
        self._regexp = re.compile("|".join(remove_regexps), re.IGNORECASE) if remove_regexps else None
        self._deletions = str.maketrans(
            "", "", string.punctuation * remove_punctuation + string.digits * remove_numbers
        )

    @component.output_types(texts=list[str])
    def run(self, texts: list[str]) -> dict[str, list[str]]:
        """Return the cleaned strings under ``texts``.

        :param texts: the strings.
        :raises TypeError: the input is not a list of strings.
        """
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise TypeError("`texts` must be a list of strings.")
        return {"texts": [self._clean(text) for text in texts]}

    def _clean(self, text: str) -> str:
        if self._regexp:
            text = self._regexp.sub("", text)
        if self.convert_to_lowercase:
            text = text.lower()
        return text.translate(self._deletions)
