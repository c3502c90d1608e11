"""A server and its users."""

from __future__ import annotations

import base64
import contextlib
import copy
import json
import os
import re
import sys
import urllib.request
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Tuple

from . import calls, record

if TYPE_CHECKING:
    from .servers import Process

PAGE = 10_000
"""How many requests are read at once."""

_since = re.compile(r'[^|(!"]*\bsince:([A-Za-z][A-Za-z0-9-]*)(?:\s[^|(!"]*)?')
"""Finds the only moment at which a filter without alternatives begins: earlier requests need not be held."""


@dataclass(frozen=True)
class User:
    """A user has a client certificate, in PEM."""

    name: str
    groups: Tuple[str, ...]
    certificate: str = field(repr=False)
    key: str = field(repr=False)


def read_user(answer: Mapping[str, Any]) -> User:
    """Return the user of an answer."""
    return User(answer["name"], tuple(answer.get("groups") or ()), answer["clientCertificate"], answer["clientKey"])


class Server:
    """An API server that ends with its test.

    url is its HTTPS and ca the certificate in PEM that proves it; admin is a user of system:masters. privileged is its
    plain port on the loopback interface, which needs no credentials: for curl, for kubarium --server, and for a
    browser (/debug/flows).
    """

    def __init__(self, process: Process, made: Mapping[str, Any]) -> None:
        self.url: str = made["url"]
        self.ca: str = made["ca"]
        self.admin = read_user(made["user"])
        self.privileged: str = made["privileged"]
        self._process = process
        self._at: str = f"{process.url}/servers/{made['id']}"
        self._clients: Dict[User, urllib.request.OpenerDirector] = {}
        self._recordings: List[Tuple[Server, str, bool]] = []
        self._is_fork = False

    def __enter__(self) -> Server:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self.end(failed=kind is not None)

    def end(self, failed: bool = False) -> None:
        """End the server and its forks, and write their recordings. A fork ends with its server only."""
        if self._is_fork:
            return
        try:
            for server, file, only_failed in self._recordings:
                if failed or not only_failed:
                    server._write_recording(file)
        finally:
            calls.call(self._process.http, "DELETE", self._at)

    def user(self, name: str, *groups: str) -> User:
        """Return a user with these groups. Roles and bindings determine what the user may do."""
        return read_user(calls.call(self._process.http, "POST", self._at + "/users",
                                    {"name": name, "groups": groups}))

    def kubeconfig(self, path: Optional[str] = None, user: Optional[User] = None) -> str:
        """Write a kubeconfig for a user, admin by default, to a file, a temporary one by default; return its path."""
        user = user or self.admin

        def data(pem: str) -> str:
            return base64.b64encode(pem.encode()).decode()

        config = {
            "apiVersion": "v1", "kind": "Config", "current-context": "apitest",
            "clusters": [{"name": "apitest", "cluster": {
                "server": self.url, "certificate-authority-data": data(self.ca)}}],
            "users": [{"name": user.name, "user": {
                "client-certificate-data": data(user.certificate), "client-key-data": data(user.key)}}],
            "contexts": [{"name": "apitest", "context": {"cluster": "apitest", "user": user.name}}],
        }
        path = path or self._process.new_file("kubeconfig")
        calls.write_private(path, json.dumps(config, indent=2) + "\n")  # JSON is YAML
        return path

    def request(self, method: str, path: str, body: Any = None, *, user: Optional[User] = None,
                media: str = "application/json") -> Any:
        """Send a request to the API as a user, admin by default, and return its answer, the value of its JSON.

        It is for suites without a client library. A body is a value, which becomes JSON, or a text, which is sent as it
        is. The media type of a merge patch is application/merge-patch+json. An answer of 400 or above is an Error with
        its status, reason and body.
        """
        user = user or self.admin
        if user not in self._clients:
            self._clients[user] = calls.opener(self.ca, user.certificate, user.key)
        return calls.call(self._clients[user], method, self.url + path, body, media=media)

    def requests(self, filter: str = "") -> List[record.Request]:
        """Return the requests that match a filter and were answered before, in the order in which they ended.

        A watch is one of them from its beginning. The filter is that of Kubarium's screen: "verb:update sub:status",
        "code:409|code:5xx", "res:deployments.apps !who:k1". Kubarium's own requests are not included.
        """
        found: List[record.Request] = []
        moment = _since.fullmatch(filter)
        after = self._ask("GET", "/debug/flows/moments")["moments"].get(moment[1].lower(), 0) if moment else 0
        while True:
            query = {"filter": filter, "after": str(after), "limit": str(PAGE)}
            got = record.read_lines(self._ask("GET", "/debug/flows", query=query))
            found += got
            if len(got) < PAGE:
                return record.once(found)
            after = got[-1].seq

    def at_most(self, n: int, filter: str = "") -> None:
        """Assert that at most n requests match a filter; print them otherwise."""
        __tracebackhide__ = True
        self._expect(filter, range(n + 1), f"at most {n}")

    def at_least(self, n: int, filter: str = "") -> None:
        """Assert that at least n requests match a filter; print them otherwise."""
        __tracebackhide__ = True
        self._expect(filter, range(n, sys.maxsize), f"at least {n}")

    def none(self, filter: str = "") -> None:
        """Assert that no request matches a filter; print them otherwise."""
        __tracebackhide__ = True
        self._expect(filter, range(1), "none")

    def _expect(self, filter: str, counts: range, want: str) -> None:
        __tracebackhide__ = True
        found = self.requests(filter)
        if len(found) not in counts:
            raise AssertionError(record.failure(found, filter, want))

    def moment(self, name: str) -> None:
        """Name the present: since:NAME in a filter matches later requests.

        "sync" is a good name for the moment when the caches of a controller have synced.
        """
        self._ask("POST", "/debug/flows/moments", query={"name": name})

    def settle(self, timeout: float = 30.0) -> None:
        """Wait until the server rests: for a second no request has come, none is under way, and each watch has been
        sent what there is for it. If it does not rest within these seconds, the assertion says who keeps it busy.

        It is a heuristic: a controller that waits for a timer of its own, as a requeue after some seconds, looks as one
        that rests. Reads of Kubarium's own, Events and Leases do not count.
        """
        __tracebackhide__ = True
        answer = self._ask("GET", "/debug/settled", query={"timeout": f"{timeout:g}s"}, within=timeout + calls.WITHIN)
        if not answer["settled"]:
            who = "; ".join(f"{b['who']}: {b['what']}, {b['count']} times" for b in (answer.get("busy") or [])[:3])
            raise AssertionError(f"apitest: not settled after {timeout:g}s: {who}")

    def snapshot(self, name: str) -> None:
        """Keep the present state of the server under a name of lower-case letters, digits and "-"."""
        self._ask("POST", "/debug/snapshots", {"name": name})

    def restore(self, name: str) -> None:
        """Restore all objects of a snapshot. Watches end as after a compaction, and informers recover.

        resourceVersions continue above all others.
        """
        self._ask("POST", "/debug/restore", {"snapshot": name})

    def reset(self) -> None:
        """Restore the state after the start."""
        self.restore("")

    def fork(self, snapshot: str = "") -> Server:
        """Start a second server with the state of a snapshot, or the present state: the same objects, uids and
        resourceVersions. Then the two are independent. It has the same users and its own record, and ends with this.
        """
        made = self._ask("POST", "/debug/fork", {"snapshot": snapshot})
        fork = copy.copy(self)
        fork.url, fork.privileged, fork._is_fork = made["secure"], made["url"], True
        return fork

    def compact(self) -> None:
        """Make older revisions unreadable, so that watches that lag get 410 Gone."""
        self._ask("POST", "/debug/compact")

    def faults(self, *rules: str) -> contextlib.ExitStack:
        """Add rules of Kubarium's gate, which do something to requests: refuse, delay, hold, cut, lose, coalesce, lag.

        A rule is a line; its filter is that of requests. It acts on requests that come later, in addition to earlier
        rules. The second update of a status is answered with a conflict by

            with server.faults("refuse 409 after 1 once on verb:update sub:status res:greetings"):

        The requests that rules touched match the filter "fault:yes". The end of the with statement, or close() of what
        is returned, removes these rules, and lets go what they hold; without it they last as long as the server. If a
        rule is not valid, none is added.
        """
        added = self._ask("POST", "/debug/gate", "\n".join(rules), media="text/plain")["added"]
        undo = contextlib.ExitStack()
        undo.callback(self._remove, added)
        return undo

    def _remove(self, rules: List[int]) -> None:
        left = [self._ask("DELETE", "/debug/gate", query={"id": str(id)}) for id in rules][-1:]
        for held in left[0]["held"] if left else []:
            if held["rule"] in rules:
                with contextlib.suppress(calls.Error):  # it may end by itself
                    self._ask("POST", "/debug/held", query={"id": str(held["id"]), "do": "go"})

    def record(self, file: str) -> None:
        """Write the run into a file when the server ends, for kubarium open, diff, doctor, role and export.

        The file has what the server still keeps then. If the process may be killed, or a long run must be whole, the
        option args "--record=FILE" writes it as it goes.
        """
        self._recordings.append((self, os.path.abspath(file), False))

    def record_failed(self, file: str) -> None:
        """Do what record does if the test has failed by then."""
        self._recordings.append((self, os.path.abspath(file), True))

    def _write_recording(self, file: str) -> None:
        """Write a recording, whole or not at all."""
        recording = self._ask("GET", "/debug/recording")
        try:
            os.makedirs(os.path.dirname(file), exist_ok=True)
            with open(file + ".new", "wb") as f:
                f.write(recording)
            os.replace(file + ".new", file)
        except OSError as e:
            raise calls.Error(f"record: {file}: {e.strerror}") from None
        print(f"apitest: to see the run: kubarium open {file}")

    def _ask(self, method: str, path: str, body: Any = None, query: Optional[Mapping[str, str]] = None,
             media: str = "application/json", within: float = calls.WITHIN) -> Any:
        return calls.call(self._process.http, method, self.privileged + path, body, query, media, within)
