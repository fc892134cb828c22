"""SCIM with the client and the tester of others, and the examples of the operator's guide."""

import os
import re
import subprocess

import pytest
import requests
from httpx import Client
from scim2_client import BaseSyncSCIMClient
from scim2_tester import Status, check_server

from conftest import PASSWORD, Server
from test_docs_examples import _blocks, _named, _statements


ADDRESS = "check_replace_attribute: PATCH modify() returned unexpected value for 'emails'."


class Directory(BaseSyncSCIMClient):
    """The client, over the HTTP library that is pinned here."""

    def __init__(self, http):
        super().__init__()
        self.http = http

    def _stays_under_base_url(self, endpoint):
        return not endpoint.startswith("http") or endpoint.startswith(str(self.http.base_url))

    def _parse_json(self, response):
        return response.json()

    def request(self, method, url, **kwargs):
        return self.http.request(method, url, **kwargs)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A server with an admin; the server and the token of the admin."""
    server = Server(tmp_path_factory.mktemp("directory"), "--rate-limit", "off")
    who = {"name": "Ada", "email": "ada@example.org", "password": PASSWORD}
    made = requests.post(f"{server.url}/auth/setup", json=who, timeout=120)
    assert made.status_code == 201, made.text
    yield server, made.json()["response"]["access_token"]
    server.ends()


@pytest.fixture(scope="module")
def directory(place):
    server, token = place
    body = {"name": "Tester", "reason": "a test"}
    made = requests.post(
        f"{server.url}/v3/admin/scim_tokens", json=body, headers={"X-Access-Token": token}, timeout=120
    )
    assert made.status_code == 201, made.text
    head = {"Authorization": f"Bearer {made.json()['response']['access_token']}"}
    with Client(base_url=f"{server.url}/scim/v2", headers=head, timeout=120) as client:
        yield Directory(client)


def test_tester_finds_no_error(directory):
    results = check_server(directory)
    wrong = [f"{it.title}: {it.reason}" for it in results if it.status in (Status.ERROR, Status.CRITICAL)]
    # An account has one address here, whose type and primary flag no client chooses.
    others = [it for it in wrong if not it.startswith(ADDRESS)]
    assert not others, "\n".join(others)
    passed = {it.title for it in results if it.status == Status.SUCCESS}
    for title in (
        "object_creation",
        "object_query",
        "object_query_without_id",
        "object_replacement",
        "object_deletion",
        "check_add_attribute",
        "check_remove_attribute",
        "check_replace_attribute",
    ):
        assert title in passed, f"{title} did not run"


def test_examples_of_the_guide_succeed(place):
    server, token = place
    names = {**os.environ, "TOKEN": token}
    answer, ran = None, 0
    for statement in (it for block in _blocks("operators.html") if "$SCIM" in block for it in _statements(block)):
        if given := re.fullmatch(r"([A-Z]+)=…", statement):
            field = {"SCIM": "access_token", "GROUP": "id"}.get(given[1], given[1])
            names[given[1]] = _named(answer, field)
            continue
        command = statement.replace("https://chat.example.org", server.url).replace("curl ", "curl -fsS ", 1)
        shown = subprocess.run(["bash", "-c", command], env=names, capture_output=True, text=True, timeout=120)
        assert shown.returncode == 0, f"{statement}\n{shown.stdout}{shown.stderr}"
        answer = requests.models.complexjson.loads(shown.stdout or "{}")
        ran += 1
    assert ran == 9
