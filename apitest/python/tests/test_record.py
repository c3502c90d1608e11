"""Assertions about recorded requests, and what they print."""

import re
import threading
from datetime import timedelta

import pytest

from kubarium_apitest import Error, record
from test_server import MAPS, create

AT = r"\d\d:\d\d:\d\d\.\d{3}"


def busy(server):
    """Send two updates, one of which changes nothing, a whole list, and a list in pages, after a moment."""
    made = create(server, "a")
    server.request("GET", MAPS)
    server.moment("sync")
    made["data"] = {"k": "v"}
    for _ in range(2):
        made = server.request("PUT", MAPS + "/a", made)
    for limit in ("", "?limit=10"):
        server.request("GET", MAPS + limit)


def test_assertions_hold(kubarium):
    busy(kubarium)
    kubarium.at_most(2, "verb:update since:sync")
    kubarium.at_most(1, "verb:list limit:0 since:sync")
    kubarium.at_least(2, "verb:list limit:0")
    kubarium.none("verb:update sub:status")
    kubarium.none("verb:create since:sync")
    kubarium.none("code:>=400")


def test_assertions_fail(kubarium):
    """One that fails prints the requests, in the same lines as the Go module."""
    busy(kubarium)
    put = rf"    #\d+  {AT}  \w+  PUT  {MAPS}/a  200  \S+s  resourceVersion \d+"
    for fails, want in (
        (lambda: kubarium.at_most(1, "verb:update"),
         rf'apitest: 2 requests for "verb:update", want at most 1:\n{put}\n{put}  \(changed nothing\)'),
        (lambda: kubarium.none("verb:list limit:0 since:sync"),
         r'apitest: 1 request for "verb:list limit:0 since:sync", want none:\n'
         rf"    #\d+  {AT}  \w+  GET  {MAPS}  200  \S+s  resourceVersion \d+"),
        (lambda: kubarium.at_least(1, "code:409"), r'apitest: 0 requests for "code:409", want at least 1:'),
    ):
        with pytest.raises(AssertionError) as failed:
            fails()
        assert re.fullmatch(want, str(failed.value)), str(failed.value)


def test_many(kubarium):
    """Of many requests the first ones are printed, and the number of the others."""
    for i in range(60):
        create(kubarium, f"m-{i}")
    with pytest.raises(AssertionError) as failed:
        kubarium.none("verb:create")
    lines = str(failed.value).splitlines()
    assert len(lines) == 52 and lines[-1] == "    and 10 more"


def test_pages(kubarium, monkeypatch):
    monkeypatch.setattr("kubarium_apitest.server.PAGE", 2)
    busy(kubarium)
    assert len(kubarium.requests()) == 6


def test_members(kubarium):
    create(kubarium, "a")
    [r] = kubarium.requests("verb:create")
    assert (r.method, r.path, r.status, r.client.user, r.client.user_agent) == \
        ("POST", MAPS, 201, "admin", "apitest-python")
    t = r.target
    assert (t.verb, t.group, t.version, t.resource, t.namespace) == ("create", "", "v1", "configmaps", "default")
    assert r.revision > 0 and len(r.effects) == 1 and r.json["seq"] == r.seq and r.watch is None
    assert r.start.utcoffset() is not None and r.duration > timedelta(0)


def test_watch_is_one_request(kubarium):
    create(kubarium, "a")
    kubarium.request("GET", MAPS + "?watch=true&timeoutSeconds=1", media="")
    assert [r.phase for r in kubarium.requests("verb:watch")] == ["watchOpened"]
    assert "begins to watch" in str(kubarium.requests("verb:watch")[0])
    assert "ends to watch" in str(kubarium.requests("kind:watch-closed")[0])


@pytest.mark.parametrize("filter, want", [("cod:1", "did you mean code"), ("since:never", 'no moment "never"')])
def test_wrong_filter(kubarium, filter, want):
    """An invalid filter, or one with an unknown moment, is an error instead of counting nothing."""
    with pytest.raises(Error, match=want) as refused:
        kubarium.none(filter)
    assert refused.value.status == 400 and "\n" not in str(refused.value)


@pytest.mark.kubarium(args=["--memory=1Mi"])
def test_missed(kubarium):
    """Requests that are no longer kept cannot be counted, except since a moment after them."""
    for i in range(30):
        kubarium.request("POST", MAPS, {"metadata": {"name": f"m-{i}"}, "data": {"k": "v" * 100_000}})
    with pytest.raises(Error, match=r"\d+ requests are too long ago to be counted, up to #\d+; ask sooner"):
        kubarium.none("verb:delete")
    kubarium.moment("sync")
    create(kubarium, "last")
    kubarium.at_most(1, "verb:create since:sync")


def test_settle(kubarium):
    """It returns when no client asks any more, and fails while one does, with its name."""
    create(kubarium, "a")
    kubarium.settle()
    stop = threading.Event()

    def ask():
        while not stop.wait(0.02):
            kubarium.request("GET", MAPS + "/a")

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        with pytest.raises(AssertionError, match=r"apitest: not settled after 2s: .*get configmaps default/a, \d+ times"):
            kubarium.settle(timeout=2)
    finally:
        stop.set()
        asking.join()


@pytest.mark.parametrize("nanos, want", [
    (0, "0s"), (4_999, "0s"), (5_000, "10µs"), (850_000, "850µs"), (999_999, "1ms"), (3_174_999, "3.17ms"),
    (3_200_000, "3.2ms"), (1_500_000_000, "1.5s"), (62_500_010_000, "1m2.50001s"), (3_600_000_000_000, "1h0m0s")])
def test_durations(nanos, want):
    """They are printed as Go prints them."""
    line = f'{{"seq": 1, "start": "2026-01-02T03:04:05.6Z", "duration": {nanos}}}'
    [r] = record.read_lines(line)
    assert str(r) == f"#1  03:04:05.600  0  {want}"
