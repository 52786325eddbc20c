"""Strings joined into a list."""

from spaniel.core.component import Variadic, component


@component
class StringJoiner:
    """Collects the strings of several senders in a list.

    >>> StringJoiner().run(["Is BM25 exact?", "Is a leaf a chunk?"])
    {'strings': ['Is BM25 exact?', 'Is a leaf a chunk?']}
    """

    @component.output_types(strings=list[str])
    def run(self, strings: Variadic[str]) -> dict[str, list[str]]:
        """Return the strings under ``strings``, in the order in which they arrive.

        :param strings: a string per sender.
        """
        return {"strings": list(strings)}
