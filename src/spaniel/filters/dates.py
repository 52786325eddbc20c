"""Conversion of values to moments in time, and their alignment of time zones.

Equality accepts ISO 8601 dates only, so that ordinary text is never mistaken for a date. Ordering
accepts other formats with a full date too: a four-digit year, a month and a day.
"""

import re
from datetime import date, datetime, time, timedelta, timezone, tzinfo
from functools import lru_cache

# Cheap tests before a real parse: most strings are not dates.
_ISO_SHAPE = re.compile(r"\d{4}-\d\d-\d\d(?:[Tt ]|\Z)")
_ISO_WEEK_WITHOUT_DAY = re.compile(r"\d{4}-?W\d\d(?!-?\d)")
_FOUR_DIGIT_YEAR = re.compile(r"(?<!\d)(\d{4})(?:(?!\d)|\d{4})")
_MAX_DATE_LENGTH = 100

# `dateutil` completes a string from a default: a full date gives the same day with both of these.
_DEFAULTS = (datetime(2000, 1, 1), datetime(2001, 2, 2))  # noqa: DTZ001 (a string without a zone is a naive date)


def parse_iso_instant(value: object) -> datetime | None:
    """Return the moment of a date, a datetime or an ISO 8601 string, naive without a zone; else
    None.

    >>> parse_iso_instant("2024-05-01T10:00:00Z")
    datetime.datetime(2024, 5, 1, 10, 0, tzinfo=datetime.timezone.utc)
    >>> parse_iso_instant("2024") is None
    True
    """
    if isinstance(value, str):
        return _parse_iso(value) if _ISO_SHAPE.match(value) else None
    return _moment(value)


def parse_instant(value: object) -> datetime | None:
    """Return the moment of a value in any format with a full date, month before day; else None.

    >>> parse_instant("Jan 5 2024")
    datetime.datetime(2024, 1, 5, 0, 0)
    >>> parse_instant("2024-05") is None  # which day?
    True
    """
    if not isinstance(value, str):
        return _moment(value)
    if len(value) > _MAX_DATE_LENGTH:
        return None
    if _ISO_SHAPE.match(value):
        return _parse_iso(value) or _parse_full_date(value)
    return _parse_full_date(value) if _FOUR_DIGIT_YEAR.search(value) else None


def align(first: datetime, second: datetime, *, strict: bool) -> tuple[datetime, datetime] | None:
    """Return both moments in comparable form: unless `strict`, naive ones take the other's zone.

    >>> align(datetime(2024, 5, 1), datetime(2024, 5, 1, tzinfo=timezone.utc), strict=True) is None
    True
    """
    if (first.tzinfo is None) == (second.tzinfo is None):
        return first, second
    if strict:
        return None
    if first.tzinfo is None:
        return first.replace(tzinfo=second.tzinfo), second
    return first, second.replace(tzinfo=first.tzinfo)


def _moment(value: object) -> datetime | None:
    if isinstance(value, datetime):
        return value
    return datetime.combine(value, time()) if isinstance(value, date) else None


def _parse_iso(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        from dateutil.parser import isoparse

        try:  # formats that Python does not accept, such as 24:00 for the end of the day
            return isoparse(text)
        except (ValueError, OverflowError):
            return None


@lru_cache(maxsize=4096)  # documents often share values, and this parse is slow
def _parse_full_date(text: str) -> datetime | None:
    if _ISO_WEEK_WITHOUT_DAY.match(text):
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        pass
    from dateutil.parser import parse

    try:
        first, second = (parse(text, default=default, tzinfos=_zone) for default in _DEFAULTS)
    except (ValueError, TypeError, ArithmeticError, LookupError, AttributeError):  # odd text provokes each of them
        return None
    years = {int(year) for year in _FOUR_DIGIT_YEAR.findall(text)}
    return first if first.date() == second.date() and first.year in years else None


def _zone(_name: str | None, offset: float | None) -> tzinfo | None:
    # Abbreviations such as EST are ambiguous, so they are ignored.
    return None if offset is None else timezone(timedelta(seconds=offset))
