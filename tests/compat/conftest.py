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
import urllib3
from httpx import HTTPTransport
from requests.adapters import HTTPAdapter

BINARY = os.environ.get("COTERIE_BIN", Path(__file__).parents[2] / "target/debug/coterie")

# Of everybody.
PASSWORD = "a rope at six"

# What the clients believe to talk to.
ELSEWHERE = {"api.groupme.com", "image.groupme.com", "i.groupme.com", "push.groupme.com"}


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

    def drains_and_restarts(self):
        """With a goodbye, as for an update; on the same port."""
        self.process.terminate()
        assert self.process.wait() == 0
        self.process.stdout.close()
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
    """Leads what clients ask of other hosts to the server, whichever library they ask with;
    other hosts are an error."""
    here = urlsplit(server.url)

    def leads(host, url):
        """Whether a request has to be led here."""
        assert host == here.netloc or host in ELSEWHERE, f"no request leaves this machine: {url}"
        return host != here.netloc

    by_requests, by_httpx = HTTPAdapter.send, HTTPTransport.handle_request
    by_urllib3 = urllib3.PoolManager.urlopen

    def send(adapter, request, **more):
        asked = urlsplit(request.url)
        if leads(asked.netloc, request.url):
            request.headers["Host"] = asked.netloc
            request.url = urlunsplit((here.scheme, here.netloc, *asked[2:]))
        return by_requests(adapter, request, **more)

    def handle(transport, request):
        # It has its Host header already.
        if leads(request.url.netloc.decode(), request.url):
            request.url = request.url.copy_with(scheme=here.scheme, host=here.hostname, port=here.port)
        return by_httpx(transport, request)

    def urlopen(manager, method, url, **more):
        asked = urlsplit(url)
        if leads(asked.netloc, url):
            more["headers"] = {**(more.get("headers") or {}), "Host": asked.netloc}
            url = urlunsplit((here.scheme, here.netloc, *asked[2:]))
        return by_urllib3(manager, method, url, **more)

    monkeypatch.setattr(HTTPAdapter, "send", send)
    monkeypatch.setattr(HTTPTransport, "handle_request", handle)
    monkeypatch.setattr(urllib3.PoolManager, "urlopen", urlopen)
    return server


class Person:
    """Someone new, and what they do beside the client."""

    def __init__(self, server, name):
        self.server = server
        self.id, self.token, _ = server.registers(name)

    def posts(self, path, body):
        headers = {"X-Access-Token": self.token}
        answer = requests.post(f"{self.server.url}/v3{path}", json=body, headers=headers, timeout=120)
        assert answer.status_code == 201, answer.text
        return answer.json()["response"]

    def gets(self, path):
        headers = {"X-Access-Token": self.token}
        answer = requests.get(f"{self.server.url}/v3{path}", headers=headers, timeout=120)
        assert answer.status_code == 200, answer.text
        return answer.json()["response"]

    def newest(self, group):
        """The newest message of a group."""
        return self.gets(f"/groups/{group}/messages")["messages"][0]

    def writes(self, to, guid, text):
        message = {"source_guid": guid, "recipient_id": to.id, "text": text}
        self.posts("/direct_messages", {"direct_message": message})


@pytest.fixture
def ana(elsewhere):
    return Person(elsewhere, "Ana")


@pytest.fixture
def ben(elsewhere):
    return Person(elsewhere, "Ben")


@pytest.fixture
def climbers(ana):
    return ana.posts("/groups", {"name": "Climbers"})["id"]
