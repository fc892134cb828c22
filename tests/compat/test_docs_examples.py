"""Every example of the pages at /docs, as a reader types it: top to bottom, with what the
answers before brought put where the page says so.
"""

import html
import json
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
import requests

from conftest import BINARY, Server

DOCS = Path(__file__).parents[2] / "static/docs"

# The address that the pages tell.
TOLD = "http://127.0.0.1:8080"

# `curl` that tells its status apart from the body.
CURL = 'curl() { command curl -sS -D "$HEADS" "$@"; }\n'

# Streams have no end, and a poll waits for news: a reader stops them.
ENDLESS = ("/events/stream", "wait=")


def _blocks(page):
    """The text of each example of a page, in the order of reading."""
    found = re.findall(r"<pre[^>]*>(.*?)</pre>", (DOCS / page).read_text(), re.S)
    return [html.unescape(re.sub(r"<[^>]+>", "", block)) for block in found]


def _statements(block):
    """One command each: a line, with those that go on from it."""
    statement = ""
    for line in block.splitlines():
        statement += line
        is_open = statement.count("'") % 2 or statement.endswith(("\\", "|"))
        if is_open:
            statement += "\n"
            continue
        yield statement
        statement = ""
    assert not statement, f"an example breaks off: {statement}"


def _named(answer, name):
    """What a page calls so, in the answer before: by the field's own name."""
    if isinstance(answer, dict):
        for key, value in answer.items():
            if key in (name.lower(), f"{name.lower()}_id") and isinstance(value, (str, int)):
                return str(value)
    inner = answer.values() if isinstance(answer, dict) else answer if isinstance(answer, list) else []
    return next((found for it in inner if (found := _named(it, name)) is not None), None)


class Reader:
    """Somebody at a shell, who goes through the pages."""

    # Where a page's name is another than the field's.
    FIELDS = {
        "TOKEN": "access_token",
        "SCRIPT": "access_token",
        "GROUP": "group_id",
        "PICTURE": "picture_url",
        "CLIENT": "client_id",
        "BEN": "user_id",
        "CONVERSATION": "conversation_id",
        "DIRECT": "id",
        "REPORT": "id",
        "RULE": "id",
        "INVITE": "id",
        "TOPIC": "id",
        "COPY": "group_id",
    }

    def __init__(self, server, folder):
        self.server, self.folder = server, folder
        self.names, self.answer, self.ran = {}, None, 0

    def reads(self, page):
        for block in _blocks(page):
            if "curl " in block and not block.startswith("import "):
                for statement in _statements(block):
                    self.types(statement)

    def types(self, statement):
        if "$CODE" in statement or statement == "CODE=…":
            # Somebody has to say yes in a browser; `oauth4webapi.test.js` goes that way.
            return
        given = re.fullmatch(r"([A-Z_]+)=(\w*_)?…", statement)
        if given:
            self.names[given[1]] = str(self.finds(given[1]))
        elif re.match(r"[A-Z]+=\$\(", statement):
            self.shell(statement + f"; printf %s \"${statement.split('=')[0]}\" >value").wait()
            self.names[statement.split("=")[0]] = (self.folder / "value").read_text()
        elif "curl " in statement and "…" not in statement:
            self.asks(statement)

    def finds(self, name):
        if name == "ANSWERED":
            return self.says_something()
        if name == "MESSAGE":
            return self.answer["response"]["messages"][0]["id"]
        if name == "MEMBERSHIP":
            return self.brings_somebody()[0]
        if name == "AD":
            return self.reads_an_advertisement()
        if name == "HELD":
            return self.holds_an_advertisement()
        if name == "ID":
            mine = [it for it in self.answer["response"] if not it["current"]]
            return mine[0]["id"]
        found = _named(self.answer, self.FIELDS.get(name, name))
        assert found is not None, f"no {name} in {self.answer}"
        return found

    def brings_somebody(self):
        """One more member of the group: the id of the membership, and the token."""
        who = {"name": "Cleo", "email": f"cleo-{self.ran}@example.org", "password": "rope-at-six"}
        made = requests.post(f"{self.server.url}/auth/register", json=who, timeout=120).json()["response"]
        user = made["user"]["id"]
        group = f"{self.server.url}/v3/groups/{self.names['GROUP']}"
        own = {"X-Access-Token": self.names["TOKEN"]}
        added = {"members": [{"nickname": "Cleo", "user_id": user}]}
        requests.post(f"{group}/members/add", json=added, headers=own, timeout=120).raise_for_status()
        for _ in range(1200):
            members = requests.get(group, headers=own, timeout=120).json()["response"]["members"]
            found = [member["id"] for member in members if member["user_id"] == user]
            if found:
                return found[0], made["access_token"]
            time.sleep(0.1)
        raise AssertionError("Cleo does not become a member")

    def reads_an_advertisement(self):
        """Another member's message; its id."""
        _, token = self.brings_somebody()
        message = {"message": {"source_guid": f"ad {self.ran}", "text": "cheap ropes"}}
        path = f"{self.server.url}/v3/groups/{self.names['GROUP']}/messages"
        said = requests.post(path, json=message, headers={"X-Access-Token": token}, timeout=120)
        said.raise_for_status()
        return said.json()["response"]["message"]["id"]

    def holds_an_advertisement(self):
        """Another member's message that waits for approval; its id."""
        _, token = self.brings_somebody()
        group = f"{self.server.url}/v3/groups/{self.names['GROUP']}"
        rule = {"name": "Sales", "kind": "words", "words": ["auction"], "action": "hold"}
        own = {"X-Access-Token": self.names["TOKEN"]}
        requests.post(f"{group}/rules", json=rule, headers=own, timeout=120).raise_for_status()
        message = {"message": {"source_guid": f"sale {self.ran}", "text": "auction"}}
        path, theirs = f"{group}/messages", {"X-Access-Token": token}
        return requests.post(path, json=message, headers=theirs, timeout=120).json()["response"]["held"]["id"]

    def says_something(self):
        message = {"message": {"source_guid": f"own {self.ran}", "text": "who has a rope?"}}
        self.asks(
            f'curl -H "X-Access-Token: $TOKEN" {TOLD}/v3/groups/$GROUP/messages '
            f"-H 'Content-Type: application/json' -d '{json.dumps(message)}'"
        )
        return self.answer["response"]["message"]["id"]

    def shell(self, command, **more):
        known = {name: value for name, value in os.environ.items() if not name.startswith("COTERIE_")}
        return subprocess.Popen(
            ["bash", "-c", CURL + command.replace(TOLD, self.server.url)],
            cwd=self.folder,
            env={**known, **self.names, "HEADS": str(self.folder / "heads")},
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
            **more,
        )

    def asks(self, command):
        """Types a command: it succeeds, and what it printed is the answer for what follows."""
        (self.folder / "heads").write_text("")
        shell = self.shell(command, stdout=subprocess.PIPE)
        if any(sign in command for sign in ENDLESS):
            self.stops(shell, command)
        body, trouble = shell.communicate(timeout=120)
        heads = (self.folder / "heads").read_text()
        told = f"{command}\n{heads}{body.decode(errors='replace')}{trouble.decode()}"
        statuses = re.findall(r"^HTTP/1.1 (\d+)", heads, re.M)
        if statuses[-1:] == ["304"] and "/search/" in command:
            # What was said a moment ago is found within a second.
            time.sleep(0.1)
            return self.asks(command)
        assert statuses and statuses[-1] in ("200", "201", "202", "204"), told
        self.ran += 1
        if body.startswith(b"{"):
            self.answer = json.loads(body)
        if "/auth/account" in command:
            self.begins_again()

    def stops(self, shell, command):
        """Waits until something comes, and for that says something."""
        if "wait=" in command:
            Reader.says_something(self.beside())
        assert shell.stdout.read(1), command
        os.killpg(shell.pid, signal.SIGTERM)

    def beside(self):
        """The same reader in another window."""
        folder = self.folder / "beside"
        folder.mkdir(exist_ok=True)
        other = Reader(self.server, folder)
        other.names = self.names
        return other

    def begins_again(self):
        """The account is gone, and the page goes on."""
        for block in _blocks("index.html")[1:3]:
            for statement in _statements(block):
                self.types(statement)


@pytest.fixture
def reader(tmp_path):
    for program in ("bash", "curl", "openssl", "base64"):
        assert shutil.which(program), f"{program} is missing"
    server = Server(tmp_path / "data")
    yield Reader(server, tmp_path)
    server.ends()


def test_every_call_of_the_guide_succeeds(reader):
    reader.reads("index.html")
    assert reader.ran > 20


def test_every_call_of_the_guide_to_bots_succeeds(reader):
    reader.begins_again()
    reader.reads("bots/index.html")
    assert reader.ran > 8


# What asks a node among others; `tests/cluster` asks three.
FOR_NODES = ("coterie nodes", "coterie drain")


def test_every_command_for_operators_succeeds(tmp_path):
    data, sets = tmp_path / "data", tmp_path / "sets"
    server = Server(data, "--backup-to", str(sets))
    while not list(sets.glob("sets/*/manifest.json")):
        assert server.process.poll() is None
        time.sleep(0.1)
    commands = [
        statement
        for block in _blocks("operators.html")
        for statement in _statements(block)
        if re.match(r"coterie [a-z]", statement) and not statement.startswith(FOR_NODES)
    ]
    assert len(commands) > 8
    kept = {name: value for name, value in os.environ.items() if not name.startswith("COTERIE_")}
    for number, command in enumerate(commands):
        if command == "coterie rebuild":
            server.ends()
        # Each restore needs an empty directory, and the set was made today.
        here = command.replace("/backup/", f"{tmp_path}/").replace("/mnt/coterie", str(sets))
        here = here.replace("/var/lib/", f"{tmp_path}/restored-{number}-").replace("@2026-11-20", "@9999")
        # One kill proves that the command works.
        here = re.sub(r"--hours [0-9]+", "--hours 0", here)
        arguments = here.removeprefix("coterie ")
        ran = subprocess.run(
            ["bash", "-c", f'"{BINARY}" {arguments}'],
            env={**kept, "COTERIE_DATA_DIR": str(data)},
            # A new password, for whichever asks.
            input="battery staple\n",
            capture_output=True,
            text=True,
            timeout=120,
        )
        # The doctor also judges the machine, by 1 for warnings and 2 for errors.
        fine = [0, 1, 2] if command == "coterie doctor" else [0]
        if "reset-factors" in command:
            # Nobody here has a second factor, and the command says so.
            assert "no one-time codes are set up" in ran.stderr
            fine = [1]
        assert ran.returncode in fine, f"{command}\n{ran.stdout}{ran.stderr}"
