"""Headers and footers: text that stands on every page."""

from collections.abc import Sequence

_SEARCHED = 300  # characters from the top of a page, and from its bottom
_SHORTEST, _LONGEST = 3, 29  # words


def without_repeated(pages: list[str]) -> list[str]:
    """Return pages without the longest text that stands at the top of all, and without the one at the bottom.

    Whether it stands on the first and the last page does not count. It is looked for in the first and last 300
    characters of a page, and has 3 to 29 words. Of two that are equally long, the one that comes first counts.

    >>> without_repeated(["Title", "My old book 1", "My old book 2", "The end"])
    ['Title', ' 1', ' 2', 'The end']
    """
    for top in (True, False):
        searched = [page[:_SEARCHED] if top else page[-_SEARCHED:] for page in pages[1:-1]]
        if repeated := _longest_common([part for part in searched if part]):
            pages = [page.replace(repeated, "") for page in pages]
    return pages


def _longest_common(texts: Sequence[str]) -> str:
    if len(texts) < 2:
        return ""
    common = dict.fromkeys(_word_runs(texts[0]))
    for text in texts[1:]:
        runs = set(_word_runs(text))
        common = {run: None for run in common if run in runs}
    longest = max(common, key=len, default="")
    return longest if longest.strip() else ""


def _word_runs(text: str) -> list[str]:
    """Return the runs of words, which a space divides, and a tab or line break too, that belong to the word after them."""
    words = text.replace("\n", " \n").replace("\t", " \t").split(" ")
    return [
        " ".join(words[first : first + length]).replace(" \n", "\n").replace(" \t", "\t")
        for length in range(_SHORTEST, _LONGEST + 1)
        for first in range(len(words) - length + 1)
    ]
