"""Tells of most pieces that a text does not hold them, without reading the text again."""

BLOCK = 32


class BlockIndex:
    """Where each block of a text stands last; the blocks are cut side by side, without overlap.

    A piece of at least ``2 * block - 1`` characters holds whole blocks wherever it stands, from one of `block` offsets on.
    If for each offset one of them is unknown, or stands only earlier, the piece stands nowhere. Takes memory of about five
    times the text.

    :param text: the text to index.
    :param block: characters a block.

    >>> index = BlockIndex("one two three", block=2)
    >>> index.may_hold("two", 0), index.may_hold("two", 5), index.may_hold("TWO", 0)
    (True, False, False)
    """

    def __init__(self, text: str, block: int = BLOCK) -> None:
        self._block = block
        self._last = {text[at : at + block]: at for at in range(0, len(text) - block + 1, block)}

    def may_hold(self, piece: str, start: int) -> bool:
        """Return False if a piece surely does not begin at `start` or after it; True says nothing."""
        return any(
            all(
                self._last.get(piece[at : at + self._block], -1) >= start + at
                for at in range(offset, len(piece) - self._block + 1, self._block)
            )
            for offset in range(self._block)
        )
