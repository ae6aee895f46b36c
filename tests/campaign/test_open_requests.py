"""Who is pending is a function of the record and the time, also when the clock is set back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from palacs.campaign._entries import Entry
from palacs.campaign._open_requests import OpenRequests

times = st.integers(0, 20).map(float)
leases = st.one_of(st.none(), st.integers(1, 10).map(float))
steps = st.one_of(
    st.tuples(st.just("ask"), times, leases),
    st.tuples(st.just("renew"), times, leases),
    st.tuples(st.just("close"), st.integers(0, 30).map(float), st.none()),
    st.tuples(st.just("look"), times, st.none()),
)


@given(st.lists(steps, max_size=60))
def test_pending_is_what_going_through_all_of_them_would_find(doing) -> None:
    requests, entries = OpenRequests(), []
    for number, (what, at, lease) in enumerate(doing):
        if what == "ask":
            entries.append(Entry(f"r{number}", number, number))
        if what in ("ask", "renew") and entries:
            entry = entries[int(at) % len(entries)] if what == "renew" else entries[-1]
            entry.expires_at = None if lease is None else at + lease
            requests.open(entry)
        elif what == "close" and entries:
            entry = entries.pop(int(at) % len(entries))
            assert requests.close(entry.id) is entry
        elif what == "look":
            expected = [e for e in entries if e.state(at) == "pending"]
            assert requests.pending(at) == expected
    assert len(requests) == len(entries)


def test_looking_does_not_go_through_what_ended_long_ago() -> None:
    requests = OpenRequests()
    for number in range(1000):
        entry = Entry(f"r{number}", number, number, expires_at=float(number))
        requests.open(entry)
        requests.pending(float(number))
    assert len(requests) == 1000
    assert len(requests._counting) <= 1
