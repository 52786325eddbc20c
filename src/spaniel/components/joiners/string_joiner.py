"""Strings joined into a list."""

from spaniel.core.component import Variadic, component


@component
class StringJoiner:
    """Returns strings of several senders as one list.

    >>> StringJoiner().run(["What is BM25?", "What is a leaf?"])
    {'strings': ['What is BM25?', 'What is a leaf?']}
    """

    @component.output_types(strings=list[str])
    def run(self, strings: Variadic[str]) -> dict[str, list[str]]:
        """Return the strings under ``strings``, in the order in which they come.

        :param strings: one of each sender.
        """
        return {"strings": list(strings)}
