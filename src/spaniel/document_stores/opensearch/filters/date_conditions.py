"""Conditions on dates.

Filters compare to the microsecond, and a date without a zone takes the zone of the other: clock
times are compared. A server indexes milliseconds and reads a missing zone as UTC. Its dates
therefore decide all documents except those near the value, for which a script parses the string.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from spaniel.document_stores.opensearch.filters.clauses import (
    NONE,
    Query,
    QueryBounds,
    all_of,
    any_of,
    between,
    exact,
    script,
)
from spaniel.document_stores.opensearch.schema.field import Field

_READ = """
int number(String s, int from, int to) {
  if (to > s.length()) return -1;
  int found = 0;
  for (int i = from; i < to; i++) {
    int c = s.charAt(i);
    if (c < 48 || c > 57) return -1;
    found = found * 10 + c - 48;
  }
  return found;
}
long[] clock(String s, int start) {
  int i = start + 2;
  int hours = number(s, start, i);
  int minutes = 0;
  int seconds = 0;
  long micros = 0;
  if (hours < 0) return null;
  int colon = i < s.length() && s.charAt(i) == (char)':' ? 1 : 0;
  if (colon == 1 || number(s, i, i + 1) >= 0) {
    minutes = number(s, i + colon, i + colon + 2);
    if (minutes < 0 || minutes > 59) return null;
    i += colon + 2;
    if (colon == 1 ? i < s.length() && s.charAt(i) == (char)':' : number(s, i, i + 1) >= 0) {
      seconds = number(s, i + colon, i + colon + 2);
      if (seconds < 0 || seconds > 59) return null;
      i += colon + 2;
      if (i < s.length() && (s.charAt(i) == (char)'.' || s.charAt(i) == (char)',')) {
        int first = ++i;
        long unit = 100000;
        while (number(s, i, i + 1) >= 0) {
          micros += number(s, i, i + 1) * unit;
          unit /= 10;
          i++;
        }
        if (i == first) return null;
      }
    }
  }
  if (hours > 24 || (hours == 24 && (minutes > 0 || seconds > 0 || micros > 0))) return null;
  return new long[] {((hours * 60L + minutes) * 60L + seconds) * 1000000L + micros, i};
}
long[] read(String s) {
  if (s.length() < 10 || s.charAt(4) != (char)'-' || s.charAt(7) != (char)'-') return null;
  int year = number(s, 0, 4);
  int month = number(s, 5, 7);
  int day = number(s, 8, 10);
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > YearMonth.of(year, month).lengthOfMonth()) return null;
  long wall = LocalDate.of(year, month, day).toEpochDay() * 86400000000L;
  if (s.length() == 10) return new long[] {wall, 0, 0};
  int separator = s.charAt(10);
  if (separator != (char)'T' && separator != (char)' ' && separator != (char)'t') return null;
  long[] time = clock(s, 11);
  if (time == null) return null;
  wall += time[0];
  int i = (int) time[1];
  if (i == s.length()) return new long[] {wall, 0, 0};
  int sign = s.charAt(i);
  if (sign == (char)'Z') return i + 1 == s.length() ? new long[] {wall, 0, 1} : null;
  if (sign != (char)'+' && sign != (char)'-') return null;
  long[] offset = clock(s, i + 1);
  if (offset == null || offset[1] != s.length()) return null;
  return new long[] {wall, sign == (char)'+' ? offset[0] : -offset[0], 1};
}
"""

_ORDER = (
    _READ
    + """
for (String s : doc[params.field]) {
  long[] moment = read(s);
  if (moment == null) continue;
  long mine = moment[0];
  long other = params.wall;
  if (moment[2] == 1 && params.zoned) {
    mine -= moment[1];
    other -= params.offset;
  }
  if (mine > other ? params.greater : mine < other ? params.smaller : params.same) return true;
}
return false;
"""
)

_EQUAL = (
    _READ
    + """
for (String s : doc[params.field]) {
  long[] moment = read(s);
  if (moment == null) continue;
  String wall = String.valueOf(moment[0]);
  if (params.naive.containsKey(wall)) return true;
  if (moment[2] == 0 ? params.zoned.containsKey(wall) : params.instants.containsKey(String.valueOf(moment[0] - moment[1])))
    return true;
}
return false;
"""
)

_KEYS = {">": "gt", ">=": "gte", "<": "lt", "<=": "lte"}
_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 (clock times)
_MICROSECOND = timedelta(microseconds=1)
_DAY = timedelta(days=1)
_MAX_OFFSET = timedelta(hours=18)  # a server accepts no larger offset
_MAX_INTERVALS = 32


class ZonedTime(NamedTuple):
    """A date of a filter: the clock time, and the offset from UTC if known."""

    wall: datetime
    offset: timedelta | None

    @property
    def instant(self) -> datetime:
        """The instant in UTC, with a missing zone read as UTC, as a server does."""
        return _shift(self.wall, -(self.offset or timedelta()))


class TimeInterval(NamedTuple):
    """A closed interval of time."""

    start: datetime
    end: datetime


def equal_dates(field: Field, dates: Sequence[datetime]) -> QueryBounds:
    """Return the bounds of strings that denote the same instant as a date."""
    if not dates:
        return exact(NONE)
    if not field.readable:
        return field.verify_all()
    times = [_to_zoned_time(each) for each in dates]
    near = any_of(_near(field, interval) for interval in _merge_intervals(_window(field, each) for each in times))
    test = script(
        _EQUAL,
        field=field.keyword,
        naive={str(_micros(each.wall)): True for each in times if each.offset is None},
        zoned={str(_micros(each.wall)): True for each in times if each.offset is not None},
        instants={
            str(_micros(each.wall) - each.offset // _MICROSECOND): True for each in times if each.offset is not None
        },
    )
    return exact(all_of([near, test]))


def order_dates(field: Field, operator: str, value: datetime) -> QueryBounds:
    """Return the bounds of strings that are dates before or after a date."""
    if not field.readable:
        return field.verify_all()
    limit = _to_zoned_time(value)
    window = _window(field, limit)
    upward = operator in (">", ">=")
    test = script(
        _ORDER,
        field=field.keyword,
        wall=_micros(limit.wall),
        offset=(limit.offset or timedelta()) // _MICROSECOND,
        zoned=limit.offset is not None,
        greater=upward,
        smaller=not upward,
        same=operator in (">=", "<="),
    )
    if field.dates:
        far = {"gt": _millis(window.end)} if upward else {"lt": _millis(window.start)}
        outside = between(field.dates, **far, format="strict_date_optional_time")
        return exact(any_of([outside, all_of([_near(field, window), test])]))
    # Dates sort as strings too, and begin with a digit.
    limits = {"gte": _day(window.start), "lt": ":"} if upward else {"gte": "0", "lt": _day(window.end, 1)}
    return exact(all_of([between(str(field.keyword), **limits), test]))


def equal_server_dates(field: Field, dates: Iterable[datetime]) -> QueryBounds:
    """Return the bounds for a field mapped as a date, which compares to the millisecond."""
    instants = dict.fromkeys(_millis(_to_zoned_time(each).instant) for each in dates)
    return exact(
        any_of(between(field.path, gte=each, lte=each, format="strict_date_optional_time") for each in instants)
    )


def order_server_dates(field: Field, operator: str, value: datetime) -> QueryBounds:
    """Return the bounds for a field mapped as a date, before or after a date."""
    limit = {_KEYS[operator]: _millis(_to_zoned_time(value).instant)}
    return exact(between(field.path, **limit, format="strict_date_optional_time"))


def _to_zoned_time(value: datetime) -> ZonedTime:
    return ZonedTime(value.replace(tzinfo=None), value.utcoffset())


def _shift(when: datetime, by: timedelta) -> datetime:
    try:
        return when + by
    except OverflowError:
        return datetime.min if by < timedelta() else datetime.max  # noqa: DTZ901 (clock times)


def _window(field: Field, time: ZonedTime) -> TimeInterval:
    """Return the interval of indexed dates that only the script can compare with a date."""
    if time.offset is None:
        reach = _MAX_OFFSET if field.dates else _DAY
        return TimeInterval(_shift(time.wall, -reach), _shift(time.wall, reach))
    first, last = sorted((time.wall, time.instant))
    return TimeInterval(first, last) if field.dates else TimeInterval(_shift(first, -_DAY), _shift(last, _DAY))


def _near(field: Field, interval: TimeInterval) -> Query:
    if field.dates:
        start, end = _millis(interval.start), _millis(interval.end)
        return between(field.dates, gte=start, lte=end, format="strict_date_optional_time")
    return between(str(field.keyword), gte=_day(interval.start), lt=_day(interval.end, 1))


def _merge_intervals(intervals: Iterable[TimeInterval]) -> list[TimeInterval]:
    merged: list[TimeInterval] = []
    for interval in sorted(intervals):
        if merged and interval.start <= merged[-1].end:
            merged[-1] = TimeInterval(merged[-1].start, max(merged[-1].end, interval.end))
        else:
            merged.append(interval)
    return merged if len(merged) <= _MAX_INTERVALS else [TimeInterval(merged[0].start, merged[-1].end)]


def _micros(wall: datetime) -> int:
    return (wall - _EPOCH) // _MICROSECOND


def _millis(when: datetime) -> str:
    return when.isoformat(timespec="milliseconds") + "Z"


def _day(when: datetime, later: int = 0) -> str:
    try:
        return (when.date() + later * _DAY).isoformat()
    except OverflowError:
        return ":"  # sorts after every text that begins with a digit
