"""The real server, people with accounts on it, and the way there for clients that know
only the addresses of another service.

Their requests reach this server instead, with the Host header that they would have sent.
The clients themselves stay as published.
"""

import itertools
import os
import re
import subprocess
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest
import requests
from requests.adapters import HTTPAdapter

BINARY = os.environ.get("COTERIE_BIN", Path(__file__).parents[2] / "target/debug/coterie")

# Of everybody.
PASSWORD = "a rope at six"

# What the clients believe to talk to.
ELSEWHERE = {"api.groupme.com", "image.groupme.com", "push.groupme.com"}


class Server:
    """The binary as a process with a data directory of its own."""

    def __init__(self, data, *options):
        self._data, self._options = data, options
        self._people = itertools.count(1)
        self._starts("127.0.0.1:0")

    def restarts(self):
        """Without a goodbye, as when the power goes; on the same port."""
        self.ends()
        self._starts(urlsplit(self.url).netloc)

    def _starts(self, address):
        # Settings of this shell are not settings of the server under test.
        kept = {name: value for name, value in os.environ.items() if not name.startswith("COTERIE_")}
        self.process = subprocess.Popen(
            [BINARY, "--listen", address, "--data-dir", self._data, "--log", "warn", *self._options],
            env=kept,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        )
        first = self.process.stdout.readline()
        told = re.fullmatch(r"coterie listening on (http://\S+)\n", first)
        if not told:
            self.ends()
            raise AssertionError(f"the server said {first!r} first")
        self.url = told[1]

    def registers(self, name):
        """Someone new; returns their id, token and email."""
        email = f"{name.lower()}-{next(self._people)}@example.org"
        body = {"name": name, "email": email, "password": PASSWORD}
        answer = requests.post(f"{self.url}/auth/register", json=body, timeout=120)
        assert answer.status_code == 201, answer.text
        told = answer.json()["response"]
        return told["user"]["id"], told["access_token"], email

    def ends(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("data"))
    yield server
    server.ends()


@pytest.fixture
def elsewhere(server, monkeypatch):
    """Leads what clients ask of other hosts to the server; other hosts are an error."""
    usual = HTTPAdapter.send
    here = urlsplit(server.url)

    def send(adapter, request, **more):
        asked = urlsplit(request.url)
        if asked.netloc != here.netloc:
            assert asked.netloc in ELSEWHERE, f"no request leaves this machine: {request.url}"
            request.headers["Host"] = asked.netloc
            request.url = urlunsplit((here.scheme, here.netloc, *asked[2:]))
        return usual(adapter, request, **more)

    monkeypatch.setattr(HTTPAdapter, "send", send)
    return server
