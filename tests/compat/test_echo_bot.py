"""The echo bots of the guide at /docs/bots, as a newcomer gets them: downloaded from the
server, started with the id and the secret of a bot, and spoken to.
"""

import contextlib

import shutil
import socket
import subprocess
import sys
import time

import pytest
import requests

from conftest import Server


def _free_port():
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        return place.getsockname()[1]


class Group:
    """A group of somebody, and what is said there."""

    def __init__(self, server):
        self.url = f"{server.url}/v3"
        self.head = {"X-Access-Token": server.registers("Ana")[1]}
        self.id = self.asks("POST", "/groups", {"name": "Climbers"})["id"]

    def asks(self, method, path, body=None):
        answer = requests.request(method, self.url + path, json=body, headers=self.head, timeout=120)
        assert answer.ok, answer.text
        return answer.json()["response"]

    def says(self, text):
        message = {"source_guid": text, "text": text}
        self.asks("POST", f"/groups/{self.id}/messages", {"message": message})

    def texts(self):
        return [it["text"] for it in self.asks("GET", f"/groups/{self.id}/messages")["messages"]]

    def hears(self, text):
        for _ in range(1200):
            if text in self.texts():
                return
            time.sleep(0.05)
        raise AssertionError(f"nobody said {text!r}: {self.texts()}")


def _gets(server, file, folder):
    """Downloads a program of the guide."""
    page = requests.get(f"{server.url}/docs/bots", timeout=120)
    assert f'data-file="/docs/bots/{file}"' in page.text
    code = requests.get(f"{server.url}/docs/bots/{file}", timeout=120)
    assert code.ok and len(code.text.splitlines()) <= 20
    (folder / file).write_text(code.text)


@contextlib.contextmanager
def _running(words):
    running = subprocess.Popen(words, stdin=subprocess.DEVNULL)
    try:
        yield running
    finally:
        running.kill()
        running.wait()


@pytest.mark.parametrize(
    ("file", "program"), [("echo.py", sys.executable), ("echo.mjs", shutil.which("node"))]
)
def test_the_bot_of_the_guide_answers(server, tmp_path, file, program):
    _gets(server, file, tmp_path)
    group, port = Group(server), _free_port()
    wanted = {"name": "Echo", "group_id": group.id, "callback_url": f"http://127.0.0.1:{port}/"}
    bot = group.asks("POST", "/bots", {"bot": wanted})
    words = [program, tmp_path / file, bot["bot_id"], bot["secret"], server.url, str(port)]
    with _running(words):
        group.says("hello 🧗")
        group.hears("echo: hello 🧗")
        rotated = group.asks("POST", f"/bots/{bot['bot_id']}/secret")
        assert rotated["secret"] != bot["secret"]
        # Both sign now, so a bot that knows the old secret still answers.
        group.says("again")
        group.hears("echo: again")
        forged = {"webhook-id": "msg_1", "webhook-timestamp": "1", "webhook-signature": "v1,AAAA"}
        told = requests.post(f"http://127.0.0.1:{port}/", data=b"{}", headers=forged, timeout=120)
        assert told.status_code == 401
        assert group.texts().count("echo: hello 🧗") == 1


@pytest.fixture
def own(tmp_path):
    """A server that may be killed."""
    server = Server(tmp_path / "data")
    yield server
    server.ends()


def test_the_bot_that_pulls_answers_everything_once(own, tmp_path):
    _gets(own, "pull.mjs", tmp_path)
    group = Group(own)
    bot = group.asks("POST", "/bots", {"bot": {"name": "Pull", "group_id": group.id}})
    group.says("before it ran")
    place = tmp_path / "place"
    # The id of a message that is none: everything since the bot was made.
    place.write_text("0")
    # Node.js 20 knows WebSocket by a flag, later ones by themselves.
    node = [shutil.which("node"), "--experimental-websocket", tmp_path / "pull.mjs"]
    words = [*node, bot["bot_id"], bot["secret"], own.url, place]
    with _running(words):
        group.hears("echo: before it ran")
        group.says("hello 🧗")
        group.hears("echo: hello 🧗")
        # The server dies, and the bot comes back by itself.
        own.restarts()
        group.says("again")
        group.hears("echo: again")
    group.says("while it was away")
    with _running(words) as running:
        group.hears("echo: while it was away")
        group.asks("POST", "/bots/destroy", {"bot_id": bot["bot_id"]})
        assert running.wait(timeout=120) == 1
    texts = group.texts()
    for heard in ["before it ran", "hello 🧗", "again", "while it was away"]:
        assert texts.count(f"echo: {heard}") == 1
