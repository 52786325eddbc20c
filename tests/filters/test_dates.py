# ruff: noqa: DTZ001 -- dates without a time zone are under test
import string
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spaniel.filters.dates import align, parse_instant, parse_iso_instant

OFFSETS = st.timedeltas(timedelta(hours=-14), timedelta(hours=14)).map(
    lambda delta: timezone(timedelta(minutes=delta // timedelta(minutes=1)))
)


@pytest.mark.parametrize("text", ["2024-05-01", "2024-05-01T10:00", "2024-05-01 10:00:00+02:00", "2024-05-01t10:00Z"])
def test_iso_strings_are_moments_for_equality_and_for_ordering(text):
    assert parse_iso_instant(text) == parse_instant(text) is not None


@pytest.mark.parametrize("text", ["20240501", "Jan 5 2024", "5 January 2024 10:00 +0200", "1/5/2024", "2024-W05-1"])
def test_other_full_dates_are_moments_for_ordering_only(text):
    assert parse_iso_instant(text) is None
    assert parse_instant(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "abc",
        "3",
        "2024",
        "2024-05",
        "05-2024",
        "2024-W05",
        "5/1/24",
        "240501",
        "Friday",
        "May 5",
        "10:30",
        "2024-13-01",
        "2024-02-30",
        "12345",
        "2024-05-01 and more",
        "0000-01-01",
        "٣",
        "²024-01-01",
        "Jan 5 2024 +99:00",
        "2024" * 30,
        "9" * 99,
    ],
)
def test_values_without_a_full_date_are_not_moments(text):
    assert parse_instant(text) is None


def test_the_end_of_a_day_may_be_written_as_24_hours():
    assert parse_iso_instant("2024-05-01T24:00") == datetime(2024, 5, 2)


def test_a_date_is_its_midnight():
    assert parse_iso_instant(date(2024, 5, 1)) == parse_instant(date(2024, 5, 1)) == datetime(2024, 5, 1)


def test_a_zone_abbreviation_is_not_guessed():
    assert parse_instant("Jan 5 2024 10:00 UTC") == datetime(2024, 1, 5, 10, tzinfo=UTC)
    assert parse_instant("Jan 5 2024 10:00 EST") == datetime(2024, 1, 5, 10)


@given(st.datetimes(timezones=st.none() | OFFSETS))
def test_isoformat_round_trips(moment):
    assert parse_iso_instant(moment.isoformat()) == moment
    assert parse_instant(moment.isoformat(sep=" ")) == moment


@given(
    st.datetimes(min_value=datetime(1000, 1, 1)), st.sampled_from(["%d %B %Y", "%b %d, %Y", "%m/%d/%Y", "%A %d %b %Y"])
)
def test_full_dates_in_words_are_read_back(moment, form):
    assert parse_instant(moment.strftime(form)) == datetime.combine(moment.date(), datetime.min.time())


@given(st.text(string.digits + string.ascii_letters + "-:/+., ") | st.text())
def test_no_text_raises_and_ordering_reads_whatever_equality_reads(text):
    assert parse_iso_instant(text) in (None, parse_instant(text))


@given(st.datetimes(), st.datetimes(timezones=OFFSETS))
def test_a_moment_without_zone_takes_the_zone_of_the_other_unless_strict(naive, aware):
    assert align(naive, aware, strict=False) == (naive.replace(tzinfo=aware.tzinfo), aware)
    assert align(aware, naive, strict=False) == (aware, naive.replace(tzinfo=aware.tzinfo))
    assert align(naive, aware, strict=True) is None
    assert align(aware, aware, strict=True) == (aware, aware)
