"""Requests with bodies and answers of JSON, on the loopback interface."""

from __future__ import annotations

import http.client
import json
import os
import ssl
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Mapping, Optional

WITHIN = 60.0
"""The time limit of a request in seconds, even on very busy machines."""

RECORDING = "application/vnd.kubarium.recording"


class Error(Exception):
    """A request that was refused, or a program that does not start, in one line.

    status is the code of the answer, 0 without one; reason is that of a Kubernetes Status, and body the whole answer.
    """

    def __init__(self, message: str, status: int = 0, reason: str = "", body: Any = None) -> None:
        super().__init__(message)
        self.status, self.reason, self.body = status, reason, body


def opener(ca: str = "", certificate: str = "", key: str = "") -> urllib.request.OpenerDirector:
    """Return a client for a user, all in PEM. No proxy of the environment is used: the servers are on this machine."""
    handlers: list[urllib.request.BaseHandler] = [urllib.request.ProxyHandler({})]
    if ca:
        context = ssl.create_default_context(cadata=ca)
        with tempfile.TemporaryDirectory() as folder:  # ssl reads client certificates from files only
            file = os.path.join(folder, "user.pem")
            write_private(file, certificate + key)
            context.load_cert_chain(file)
        handlers.append(urllib.request.HTTPSHandler(context=context))
    return urllib.request.build_opener(*handlers)


def write_private(file: str, text: str) -> None:
    """Write a file that only its owner can read."""
    with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as f:
        f.write(text)


def call(by: urllib.request.OpenerDirector, method: str, url: str, body: Any = None,
         query: Optional[Mapping[str, str]] = None, media: str = "application/json", within: float = WITHIN) -> Any:
    """Send a request and return its answer. A body is a value, which becomes JSON, or a text, which is sent as it is."""
    if query:
        url += "?" + urllib.parse.urlencode(query)
    headers = {"Content-Type": media, "Accept": "application/json", "User-Agent": "apitest-python"}
    data = None if body is None else (body if isinstance(body, str) else json.dumps(body)).encode()
    try:
        with by.open(urllib.request.Request(url, data, headers, method=method), timeout=within) as answer:
            return read(answer.headers.get_content_type(), answer.read())
    except urllib.error.HTTPError as e:
        said = read(e.headers.get_content_type(), e.read())
        if isinstance(said, dict):
            raise Error(str(said.get("message")), e.code, said.get("reason", ""), said) from None
        raise Error(str(said).strip(), e.code, body=said) from None
    except (OSError, http.client.HTTPException) as e:
        raise Error(f"{method} {url}: {getattr(e, 'reason', e)}") from e


def read(media: str, body: bytes) -> Any:
    """Return the value of JSON, the bytes of a recording, and any other body as a text."""
    if media == RECORDING:
        return body
    return json.loads(body) if media == "application/json" and body else body.decode(errors="replace")
