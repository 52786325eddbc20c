"""Numbers of lists and notes as letters and Roman numerals."""

_ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl")),
    *((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)
_MAX_ROMAN = 3999


def format_roman(number: int) -> str:
    """Return a number in lower-case Roman numerals, in digits outside of 1 to 3,999.

    >>> format_roman(1994), format_roman(0)
    ('mcmxciv', '0')
    """
    if not 0 < number <= _MAX_ROMAN:
        return str(number)
    text = ""
    for value, sign in _ROMAN:
        text += sign * (number // value)
        number %= value
    return text


def format_letters(number: int) -> str:
    """Return a number from 1 in letters: ``a`` to ``z``, then ``aa``, ``ab``, ...

    >>> format_letters(2), format_letters(27)
    ('b', 'aa')
    """
    text = ""
    while number > 0:
        number, digit = divmod(number - 1, 26)
        text = chr(ord("a") + digit) + text
    return text
