"""Recorded requests: the lines of /debug/flows."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Dict, List, Mapping, Optional

from .calls import Error

WRITES = ("create", "update", "patch", "apply", "delete", "deletecollection")
MOST_LISTED = 50
"""How many requests are printed."""


@dataclass(frozen=True)
class Client:
    """The sender of a request; tag is short: "man1" for a program manager."""

    tag: str
    user_agent: str
    user: str


@dataclass(frozen=True)
class Target:
    """What a request is about; verb is that of Kubernetes: get list watch create update patch apply delete …"""

    verb: str
    group: str
    version: str
    resource: str
    subresource: str
    namespace: str
    name: str


@dataclass(frozen=True)
class Request:
    """The record of one request; /debug/flows/schema describes all members of its JSON."""

    seq: int
    phase: str  # request, watchOpened or watchClosed
    start: datetime
    duration: timedelta
    client: Client
    method: str
    path: str
    query: str
    target: Target
    status: int
    reason: str
    message: str
    sent_revision: int  # the resourceVersion in the request
    revision: int  # the resourceVersion in the answer
    watch: Optional[int]  # the number of a watch; None for other requests
    effects: List[Any] = field(repr=False)  # the changes of the request
    json: Mapping[str, Any] = field(repr=False)  # the whole line, with headers, bodies, stations and SQL

    def __str__(self) -> str:
        """Return the request in one line."""
        path = self.path + ("?" + self.query if self.query else "")
        at = f"{self.start:%H:%M:%S}.{self.start.microsecond // 1000:03d}"
        parts = [f"#{self.seq}", at, self.client.tag, self.method, path, str(self.status), self.reason,
                 shown(self.duration)]
        if self.revision > 0:
            parts.append(f"resourceVersion {self.revision}")
        if self.phase == "watchOpened":
            parts.append("begins to watch")
        elif self.phase == "watchClosed":
            parts.append("ends to watch")
        elif self.target.verb in WRITES and self.status < 300 and not self.effects:
            parts.append("(changed nothing)")
        return "  ".join(part for part in parts if part)


def read_lines(text: str) -> List[Request]:
    """Parse JSON Lines. If some are missing it is an error, since they cannot be counted."""
    found = []
    for line in text.splitlines():
        value = json.loads(line)
        if value.get("missed"):
            raise Error(f"{value['missed']} requests are too long ago to be counted, up to #{value['upto']}; ask sooner, "
                        "or since a moment")
        found.append(_request(value))
    return found


def _request(line: Mapping[str, Any]) -> Request:
    return Request(
        **_texts(line, "phase", "method", "path", "query", "reason", "message"), seq=line["seq"],
        start=_time(line["start"]), duration=timedelta(microseconds=line.get("duration", 0) // 1000),
        client=Client(*_texts(line.get("client", {}), "tag", "userAgent", "user").values()),
        target=Target(**_texts(line.get("target", {}), *Target.__annotations__)),
        status=line.get("status", 0), sent_revision=line.get("sentRevision", 0), revision=line.get("revision", 0),
        watch=line["watch"]["id"] if "watch" in line else None, effects=line.get("effects", []), json=line)


def _texts(line: Mapping[str, Any], *names: str) -> Dict[str, str]:
    return {name: line.get(name, "") for name in names}  # what is empty is absent


def _time(text: str) -> datetime:
    """Parse RFC 3339, whose nanoseconds datetime does not have."""
    whole, fraction, zone = re.fullmatch(r"([^.Z+]*?)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)", text).groups("")  # type: ignore
    return datetime.fromisoformat(f"{whole}.{fraction[:6]:0<6}{zone.replace('Z', '+00:00')}")


def shown(time: timedelta) -> str:
    """Return a duration as Go prints it, to ten microseconds: 850µs, 3.17ms, 1m2.5s."""
    micros = (time // timedelta(microseconds=1) + 5) // 10 * 10
    if micros < 1_000_000:
        return "0s" if not micros else f"{micros}µs" if micros < 1000 else f"{micros / 1000:g}ms"
    minutes, micros = divmod(micros, 60_000_000)
    hours, minutes = divmod(minutes, 60)
    seconds = f"{micros / 1_000_000:.7g}s"
    return f"{hours}h{minutes}m{seconds}" if hours else f"{minutes}m{seconds}" if minutes else seconds


def once(found: List[Request]) -> List[Request]:
    """Leave out the ends of watches whose beginning is included: a watch is one request."""
    begun = {r.watch for r in found if r.phase == "watchOpened"}
    return [r for r in found if r.phase != "watchClosed" or r.watch not in begun]


def failure(found: List[Request], filter: str, want: str) -> str:
    """Return the message of a failed assertion, with the requests."""
    lines = [f"apitest: {len(found)} request{'' if len(found) == 1 else 's'} for {json.dumps(filter)}, want {want}:"]
    lines += [f"    {r}" for r in found[:MOST_LISTED]]
    if len(found) > MOST_LISTED:
        lines.append(f"    and {len(found) - MOST_LISTED} more")
    return "\n".join(lines)
