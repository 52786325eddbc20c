"""Conditions on moments in time.

Filters compare to the microsecond, and a moment without a zone takes the other's: then the clock readings count. A server
keeps milliseconds, and takes a missing zone for UTC. So its dates decide all but the documents near the value in question,
and for those a script reads the string.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from spaniel.document_stores.opensearch.filters.clauses import (
    NONE,
    Bounds,
    Query,
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
_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 (clock readings)
_MICROSECOND = timedelta(microseconds=1)
_DAY = timedelta(days=1)
_FARTHEST_ZONE = timedelta(hours=18)  # a server takes no other
_MOST_STRETCHES = 32
_LACK = "no script can read its strings, so dates in other spellings can't be found. Map it as a keyword"


class Moment(NamedTuple):
    """A filter's moment: what the clock shows, and how far it is from UTC, if that is known."""

    wall: datetime
    offset: timedelta | None

    @property
    def instant(self) -> datetime:
        """The moment in UTC, a missing zone taken for UTC, as a server does."""
        return shifted(self.wall, -(self.offset or timedelta()))


class Stretch(NamedTuple):
    """From one moment to another, both within."""

    start: datetime
    end: datetime


def moment(value: datetime) -> Moment:
    """Return a filter's moment."""
    return Moment(value.replace(tzinfo=None), value.utcoffset())


def shifted(when: datetime, by: timedelta) -> datetime:
    """Return a moment that was moved, or the first or last one there is."""
    try:
        return when + by
    except OverflowError:
        return datetime.min if by < timedelta() else datetime.max  # noqa: DTZ901 (clock readings)


def equal_dates(field: Field, moments: Sequence[datetime]) -> Bounds:
    """Return the condition that a string of a field stands for one of some moments."""
    if not moments:
        return exact(NONE)
    if not field.values:
        return Bounds(NONE, field.has_value().may, f"'{field.path}': {_LACK}")
    wanted = [moment(each) for each in moments]
    near = any_of(_near(field, stretch) for stretch in _united(_window(field, each) for each in wanted))
    test = script(
        _EQUAL,
        field=field.keyword,
        naive={str(_micros(each.wall)): True for each in wanted if each.offset is None},
        zoned={str(_micros(each.wall)): True for each in wanted if each.offset is not None},
        instants={
            str(_micros(each.wall) - each.offset // _MICROSECOND): True for each in wanted if each.offset is not None
        },
    )
    return exact(all_of([near, test]))


def ordered_dates(field: Field, operator: str, value: datetime) -> Bounds:
    """Return the condition that a string of a field is a date before or after a moment."""
    wanted = moment(value)
    window = _window(field, wanted)
    if not field.values:
        return Bounds(NONE, field.has_value().may, f"'{field.path}': {_LACK}")
    test = script(
        _ORDER,
        field=field.keyword,
        wall=_micros(wanted.wall),
        offset=(wanted.offset or timedelta()) // _MICROSECOND,
        zoned=wanted.offset is not None,
        greater=operator in (">", ">="),
        smaller=operator in ("<", "<="),
        same=operator in (">=", "<="),
    )
    if field.dates:
        far = {"gt": _millis(window.end)} if operator in (">", ">=") else {"lt": _millis(window.start)}
        sure = between(field.dates, **far, format="strict_date_optional_time")
        return exact(any_of([sure, all_of([_near(field, window), test])]))
    # Dates have their order as strings too, and start with a digit.
    limits = (
        {"gte": _day(window.start), "lt": ":"} if operator in (">", ">=") else {"gte": "0", "lt": _day(window.end, 1)}
    )
    return exact(all_of([between(str(field.keyword), **limits), test]))


def equal_server_dates(field: Field, moments: Iterable[datetime]) -> Bounds:
    """Return the condition that a field which a server keeps as dates is one of some moments, to the millisecond."""
    instants = (_millis(moment(each).instant) for each in moments)
    return exact(
        any_of(
            between(field.path, gte=each, lte=each, format="strict_date_optional_time")
            for each in dict.fromkeys(instants)
        )
    )


def ordered_server_dates(field: Field, operator: str, value: datetime) -> Bounds:
    """Return the condition that a field which a server keeps as dates is before or after a moment."""
    limit = {_KEYS[operator]: _millis(moment(value).instant)}
    return exact(between(field.path, **limit, format="strict_date_optional_time"))


def _window(field: Field, wanted: Moment) -> Stretch:
    """Return the moments in which a date may stand that must be read to be compared."""
    if wanted.offset is None:
        reach = _FARTHEST_ZONE if field.dates else _DAY
        return Stretch(shifted(wanted.wall, -reach), shifted(wanted.wall, reach))
    first, last = sorted((wanted.wall, wanted.instant))
    return Stretch(first, last) if field.dates else Stretch(shifted(first, -_DAY), shifted(last, _DAY))


def _near(field: Field, stretch: Stretch) -> Query:
    if field.dates:
        start, end = _millis(stretch.start), _millis(stretch.end)
        return between(field.dates, gte=start, lte=end, format="strict_date_optional_time")
    return between(str(field.keyword), gte=_day(stretch.start), lt=_day(stretch.end, 1))


def _united(stretches: Iterable[Stretch]) -> list[Stretch]:
    """Return stretches that cover the given ones, those that overlap made one."""
    united: list[Stretch] = []
    for stretch in sorted(stretches):
        if united and stretch.start <= united[-1].end:
            united[-1] = Stretch(united[-1].start, max(united[-1].end, stretch.end))
        else:
            united.append(stretch)
    return united if len(united) <= _MOST_STRETCHES else [Stretch(united[0].start, united[-1].end)]


def _micros(wall: datetime) -> int:
    return (wall - _EPOCH) // _MICROSECOND


def _millis(when: datetime) -> str:
    return when.isoformat(timespec="milliseconds") + "Z"


def _day(when: datetime, later: int = 0) -> str:
    try:
        return (when.date() + later * _DAY).isoformat()
    except OverflowError:
        return ":"  # after all that starts with a digit
